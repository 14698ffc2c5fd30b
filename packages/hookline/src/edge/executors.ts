import * as z from 'zod/mini'
import { type Call, defineExecutor, type Executor, type StateStore, type ToolSection } from '../core/index.ts'
import { inProcess } from '../executors/calls.ts'
import type { Handler } from '../executors/function.ts'
import { createRulesExecutor } from '../executors/rules/index.ts'
import { createHttpExecutor } from './http.ts'
import { missingHere } from './missing.ts'

export type { Handler } from '../executors/function.ts'
export { readingSpecs } from '../executors/reading-specs.ts'

export type Executors = Record<string, Executor>

interface Services {
  state?: StateStore
  spellings?(): Promise<readonly ToolSection[]>
  declared?(): Iterable<string>
}

/** Those that need no machine. */
const rows: Readonly<Record<string, (services: Services) => Promise<unknown>>> = {
  function: async () => createFunctionExecutor(),
  http: async () => createHttpExecutor(),
  async rules({ state, spellings, declared }) {
    const named = await spellings?.()
    const more = { ...(state && { state }), ...(named && { spellings: named }), ...(declared && { declared }) }
    return createRulesExecutor(more)
  },
}

export const executorTypes: readonly string[] = Object.keys(rows)

export async function createExecutors(types: Iterable<string>, services: Services = {}): Promise<Executors> {
  const made: Executors = {}
  for (const type of new Set(types)) {
    const row = Object.hasOwn(rows, type) ? rows[type] : undefined
    if (!row) throw missingHere(`A hook of type \`${type}\``, 'Use a function, an http hook or a rule.')
    made[type] = (await row(services)) as Executor
  }
  return made
}

const handler = z.custom<Handler>((value) => typeof value === 'function', 'must be a function')

function createFunctionExecutor(): Executor<{ handler: Handler }> {
  const calls = inProcess()
  return defineExecutor<{ handler: Handler }>({
    type: 'function',
    doc: 'A function of this program.',
    besideConfig: true,
    readsView: true,
    spec: z.strictObject({ handler }),
    pins: () => [],
    run({ handler }, call: Call) {
      const { name, payload } = call.view ?? call.event
      const asked = { event: name, payload, hook: { id: call.hook.id }, signal: call.signal }
      return calls.ask(call.hook.id, () => handler(asked as never), call)
    },
    async close() {
      calls.close()
    },
  })
}
