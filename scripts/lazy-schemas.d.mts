import type { Plugin } from 'rolldown'

export function lazySchemas(): Plugin
