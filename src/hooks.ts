import { AsyncLocalStorage } from 'node:async_hooks'
import { resolve } from 'node:path'
import { explainIssues, formatPath } from './core/explain-issue.ts'
import type { Dialect, Event, EventName, Executor, Hook, Note, Payload, Verdict, WireReply } from './core/index.ts'
import { didYouMean, eventNamed, eventNames, eventRow, events, HooklineError, note } from './core/index.ts'
import { uniqueName } from './core/unique.ts'
import { definitionsIn } from './definition.ts'
import { loadDialect } from './dialects/index.ts'
import type { Plan, Trust } from './engine/index.ts'
import { type Book, combine, dispatch, type Keeper, makeRedoCounts, plan } from './engine/index.ts'
import type { Handler } from './executors/function.ts'
import { type Generation, type Generations, openGenerations } from './generations.ts'
import {
  type EntryInput,
  entryOf,
  type Journal,
  type JournalOptions,
  openJournal,
  traceDispatch,
} from './journal/index.ts'
import { askLanes } from './lanes.ts'
import { type CodeHook, decodeOne, filesOf, type LoadOptions } from './load-hooks.ts'

export type { CodeHook } from './load-hooks.ts'

export interface HooksOptions extends LoadOptions {
  /** Where dispatches are recorded. Default: the last hundred, in memory; `false`: nowhere. */
  journal?: JournalOptions | false
  /** Whether this exact hook may run for this event. Default: yes. */
  trust?(hook: Hook, event: Event, dialect: Dialect): Trust
  /** What `cwd` says when a payload does not. Default: the directory of this process. */
  cwd?: string
  /** No functions are added with on(): what only they would need is not loaded, and the start is faster. */
  sealed?: boolean
  /** More executors, beside our own. */
  executors?: readonly Executor[]
  /** Asked at every event: what to say of it while hooks are switched off. Then only managed ones are asked. */
  off?(): Note | undefined
  /**
   * Reload by itself when config files change, or what is in these directories. What cannot be loaded leaves the last
   * good generation in place; onNote hears of it. What is new is as trusted as `trust` says.
   */
  watch?: boolean | readonly string[]
  /** Hears notes that come after a verdict: failures of background hooks, late answers, what a reload has changed. */
  onNote?(note: Note): void
}

export interface RaiseOptions {
  signal?: AbortSignal
  /** Raised to try something, not by life; recorded as such. */
  synthetic?: boolean
}

/** Spelled out per event: so the checker knows the literals inside a function's answer. */
type Handlers = { [E in EventName]: Handler<E> }

/** How a function hook is asked, beyond its matcher. */
export type FunctionOptions = Omit<CodeHook, 'event' | 'matcher' | 'run'>

export interface Hooks {
  raise<E extends EventName>(event: E, payload: Payload<E>, options?: RaiseOptions): Promise<Verdict<E>>
  /** A payload in another system's own shape; `event` names the event where the payload does not. */
  raiseAs(
    dialect: string,
    payload: Record<string, unknown>,
    options?: RaiseOptions & { event?: string },
  ): Promise<Verdict>
  /** What a host of that system would read from one hook that said all this, and the exit code it would see. */
  replyAs(dialect: string, verdict: Verdict): Promise<WireReply>
  /** Adds a function hook; gives back the function that removes it. */
  on<E extends EventName>(
    event: E,
    matcher: CodeHook['matcher'],
    handler: Handlers[E],
    options?: FunctionOptions,
  ): () => void
  on<E extends EventName>(event: E, handler: Handlers[E]): () => void
  /** Who would be asked, and who not, and why; nothing runs. */
  plan<E extends EventName>(event: E, payload: Payload<E>): Plan
  /** Turns a hook off, or on again, from the next event on. What the administrator of the machine has set stays on. */
  enable(id: string, enabled: boolean): void
  /** Reads all config files anew. When anything is wrong with them, rejects, and what was there stays. */
  reload(): Promise<void>
  readonly hooks: readonly Hook[]
  readonly notes: readonly Note[]
  readonly generation: number
  readonly journal: Journal
  /** Waits for background hooks (at most `drainMs`), then stops everything: no process, timer, socket or handle is left. */
  close(options?: { drainMs?: number }): Promise<void>
}

/** How long close() waits for background hooks. */
const defaultDrainMs = 5_000

/**
 * The composition root: the only file that knows every room. Reads the config, makes the book of hooks, and gives
 * back the door through which a host raises events.
 */
