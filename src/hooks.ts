import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { explainIssues, formatPath } from './core/explain-issue.ts'
import type { Dialect, Event, EventName, Executor, Hook, Note, Payload, Verdict, WireReply } from './core/index.ts'
import { didYouMean, eventNamed, eventNames, eventRow, events, HooklineError, note } from './core/index.ts'
import { definitionsIn } from './definition.ts'
import { loadDialect } from './dialects/index.ts'
import type { PatternCompiler, Plan, Trust } from './engine/index.ts'
import { type Book, combine, dispatch, type Keeper, makeBook, makeRedoCounts, makeSlots, plan } from './engine/index.ts'
import type { Handler } from './executors/function.ts'
import { createExecutors } from './executors/index.ts'
import {
  type EntryInput,
  entryOf,
  type Journal,
  type JournalOptions,
  openJournal,
  traceDispatch,
} from './journal/index.ts'
import { askLanes } from './lanes.ts'
import { type CodeHook, decodeOne, type LoadOptions, loadHooks } from './load-hooks.ts'

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
  /** Hears notes that come after a verdict: failures of background hooks, late answers. */
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
  const loaded = await loadHooks(options, byType(options.executors ?? []))
  const executors = options.sealed
    ? loaded.executors
    : { ...(await createExecutors(['function'])), ...loaded.executors }
  const dialects = new Map<string, Dialect>()
  for (const name of new Set(['native', ...loaded.hooks.map((hook) => hook.dialect)]))
    dialects.set(name, await loadDialect(name))
  const members = { executors, dialects, compile: await patternCompiler(options.sealed ? loaded.hooks : undefined) }
  const records = options.journal ?? {}
  const journal = records === false ? noJournal : await openJournal(records)
  const cwd = options.cwd ?? process.cwd()
  const background = new Set<Promise<unknown>>()
  let book: Book = makeBook(loaded.hooks, members, 1)
  let closing: Promise<void> | undefined
  let added = 0
  let dispatches = 0
  let instance: string | undefined
  /** Of each book, the one that holds while hooks are switched off; and what that one has to say. */
  const switched = new WeakMap<Book, Book>()
  const offNotes = new WeakMap<Book, Note>()
  warm(book)

  const keeper: Keeper = {
    trust: options.trust ?? (() => ({ trusted: true })),
    slots: new Map(
      Object.values(executors).flatMap(({ type, concurrency }) =>
        concurrency ? [[type, makeSlots(concurrency)]] : [],
      ),
    ),
    // Only functions can raise inside a hook; following every promise for them is not free.
    nested:
      options.sealed && !executors['function'] ? (_depth, work) => work() : (depth, work) => depths.run(depth, work),
    complete: (payload) => ({ ts: new Date().toISOString(), cwd, ...payload }),
    record(given, event, recordedBook, durationMs) {
      const off = offNotes.get(recordedBook)
      const verdict = off ? { ...given, notes: [...given.notes, off] } : given
      if (!records || (durationMs === undefined && records.record !== 'all')) return verdict
      const { synthetic, payload } = event
      instance ??= randomUUID()
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

  async function raise<E extends EventName>(
    name: E,
    payload: Payload<E>,
    { signal, synthetic = false }: RaiseOptions = {},
  ): Promise<Verdict<E>> {
    if (closing) throw new HooklineError(note('closed', {}))
    const asked = current()
    const event = makeEvent(asked, name, payload, depths.getStore() ?? inheritedDepth, synthetic)
    return (await traceDispatch(event, () => dispatch(asked, event, keeper, signal))) as Verdict<E>
  }

  /** All hooks; or while they are switched off, a book in which only managed ones are asked. */
  function current(): Book {
    const off = options.off?.()
    if (!off) return book
    const known = switched.get(book) ?? makeBook(book.hooks.map(offUnlessManaged), members, book.generation)
    switched.set(book, known)
    offNotes.set(known, off)
    return known
  }

  function use(hooks: readonly Hook[]): void {
    book = makeBook(hooks, members, book.generation + 1)
    warm(book)
  }

  return {
    raise,
    async raiseAs(name, payload, { event: named, ...rest } = {}) {
      const dialect = await loadDialect(name)
      const decoded = dialect.event.decode(payload, named === undefined ? undefined : eventOf(dialect, named))
      if (!decoded.ok) throw new HooklineError(decoded.problem)
      const verdict = await askLanes(dialect, decoded.event, book, (event) =>
        raise(event, decoded.payload as never, rest),
      )
      return { ...verdict, notes: [...decoded.notes, ...verdict.notes] }
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
      const hook = decodeOne(dialects.get('native')!, own as CodeHook)
      if (book.hooks.some((ready) => ready.hook.id === hook.id))
        throw new HooklineError(note('duplicate-id', { id: hook.id, first: 'another hook' }))
      use([...book.hooks.map((ready) => ready.hook), hook])
      return () => use(book.hooks.map((ready) => ready.hook).filter((each) => each !== hook))
    },
    plan: (event, payload) => plan(current(), makeEvent(book, event, payload, 0, true)),
    get hooks() {
      return book.hooks.map((ready) => ready.hook)
    },
    get generation() {
      return book.generation
    },
    notes: loaded.notes,
    journal,
    close({ drainMs = defaultDrainMs } = {}) {
      closing ??= shutDown(background, drainMs, executors, journal, keeper)
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

/** The regex engine is loaded for hooks that need it, and always when more may come. */
async function patternCompiler(only: readonly Hook[] | undefined): Promise<PatternCompiler> {
  const needed = !only || only.some((hook) => hook.matcher.some(({ test }) => 'regex' in test))
  const { compilePattern } = needed ? await import('./core/regex.ts') : { compilePattern: undefined }
  return (source, whole) => {
    const compiled = compilePattern?.(source, whole) ?? { ok: false, detail: 'patterns were not expected' }
    if (compiled.ok) return compiled.pattern
    throw new HooklineError(note('matcher-regex', { pattern: source, detail: compiled.detail }))
  }
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

function byType(executors: readonly Executor[]): Record<string, Executor> {
  return Object.fromEntries(executors.map((executor) => [executor.type, executor]))
}

function offUnlessManaged({ hook }: { hook: Hook }): Hook {
  return hook.origin.layer === 'managed' ? hook : { ...hook, enabled: false }
}

function warm(book: Book): void {
  for (const executor of new Set(book.hooks.map((ready) => ready.executor)))
    executor.warm?.(
      book.hooks.filter((ready) => ready.executor === executor && ready.hook.enabled).map((ready) => ready.spec),
    )
}

async function shutDown(
  background: ReadonlySet<Promise<unknown>>,
  drainMs: number,
  executors: Readonly<Record<string, Executor>>,
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
  await Promise.all(Object.values(executors).map((executor) => executor.close?.()))
  await journal.close()
}
