import { AsyncLocalStorage } from 'node:async_hooks'
import { resolve } from 'node:path'
import type { EventName, Hook, Note, Payload, Verdict } from '../core/index.ts'
import { HooklineError, isoNow, memoryState, note, uniqueName } from '../core/index.ts'
import { withDialects } from '../dialects/index.ts'
import { dispatch, type EngineServices, type HookIndex, makeRedoCounts, plan } from '../engine/index.ts'
import type { Handler } from '../executors/index.ts'
import { entryOf, type Journal, openJournal, traceDispatch } from '../journal/index.ts'
import type { FunctionOptions, Hooks, HooksOptions, RaiseOptions } from './contract.ts'
import { definitionIn } from './definition.ts'
import { type Generation, type Generations, openGenerations } from './generations.ts'
import { askLanes } from './lanes.ts'
import { type CodeHook, decodeOne, filesOf } from './load-hooks.ts'
import { eventOf, makeEvent } from './make-event.ts'
import { noJournal, recorded } from './record.ts'

/** How long close() waits for background hooks. */
const defaultDrainMs = 5_000

/**
 * The composition root: the only file that knows every room. Reads the config, makes the index of hooks, and gives
 * back the door through which a host raises events.
 */
export async function createHooks(options: HooksOptions = {}): Promise<Hooks> {
  const state = options.state ?? memoryState()
  const generations = await openGenerations({ ...options, state })
  const records = options.journal ?? {}
  const dialects = withDialects(options.dialects)
  const journal = records === false ? noJournal : await openJournal(records)
  const cwd = options.cwd ?? process.cwd()
  const background = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined
  const written = () => filesOf(options).flatMap(({ file, text }) => (text === undefined ? [resolve(file)] : []))
  const watch = options.watch && (await import('./watch-hooks.ts')).watchHooks(generations, written, options)
  let added = 0
  let dispatches = 0
  let instance: string | undefined
  /** Of each index, the one that holds while hooks are switched off; and what that one has to say. */
  const switched = new WeakMap<HookIndex, HookIndex>()
  const offNotes = new WeakMap<HookIndex, Note>()

  const services: EngineServices = {
    trust: options.trust ?? (() => ({ trusted: true })),
    slots: generations.slots,
    nested: (depth, work) => depths.run(depth, work),
    defaults: () => ({ ts: isoNow(), cwd }),
    record(given, event, hookIndex, durationMs) {
      const off = offNotes.get(hookIndex)
      const verdict = off ? { ...given, notes: [...given.notes, off] } : given
      if (!records || (durationMs === undefined && records.record !== 'all')) return verdict
      const { synthetic, payload } = event
      instance ??= uniqueName()
      const [at, dispatch] = [Date.now(), `${instance}-${++dispatches}`]
      return recorded(journal, verdict, () =>
        entryOf(verdict, {
          ...{ time: new Date(at).toISOString(), dispatch, generation: hookIndex.generation, synthetic, payload },
          definitionOf: (hook) => definitionIn(hookIndex, hook),
          ...(durationMs !== undefined && { durationMs }),
        }),
      )
    },
    afterwards: (said) => options.onNote?.(said),
    redos: makeRedoCounts(state),
    background(work) {
      const watched: Promise<unknown> = work.finally(() => background.delete(watched))
      background.add(watched)
    },
  }
  const servicesByGeneration = new WeakMap<Generation, EngineServices>()

  /** What a hook does in the background belongs to the generation that began it. */
  function servicesOf(generation: Generation): EngineServices {
    const known = servicesByGeneration.get(generation)
    if (known) return known
    const own: EngineServices = {
      ...services,
      background(work) {
        generations.take(generation)
        services.background(work.finally(() => generations.giveBack(generation)))
      },
    }
    servicesByGeneration.set(generation, own)
    return own
  }

  function raise<E extends EventName>(name: E, payload: Payload<E>, options: RaiseOptions = {}): Promise<Verdict<E>> {
    const generation = generations.current
    return raiseIn(generation, indexFor(generation), name, payload, options)
  }

  /** One generation from beginning to end, whatever is reloaded meanwhile. */
  async function raiseIn<E extends EventName>(
    generation: Generation,
    index: HookIndex,
    name: E,
    payload: Payload<E>,
    { signal, synthetic = false }: RaiseOptions,
    host?: string,
  ): Promise<Verdict<E>> {
    if (closing) throw new HooklineError(note('closed', {}))
    const made = makeEvent(index, name, payload, depths.getStore() ?? inheritedDepth, synthetic)
    const event = host === undefined ? made : { ...made, host }
    const own = servicesOf(generation)
    generations.take(generation)
    try {
      return (await traceDispatch(event, () => dispatch(index, event, own, signal))) as Verdict<E>
    } finally {
      generations.giveBack(generation)
    }
  }

  /** All hooks; or while they are switched off, an index in which only managed ones run. */
  function indexFor({ index }: Generation): HookIndex {
    const off = options.off?.()
    if (!off) return index
    const known = switched.get(index) ?? generations.indexFor(index.hooks.map(offUnlessManaged), index.generation)
    switched.set(index, known)
    offNotes.set(known, off)
    return known
  }

  return {
    raise,
    async raiseAs(name, payload, { event: named, ...rest } = {}) {
      const dialect = await dialects.load(name)
      const decoded = dialect.event.decode(payload, named === undefined ? undefined : eventOf(dialect, named))
      if (!decoded.ok) throw new HooklineError(decoded.problem)
      const host = name === 'native' ? undefined : name
      const generation = generations.current
      const index = indexFor(generation)
      generations.take(generation)
      try {
        const verdict = await askLanes(dialect, decoded.event, index, (event) =>
          raiseIn(generation, index, event, decoded.payload as never, rest, host),
        )
        return { ...verdict, notes: [...decoded.notes, ...verdict.notes] }
      } finally {
        generations.giveBack(generation)
      }
    },
    async replyAs(name, verdict) {
      return (await dialects.load(name)).reply.encode(verdict).value
    },
    on(event: EventName, ...rest: unknown[]) {
      if (options.sealed) throw new HooklineError(note('sealed', {}))
      const [matcher, handler, entry] = typeof rest[0] === 'function' ? [undefined, rest[0]] : rest
      const own = {
        id: `function_${++added}`,
        ...(entry as FunctionOptions),
        ...(matcher ? { matcher } : {}),
        event,
        run: handler as Handler,
      }
      const hook = decodeOne(generations.dialect('native'), own as CodeHook)
      generations.add(hook)
      return () => generations.remove(hook)
    },
    plan(event, payload) {
      const index = indexFor(generations.current)
      return plan(index, makeEvent(index, event, payload, 0, true))
    },
    async reload() {
      if (closing) throw new HooklineError(note('closed', {}))
      await generations.reload()
    },
    enable(id, enabled) {
      const hook = generations.current.index.hooks.find((ready) => ready.hook.id === id)?.hook
      if (!hook) throw new HooklineError(note('unknown-hook', { id }))
      if (hook.origin.layer === 'managed' && !enabled) throw new HooklineError(note('managed-hook', { id }))
      generations.enable(id, enabled)
    },
    get hooks() {
      return generations.current.index.hooks.map((ready) => ready.hook)
    },
    get generation() {
      return generations.current.index.generation
    },
    get notes() {
      return generations.notes
    },
    journal,
    close({ drainMs = defaultDrainMs } = {}) {
      if (watch) watch.close()
      closing ??= shutDown(background, drainMs, generations, journal, services)
      return closing
    },
  }
}

/** One for the process: each costs something on every promise, and a loop through two sets of hooks ends too. */
const depths = new AsyncLocalStorage<number>()

/** A hook that starts another program hands the depth on, so that a loop through processes ends too. */
const inheritedDepth = Number(process.env['HOOKLINE_DEPTH'] ?? 0) || 0

function offUnlessManaged({ hook }: { hook: Hook }): Hook {
  return hook.origin.layer === 'managed' ? hook : { ...hook, enabled: false }
}

async function shutDown(
  background: ReadonlySet<Promise<unknown>>,
  drainMs: number,
  generations: Generations,
  journal: Journal,
  services: EngineServices,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, drainMs)
  })
  await Promise.race([Promise.allSettled(background), patience])
  clearTimeout(timer)
  for (const _abandoned of background) services.afterwards(note('background-abandoned', {}))
  await generations.settled()
  await Promise.all(Object.values(generations.executors).map((executor) => executor.close?.()))
  await journal.close()
}