export async function createHooks(options: HooksOptions = {}): Promise<Hooks> {
  const generations = await openGenerations(options)
  const records = options.journal ?? {}
  const journal = records === false ? noJournal : await openJournal(records)
  const cwd = options.cwd ?? process.cwd()
  const background = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined
  const written = () => filesOf(options).flatMap(({ file, text }) => (text === undefined ? [resolve(file)] : []))
  const watch = options.watch && (await import('./watch-hooks.ts')).watchHooks(generations, written, options)
  let added = 0
  let dispatches = 0
  let instance: string | undefined
  /** Of each book, the one that holds while hooks are switched off; and what that one has to say. */
  const switched = new WeakMap<Book, Book>()
  const offNotes = new WeakMap<Book, Note>()

  const keeper: Keeper = {
    trust: options.trust ?? (() => ({ trusted: true })),
    slots: generations.slots,
    // Only functions can raise inside a hook; following every promise for them is not free.
    nested:
      options.sealed && !generations.executors['function']
        ? (_depth, work) => work()
        : (depth, work) => depths.run(depth, work),
    complete: (payload) => ({ ts: new Date().toISOString(), cwd, ...payload }),
    record(given, event, recordedBook, durationMs) {
      const off = offNotes.get(recordedBook)
      const verdict = off ? { ...given, notes: [...given.notes, off] } : given
      if (!records || (durationMs === undefined && records.record !== 'all')) return verdict
      const { synthetic, payload } = event
      instance ??= uniqueName()
      const [at, dispatch] = [Date.now(), `${instance}-${++dispatches}`]
      return recorded(journal, verdict, () => {
        const definitions = definitionsIn(recordedBook)
        return entryOf(verdict, {
          ...{ time: new Date(at).toISOString(), dispatch, generation: recordedBook.generation, synthetic, payload },
          definitionOf: (hook) => definitions.get(hook),
          ...(durationMs !== undefined && { durationMs }),
        })
      })
    },
    afterwards: (said) => options.onNote?.(said),
    redos: makeRedoCounts(),
    background(work) {
      const watched: Promise<unknown> = work.finally(() => background.delete(watched))
      background.add(watched)
    },
  }
  const keepers = new WeakMap<Generation, Keeper>()

  /** What a hook does in the background belongs to the generation that began it. */
  function keeperOf(generation: Generation): Keeper {
    const known = keepers.get(generation)
    if (known) return known
    const own: Keeper = {
      ...keeper,
      background(work) {
        generations.take(generation)
        keeper.background(work.finally(() => generations.giveBack(generation)))
      },
    }
    keepers.set(generation, own)
    return own
  }

  function raise<E extends EventName>(name: E, payload: Payload<E>, options: RaiseOptions = {}): Promise<Verdict<E>> {
    const generation = generations.current
    return raiseIn(generation, bookOf(generation), name, payload, options)
  }

  /** One generation from beginning to end, whatever is reloaded meanwhile. */
  async function raiseIn<E extends EventName>(
    generation: Generation,
    book: Book,
    name: E,
    payload: Payload<E>,
    { signal, synthetic = false }: RaiseOptions,
    host?: string,
  ): Promise<Verdict<E>> {
    if (closing) throw new HooklineError(note('closed', {}))
    const made = makeEvent(book, name, payload, depths.getStore() ?? inheritedDepth, synthetic)
    const event = host === undefined ? made : { ...made, host }
    const own = keeperOf(generation)
    generations.take(generation)
    try {
      return (await traceDispatch(event, () => dispatch(book, event, own, signal))) as Verdict<E>
    } finally {
      generations.giveBack(generation)
    }
  }

  /** All hooks; or while they are switched off, a book in which only managed ones are asked. */
  function bookOf({ book }: Generation): Book {
    const off = options.off?.()
    if (!off) return book
    const known = switched.get(book) ?? generations.bookOf(book.hooks.map(offUnlessManaged), book.generation)
    switched.set(book, known)
    offNotes.set(known, off)
    return known
  }

  return {
    raise,
    async raiseAs(name, payload, { event: named, ...rest } = {}) {
      const dialect = await loadDialect(name)
      const decoded = dialect.event.decode(payload, named === undefined ? undefined : eventOf(dialect, named))
      if (!decoded.ok) throw new HooklineError(decoded.problem)
      const host = name === 'native' ? undefined : name
      const generation = generations.current
      const book = bookOf(generation)
      generations.take(generation)
      try {
        const verdict = await askLanes(dialect, decoded.event, book, (event) =>
          raiseIn(generation, book, event, decoded.payload as never, rest, host),
        )
        return { ...verdict, notes: [...decoded.notes, ...verdict.notes] }
      } finally {
        generations.giveBack(generation)
      }
    },
    async replyAs(name, verdict) {
      return (await loadDialect(name)).reply.encode(verdict).value
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
      const book = bookOf(generations.current)
      return plan(book, makeEvent(book, event, payload, 0, true))
    },
    async reload() {
      if (closing) throw new HooklineError(note('closed', {}))
      await generations.reload()
    },
    enable(id, enabled) {
      const hook = generations.current.book.hooks.find((ready) => ready.hook.id === id)?.hook
      if (!hook) throw new HooklineError(note('unknown-hook', { id }))
      if (hook.origin.layer === 'managed' && !enabled) throw new HooklineError(note('managed-hook', { id }))
      generations.enable(id, enabled)
    },
    get hooks() {
      return generations.current.book.hooks.map((ready) => ready.hook)
    },
    get generation() {
      return generations.current.book.generation
    },
    get notes() {
      return generations.notes
    },
    journal,
    close({ drainMs = defaultDrainMs } = {}) {
      if (watch) watch.close()
      closing ??= shutDown(background, drainMs, generations, journal, keeper)
      return closing
    },
  }
}

