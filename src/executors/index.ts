import type { Executor } from '../core/index.ts'
import { createBuiltinExecutor } from './builtin.ts'
import { createCommandExecutor } from './command/index.ts'
import { createFunctionExecutor } from './function.ts'
import { createHttpExecutor } from './http/index.ts'
import { createModelExecutor } from './model/index.ts'
import { createResidentExecutor } from './resident/index.ts'
import { createSandboxExecutor } from './sandbox/index.ts'

/** The registry of executors: one line each. Every set of hooks has its own, with its own processes to close. */
const factories = [
  createCommandExecutor,
  createResidentExecutor,
  createSandboxExecutor,
  createHttpExecutor,
  createModelExecutor,
  createBuiltinExecutor,
  createFunctionExecutor,
] as const

export function createExecutors(): Record<string, Executor> {
  const made = factories.map((create) => create() as Executor<never> as Executor)
  return Object.fromEntries(made.map((executor) => [executor.type, executor]))
}
