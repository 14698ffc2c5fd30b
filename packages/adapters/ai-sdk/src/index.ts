/**
 * Hookline in the AI SDK. `hookline(hooks)` gives back what puts hooks around an agent, a call or a set of tools.
 * @module
 */
import { gateway } from 'ai'
import about from 'ai/package.json' with { type: 'json' }
import { makeHookline } from './hookline.ts'

export const hookline = makeHookline({ version: about.version, gateway: (id) => gateway.languageModel(id) as never })
export type { Guarded, HooklineOptions } from './hookline.ts'
export { HookRefusal } from './tools.ts'
