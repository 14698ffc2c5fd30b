import { join } from 'node:path'
import * as z from 'zod/mini'
import { builtins as ours } from '../builtins/index.ts'
import { explainIssues, formatPath } from '../core/explain-issue.ts'
import {
  type Builtin,
  type BuiltinKit,
  defineExecutor,
  didYouMean,
  type EventName,
  type Executor,
  HookFailure,
} from '../core/index.ts'
import { createConnections } from './http/exchange.ts'
import { inProcess } from './in-process.ts'
import { defaultDataDir, makeKit, type Shop } from './kit/index.ts'
import { fileState, memoryState } from './kit/state.ts'

export interface BuiltinSpec {
  name: string
  args?: unknown
}

export interface BuiltinOptions {
  /** Builtins of your own, beside ours; the same name replaces. */
  builtins?: Readonly<Record<string, Builtin>>
  /** Where snapshots and large results are kept. */
  dataDir?: string
  /** Remember in files, for a process that lives for one event. Default: in memory. */
  persist?: boolean
  /** Replaces parts of the world that builtins see. */
  kit?: Partial<BuiltinKit>
}

export function createBuiltinExecutor(options: BuiltinOptions = {}): Executor<BuiltinSpec> {
  const registry: Readonly<Record<string, Builtin>> = { ...ours, ...options.builtins }
  const dataDir = options.dataDir ?? defaultDataDir()
  const closing = new AbortController()
  const shop: Shop = {
    dataDir,
    state: options.persist ? fileState(join(dataDir, 'state')) : memoryState(),
    connections: createConnections(),
    closing: closing.signal,
    ...(options.kit === undefined ? {} : { override: options.kit }),
  }
  const calls = inProcess()
  const parsed = new WeakMap<BuiltinSpec, unknown>()

  return defineExecutor<BuiltinSpec>({
    type: 'builtin',
    doc: 'A hook that comes with Hookline, in this process, by name and arguments. See docs/builtins.md.',
    spec: z
      .strictObject({
        name: z.string().check(z.describe('Which one.')),
        args: z.optional(z.unknown().check(z.describe('Its arguments, by name.'))),
      })
      .check((context) => {
        for (const { path, message } of problemsOf(registry, context.value))
          context.issues.push({ code: 'custom', path, message, input: context.value })
      }),
    async run(spec, call) {
      const builtin = registry[spec.name]
      const [problem] = builtin ? misuse(builtin, call.event.name) : problemsOf(registry, spec)
      if (!builtin || problem)
        throw new HookFailure('spawn', problem?.message ?? `There is no builtin \`${spec.name}\`.`)
      const answer = () => builtin.answer(call.event, argsOf(builtin, spec), makeKit(spec.name, call, shop))
      return calls.ask(spec.name, answer, call.signal)
    },
    async close() {
      closing.abort()
      calls.close()
      shop.connections.close()
    },
  })

  function argsOf(builtin: Builtin, spec: BuiltinSpec): unknown {
    if (parsed.has(spec)) return parsed.get(spec)
    const read = builtin.args.safeParse(named(builtin, spec.args))
    if (!read.success) throw new HookFailure('spawn', argProblems(builtin, spec.args)[0]?.message ?? '')
    parsed.set(spec, read.data)
    return read.data
  }
}

/** Arguments by name, whichever way they were given. */
function named(builtin: Builtin, args: unknown): unknown {
  if (args === undefined || args === null) return {}
  if (!Array.isArray(args)) return args
  if (args.length === 0) return {}
  return builtin.fromList ? builtin.fromList(args.map(String)) : args
}

interface Problem {
  path: (string | number)[]
  message: string
}

function problemsOf(registry: Readonly<Record<string, Builtin>>, spec: BuiltinSpec): Problem[] {
  const builtin = Object.hasOwn(registry, spec.name) ? registry[spec.name] : undefined
  if (builtin) return argProblems(builtin, spec.args)
  return [
    { path: ['name'], message: `there is no builtin \`${spec.name}\`.${didYouMean(spec.name, Object.keys(registry))}` },
  ]
}

function argProblems(builtin: Builtin, args: unknown): Problem[] {
  const given = named(builtin, args)
  const issues = builtin.args.safeParse(given).error?.issues ?? []
  return explainIssues(issues, builtin.args, given).map(({ path, detail, fix, unknownKey }) => {
    const hint = unknownKey ? didYouMean(unknownKey.key, unknownKey.known) : ''
    const place = formatPath(['args', ...path])
    return { path: ['args', ...path], message: `\`${place}\` of ${builtin.name} ${detail}.${hint} ${fix}` }
  })
}

/** A builtin on an event that it was not made for would silently do nothing. */
function misuse(builtin: Builtin, event: EventName): Problem[] {
  if (builtin.events.includes(event)) return []
  return [{ path: ['name'], message: `${builtin.name} is for ${builtin.events.join(', ')}, not for ${event}.` }]
}
