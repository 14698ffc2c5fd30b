/**
 * Hookline in the Claude Agent SDK: `query({ prompt, options: hookline(hooks).options({ … }) })`.
 * @module
 */
export { type Guarded, type HooklineOptions, hookline } from './hookline.ts'
export type { CanUseTool, ClaudeOptions, HookCallback, HookMatcher, HookOutput } from './sdk.ts'
