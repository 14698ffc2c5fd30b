import type { Plugin } from 'rolldown'

export function packs(): Plugin
