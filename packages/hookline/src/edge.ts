/**
 * Hooks where there are no files and no processes: edge functions, workers, Bun, a browser. Engine, rules, guards, function
 * and http hooks are those of `hookline`; nothing here imports `node:*`.
 * @module
 */
import type { Hooks, HooksOptions } from './hooks/contract.ts'
import { createHooks as create } from './hooks/create-hooks.ts'

/** What needs files or processes is left out. */
export type EdgeOptions = Pick<
  HooksOptions,
  'hooks' | 'rules' | 'tools' | 'state' | 'journal' | 'host' | 'trust' | 'off' | 'onNote' | 'strict' | 'executors'
>

export const createHooks = (options: EdgeOptions = {}): Promise<Hooks> => create({ ...options, cwd: '/' })

export { HooklineError, memoryState, type StatePlace, type StateStore, type Verdict } from './core/index.ts'
export * from './guards/index.ts'
export type { FunctionOptions, Hooks, RaiseOptions, SessionOptions } from './hooks/contract.ts'
export { type Entry, type EntryInput, type JournalStore, memoryJournal } from './journal/index.ts'
export type { HookSession, JudgedTool, ToolOutcome } from './seam/index.ts'
