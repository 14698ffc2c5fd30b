/**
 * Hookline in LangChain, as a middleware: `createAgent({ model, tools, middleware: [hookline(hooks)] })`.
 * @module
 */
export { type HooklineOptions, hookline, type RunOf } from './hookline.ts'
