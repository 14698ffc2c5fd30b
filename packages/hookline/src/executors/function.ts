import { stat } from 'node:fs/promises'
import { dirname, extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as z from 'zod/mini'
import type { EventName, OpinionFor, Payload } from '../core/index.ts'
import { type Call, defineExecutor, didYouMean, type Executor, HookFailure } from '../core/index.ts'
import { callerDirectory } from '../platform/index.ts'
import { describeThrown, inProcess } from './calls.ts'

/** What a function hook gets. The payload is frozen: hooks share it. */
export interface Asked<E extends EventName = EventName> {
  event: E
  payload: Readonly<Payload<E>>
  /** Aborted at the deadline: stop your work. */
  signal: AbortSignal
  hook: { id: string }
}

/** A hook that is a function. Answering nothing is having no opinion. */
export type Handler<E extends EventName = EventName> = (
  asked: Asked<E>,
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing has no opinion
) => OpinionFor<E> | undefined | void | Promise<OpinionFor<E> | undefined | void>

export type FunctionSpec = { handler: Handler } | { module: string }

const handler = z.custom<Handler>((value) => typeof value === 'function', 'must be a function')
const module = z
  .string()
  .check(
    z.minLength(1),
    z.describe('A file and the name of a function in it: `./hook.ts#name`; without a name, its default export.'),
  )

export function createFunctionExecutor(): Executor<FunctionSpec> {
  const calls = inProcess()
  const loaded = new Map<string, Promise<Handler>>()

  return defineExecutor<FunctionSpec>({
    type: 'function',
    besideConfig: true,
    readsView: true,
    doc: 'A TypeScript or JavaScript function in this process: given in code, or named as `module: ./hook.ts#name`.',
    spec: z.union([z.strictObject({ handler }), z.strictObject({ module })]),
    pins(spec) {
      // A function given in code is the program's own.
      if (!('module' in spec)) return []
      const file = fileIn(spec.module)
      const rest = spec.module.slice(file.length)
      return [{ file, from: 'config', instead: (copy) => ({ module: `${copy}${rest}` }) }]
    },
    run(spec, call) {
      const asked = new AskedOnce(call)
      if ('handler' in spec) return calls.ask('the function', () => spec.handler(asked), call)
      return calls.ask(spec.module, async () => (await find(spec.module, call))(asked), call)
    },
    async close() {
      calls.close()
      loaded.clear()
    },
  })

  /** Loaded once; a failure is tried again at the next call, when the file may have been mended. */
  function find(reference: string, call: Call): Promise<Handler> {
    const file = resolve(directoryOf(call), fileIn(reference))
    const name = /#(.*)$/s.exec(reference)?.[1] || 'default'
    const key = `${file}#${name}`
    const known = loaded.get(key)
    if (known) return known
    const loading = load(file, name)
    loaded.set(key, loading)
    loading.catch(() => loaded.delete(key))
    return loading
  }
}

const fileIn = (reference: string): string => reference.replace(/#.*$/s, '')

/** A class, so that the signal is made only for functions that look at it: making it costs more than calling them. */
class AskedOnce implements Asked {
  readonly event: EventName
  readonly payload: Asked['payload']
  readonly hook: { id: string }
  readonly #call: Call

  constructor(call: Call) {
    this.event = call.event.name
    this.payload = (call.view ?? call.event).payload
    this.hook = { id: call.hook.id }
    this.#call = call
  }

  get signal(): AbortSignal {
    return this.#call.signal
  }
}

/** A module is found from the config file that names it. */
function directoryOf({ hook }: Call): string {
  return hook.origin.where ? dirname(hook.origin.where.file) : callerDirectory()
}

async function load(file: string, name: string): Promise<Handler> {
  const exports = await importFile(file)
  const found = exports[name]
  if (typeof found === 'function') return found as Handler
  const functions = Object.keys(exports).filter((key) => typeof exports[key] === 'function')
  const what =
    found === undefined ? `${file} has no export \`${name}\`.` : `The export \`${name}\` of ${file} is not a function.`
  throw new HookFailure(
    'spawn',
    `${what}${didYouMean(name, functions)}`,
    `Functions it exports: ${functions.join(', ') || 'none'}.`,
  )
}

const typescript = new Set(['.ts', '.mts', '.cts', '.tsx'])

async function importFile(file: string): Promise<Record<string, unknown>> {
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile())
    throw new HookFailure('spawn', `There is no file ${file}.`, 'Paths are read from the directory of the config file.')
  try {
    if (typescript.has(extname(file))) return await importTypeScript(file)
    // The query makes a changed file another module: Node would give back the old one.
    return (await import(`${pathToFileURL(file).href}?v=${found.mtimeMs}`)) as Record<string, unknown>
  } catch (error) {
    if (error instanceof HookFailure) throw error
    throw new HookFailure('spawn', `${file} cannot be loaded: ${describeThrown(error)}`)
  }
}

/** No cache on disk: in a directory that others can write to, it would be code that nobody approved. */
async function importTypeScript(file: string): Promise<Record<string, unknown>> {
  const { createJiti } = await import('jiti').catch(() => {
    const fix = 'Install it: npm install jiti. Or name a JavaScript file.'
    throw new HookFailure('spawn', `Loading ${file} needs jiti, which is not installed beside hookline.`, fix)
  })
  return createJiti(import.meta.url, { fsCache: false, moduleCache: false }).import<Record<string, unknown>>(file)
}
