import type { Dialect, Executor, Hook, Note, Settings } from '../core/index.ts'
import { HooklineError, note } from '../core/index.ts'
import { withDialects } from '../dialects/index.ts'
import {
  type HookIndex,
  type Members,
  makeHookIndex,
  makeSlots,
  type PatternCompiler,
  type Slots,
} from '../engine/index.ts'
import { createExecutors, type Executors, readingSpecs } from '../executors/index.ts'
import { type LoadedHooks, type LoadOptions, loadHooks, spellingsIn } from './load-hooks.ts'
import { standInExecutor } from './stand-ins.ts'

/** The hooks as they are between two changes. Whoever begins with one ends with it. */
export interface Generation {
  readonly index: HookIndex
  /** Who has begun with it and not ended. */
  users: number
  /** What is left to do once the last of them has ended; set when another one has taken its place. */
  ended?: () => void
}

export interface Generations {
  readonly current: Generation
  readonly notes: readonly Note[]
  readonly settings: Settings
  readonly executors: Readonly<Executors>
  /** For executors that run only so many at once. */
  readonly slots: ReadonlyMap<string, Slots>
  /** What was found in which file, for whoever watches them. */
  readonly reads: ReadonlyMap<string, string>
  /** When to read everything anew, though no file has changed. */
  readonly until: number | undefined
  dialect(name: string): Dialect
  /** Takes a generation, and later gives it back. */
  take(generation: Generation): void
  giveBack(generation: Generation): void
  /** Hooks in code that come and go while the program runs; they outlive every reload. */
  add(hook: Hook): void
  remove(hook: Hook): void
  /** Turns a hook off or on again, in this generation and all that follow. */
  enable(id: string, enabled: boolean): void
  /** A index of the same generation with other hooks in it. */
  indexFor(hooks: readonly Hook[], generation: number): HookIndex
  /** Reads everything anew. When anything is wrong with it, throws, and what was there stays. */
  reload(): Promise<void>
  /** Waits for what vanished hooks have left behind. */
  settled(): Promise<unknown>
}

export interface GenerationOptions extends LoadOptions {
  executors?: readonly Executor[]
  sealed?: boolean
}

export async function openGenerations(options: GenerationOptions): Promise<Generations> {
  const theirs = Object.fromEntries(
    (options.executors ?? []).map((executor) => [executor.type, readingSpecs(executor)]),
  )
  const declared = new Set<string>()
  const inCode = {
    ...(options.state && { state: options.state }),
    spellings: () => spellingsIn(options.dialects),
    declared: () => declared,
  }
  const executors: Executors = options.sealed ? {} : await createExecutors(['function', 'rules'], inCode)
  const lasting = new Set([...Object.keys(executors), ...Object.keys(theirs)])
  const known = withDialects(options.dialects)
  const dialects = new Map<string, Dialect>()
  const slots = new Map<string, Slots>()
  const leaving = new Set<Promise<unknown>>()
  const added: Hook[] = []
  const turned = new Map<string, boolean>()
  let loaded = await load()
  let members = await membersFor(loaded)
  let current: Generation = { index: makeHookIndex(present(), members, 1), users: 0 }
  let queue: Promise<unknown> = Promise.resolve()
  warm(current.index)

  async function load() {
    const { hooks, standIns, ...read } = await loadHooks(options, theirs, executors, declared)
    Object.assign(executors, read.executors)
    if (standIns.length > 0) executors[standInExecutor.type] = standInExecutor
    for (const { type, concurrency } of Object.values(executors))
      if (concurrency && !slots.has(type)) slots.set(type, makeSlots(concurrency))
    return { ...read, hooks: [...hooks, ...standIns] }
  }

  async function membersFor({ hooks, tools }: Pick<LoadedHooks, 'hooks' | 'tools'>): Promise<Members> {
    for (const name of new Set(['native', ...hooks.map((hook) => hook.dialect)]))
      dialects.set(name, await known.load(name))
    const compile = await patternCompiler(options.sealed ? hooks : undefined)
    return { executors: { ...executors }, dialects, compile, tools }
  }

  function replace(): void {
    const before = current
    current = { index: makeHookIndex(present(), members, before.index.generation + 1), users: 0 }
    warm(current.index)
    before.ended = leaveBehind
    if (before.users === 0) leaveBehind()
  }

  function present(): Hook[] {
    return [...loaded.hooks, ...added].map((hook) => {
      const enabled = turned.get(hook.id) ?? hook.enabled
      return enabled === hook.enabled ? hook : { ...hook, enabled }
    })
  }

  /** Ends what no hook needs any more: processes of hooks that are gone, and whole executors. */
  function leaveBehind(): void {
    for (const [type, executor] of Object.entries(executors)) {
      const specs = current.index.hooks.filter((ready) => ready.hook.run.type === type).map((ready) => ready.spec)
      if (specs.length > 0 || lasting.has(type)) {
        executor.retain?.(specs)
        continue
      }
      delete executors[type]
      const left: Promise<unknown> = Promise.resolve(executor.close?.()).finally(() => leaving.delete(left))
      leaving.add(left)
    }
  }

  async function reload(): Promise<void> {
    const next = await load()
    members = await membersFor(next)
    loaded = next
    replace()
  }

  return {
    get current() {
      return current
    },
    get notes() {
      return loaded.notes
    },
    get settings() {
      return loaded.settings
    },
    get reads() {
      return loaded.reads
    },
    get until() {
      return loaded.until
    },
    executors,
    slots,
    dialect: (name) => dialects.get(name)!,
    take(generation) {
      generation.users++
    },
    giveBack(generation) {
      if (--generation.users === 0) generation.ended?.()
    },
    add(hook) {
      if (current.index.hooks.some((ready) => ready.hook.id === hook.id))
        throw new HooklineError(note('duplicate-id', { id: hook.id, first: 'another hook' }))
      added.push(hook)
      replace()
    },
    remove(hook) {
      const at = added.indexOf(hook)
      if (at === -1) return
      added.splice(at, 1)
      replace()
    },
    enable(id, enabled) {
      turned.set(id, enabled)
      replace()
    },
    indexFor: (hooks, generation) => makeHookIndex(hooks, members, generation),
    reload() {
      const turn = queue.then(reload)
      queue = turn.catch(() => {})
      return turn
    },
    settled: () => Promise.allSettled([queue, ...leaving]),
  }
}

/** The regex engine is loaded for hooks that need it, and always when more may come. */
async function patternCompiler(only: readonly Hook[] | undefined): Promise<PatternCompiler> {
  const needed = !only || only.some((hook) => hook.matcher.some(({ test }) => 'regex' in test))
  const { compilePattern } = needed ? await import('../core/regex.ts') : { compilePattern: undefined }
  return (source, whole) => {
    const compiled = compilePattern?.(source, whole) ?? { ok: false, detail: 'patterns were not expected' }
    if (compiled.ok) return compiled.pattern
    throw new HooklineError(note('matcher-regex', { what: 'matcher', pattern: source, detail: compiled.detail }))
  }
}

function warm(index: HookIndex): void {
  for (const executor of new Set(index.hooks.map((ready) => ready.executor)))
    executor.warm?.(
      index.hooks.filter((ready) => ready.executor === executor && ready.hook.enabled).map((ready) => ready.spec),
    )
}
