/**
 * Hookline in the OpenAI Agents SDK: `run(hookline(hooks).agent(agent), 'Begin.')`.
 * @module
 */
export { type Guarded, type HooklineOptions, hookline, type RunOf } from './hookline.ts'
