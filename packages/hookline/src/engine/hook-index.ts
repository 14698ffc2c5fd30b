import type { Dialect, EventName, EventRow, Executor, Hook, Note, SkipReason, ToolRow } from '../core/index.ts'
import { eventRow, HooklineError, note, sortedKeys, stringifyJson } from '../core/index.ts'
import { type CompiledTest, compileTest, type PatternCompiler } from './match.ts'

/** A hook made ready: its matcher compiled, its executor and dialect at hand. */
export interface ReadyHook {
  hook: Hook
  row: EventRow
  tests: readonly CompiledTest[]
  executor: Executor
  /** What the executor runs: the hook's `run` without its type. */
  spec: unknown
  dialect: Dialect
  /** Two ready hooks of one event with the same key run once. */
  identity: string
  /** Position in config order over all events. */
  position: number
  /** What tools of people's own do. */
  tools?: Readonly<Record<string, ToolRow>> | undefined
}

/** The hooks of one event, in config order, with the plans already made for them. */
export interface EventHooks {
  row: EventRow
  hooks: readonly ReadyHook[]
  /** The payload fields a plan depends on, but for what only a single call can tell. */
  keys: readonly string[]
  plans: Map<string, CachedPlan>
}

export interface PlanEntry {
  ready: ReadyHook
  skipped?: { reason: SkipReason; detail: string }
}

/** Which hooks will run, in which stages; which are skipped, and why. Entries are in config order. */
export interface Plan {
  entries: readonly PlanEntry[]
  stages: readonly (readonly ReadyHook[])[]
}

/** A plan that holds for every payload with the same short scalars, or the candidates that a single call must look at. */
export type CachedPlan = { whole: Plan } | { candidates: readonly PlanEntry[] }

/** All hooks of one generation. A dispatch sees exactly one. */
export interface HookIndex {
  generation: number
  byEvent: ReadonlyMap<EventName, EventHooks>
  hooks: readonly ReadyHook[]
}

export interface Members {
  executors: Readonly<Record<string, Executor>>
  dialects: ReadonlyMap<string, Dialect>
  compile: PatternCompiler
  /** What tools of people's own do. */
  tools?: Readonly<Record<string, ToolRow>>
}

export function makeHookIndex(hooks: readonly Hook[], members: Members, generation: number): HookIndex {
  const ready = hooks.map((hook, position) => makeReady(hook, position, members))
  const byEvent = new Map<EventName, EventHooks>()
  for (const name of new Set(hooks.map((hook) => hook.event))) {
    const own = ready.filter((each) => each.hook.event === name)
    byEvent.set(name, { row: eventRow(name), hooks: own, keys: cacheKeys(own), plans: new Map() })
  }
  return { generation, byEvent, hooks: ready }
}

function makeReady(hook: Hook, position: number, members: Members): ReadyHook {
  const row = eventRow(hook.event)
  const executor = members.executors[hook.run.type]
  const dialect = members.dialects.get(hook.dialect)
  if (!executor)
    throw missing('unknown-executor', hook, {
      type: hook.run.type,
      hint: '',
      known: Object.keys(members.executors).join(', '),
    })
  if (!dialect)
    throw missing('unknown-dialect', hook, {
      dialect: hook.dialect,
      hint: '',
      known: [...members.dialects.keys()].join(', '),
    })
  const tests = hook.matcher.map((test) => compileTest(test, row, members.compile))
  const { type: _type, ...spec } = hook.run
  const identity = identityOf(hook, position, executor)
  return { hook, row, tests, executor, spec, dialect, identity, position, tools: members.tools }
}

function missing(
  ...[code, hook, details]: [code: 'unknown-executor' | 'unknown-dialect', hook: Hook, details: Record<string, string>]
): HooklineError {
  const about = { hook: hook.id, ...(hook.origin.where ? { where: hook.origin.where } : {}) }
  return new HooklineError(note(code, details as never, about) as Note)
}

/** Everything that makes a hook behave as it does; not what it is called or where it stands. A function is only itself. */
export function identityOf(hook: Hook, position: number, executor?: Pick<Executor, 'besideConfig'>): string {
  if (hook.dedupe !== undefined) return hook.dedupe
  if (Object.values(hook.run).some((value) => typeof value === 'function')) return `function:${position}`
  const { id: _id, description: _description, origin: _origin, canary: _canary, ...rest } = hook
  const matcher = hook.matcher.map(({ where: _where, ...test }) => test)
  const beside = executor?.besideConfig && hook.origin.where?.file.replace(/[^/\\]*$/, '')
  return stringifyJson(sortedKeys({ ...rest, matcher, ...(beside && { beside }) }))
}

function cacheKeys(hooks: readonly ReadyHook[]): string[] {
  const fields = new Set<string>()
  for (const { row, tests } of hooks)
    for (const test of tests) if (!test.dynamic) fields.add(row.subject[test.facet] ?? '')
  return [...fields]
}
