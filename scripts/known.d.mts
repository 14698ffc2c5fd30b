import type { Plugin } from 'rolldown'

export function known(): Plugin