/** One for the process: each costs something on every promise, and a loop through two sets of hooks ends too. */
const depths = new AsyncLocalStorage<number>()

/** A hook that starts another program hands the depth on, so that a loop through processes ends too. */
const inheritedDepth = Number(process.env['HOOKLINE_DEPTH'] ?? 0) || 0

function makeEvent<E extends EventName>(
  book: Book,
  name: E,
  payload: Payload<E>,
  depth: number,
  synthetic: boolean,
): Event {
  if (!Object.hasOwn(events, name))
    throw new HooklineError(
      note('unknown-event', { event: name, hint: didYouMean(name, eventNames), known: eventNames.join(', ') }),
    )
  if (book.shelves.has(name)) checkPayload(name, payload)
  return { name, payload, depth, synthetic } as unknown as Event
}

/** A payload that does not fit would slip past matchers and guards: it is refused, not guessed at. */
function checkPayload(name: EventName, payload: unknown): void {
  const row = eventRow(name)
  if (row.plainlyFits(payload)) return
  const { error } = row.payload.safeParse(payload)
  if (!error) return
  const [first] = explainIssues(error.issues, row.payload, payload)
  throw new HooklineError(
    note('payload-invalid', {
      event: name,
      path: formatPath(first?.path ?? []) || 'payload',
      detail: first?.detail ?? '',
    }),
  )
}

function eventOf(dialect: Dialect, name: string): EventName {
  const found = eventNamed(dialect, name)
  if (found) return found
  const known = Object.values(dialect.events)
  throw new HooklineError(
    note('unknown-event', { event: name, hint: didYouMean(name, known), known: known.join(', ') }),
  )
}

/** For programs that keep no record. */
const noJournal: Journal = {
  append: () => {},
  subscribe: () => () => {},
  async *entries() {},
  flush: async () => {},
  checkpoint: () => ({ log: 'none', count: 0, head: '' }),
  state: () => ({ healthy: true, lost: 0 }),
  close: async () => {},
}

/** A journal that must not be missed turns a verdict it could not keep into a refusal. */
function recorded(journal: Journal, verdict: Verdict, entry: () => EntryInput): Verdict | Promise<Verdict> {
  const written = journal.append(entry)
  if (!written) return verdict
  return written.then(
    () => verdict,
    (error: Error) => {
      const said = note('journal-failed', { detail: error.message, lost: journal.state().lost })
      const row = eventRow(verdict.event)
      const refusal = row.deny
        ? { decision: { ruling: 'deny', reason: said.message } as const }
        : { halt: { reason: said.message } }
      const { event, payload, reports, notes, ...opinion } = verdict
      return { event, payload, reports, notes: [...notes, said], ...combine([opinion, refusal]) }
    },
  )
}

function offUnlessManaged({ hook }: { hook: Hook }): Hook {
  return hook.origin.layer === 'managed' ? hook : { ...hook, enabled: false }
}

async function shutDown(
  background: ReadonlySet<Promise<unknown>>,
  drainMs: number,
  generations: Generations,
  journal: Journal,
  keeper: Keeper,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, drainMs)
  })
  await Promise.race([Promise.allSettled(background), patience])
  clearTimeout(timer)
  for (const _abandoned of background) keeper.afterwards(note('background-abandoned', {}))
  await generations.settled()
  await Promise.all(Object.values(generations.executors).map((executor) => executor.close?.()))
  await journal.close()
}
