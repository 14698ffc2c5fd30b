import type { Plugin } from 'rolldown'

export function licences(fileName?: string): Plugin
export function mapsWithoutSources(): Plugin
export function plainLetters(): Plugin
