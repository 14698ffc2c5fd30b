import type { Plugin } from 'rolldown'

export function licences(): Plugin
export function mapsWithoutSources(): Plugin
