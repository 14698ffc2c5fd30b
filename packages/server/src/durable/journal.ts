import { AsyncLocalStorage } from 'node:async_hooks'
import type { Boundary, Durable } from '@hookline/agent'
import type { SessionRecord } from './tables.ts'

/** What is written down at once. Keys begin with the id of a session, since sub-agents have sessions of their own. */
export interface Batch {
  /** What steps gave; without a value: nothing. */
  steps: readonly (readonly [key: string, value?: unknown])[]
  records: readonly (readonly [session: string, key: string, record: SessionRecord])[]
  /** Tools that begin now: whoever finds this and no result must not begin them again. */
  claims: readonly string[]
  /** A question that waits from now on. */
  asks?: Asked
  /** How the turn ended: nothing comes after it. */
  end?: unknown
}

export interface Asked {
  id: string
}

/** What one turn has done so far, and what it does next. Written down strictly one batch after the other. */
export interface TurnJournal {
  /** For `openAgent({ openLog })`. */
  open(session: string): Durable
  /** The question that the step which runs now is about. */
  readonly asking: string | undefined
  /** Written down, and from then on waited for. */
  ask(asked: Asked): Promise<void>
  /** How many messages of people it has taken. */
  readonly taken: number
  /** False while it only repeats what was done before. */
  readonly isLive: boolean
  /** Steps that run now. */
  readonly running: number
  flush(name: string): Promise<void>
  /** The last batch, with how the turn ended. */
  end(name: string, end: unknown): Promise<void>
  /** All of them, with those of sub-agents. */
  readonly records: Batch['records']
  /** Nothing of it goes on: what is asked of it from now on never ends. */
  sever(): void
  /** Rejects when something could not be written down. */
  readonly broken: Promise<never>
}

export interface JournalOptions {
  /** What was written down before, by this process or others. */
  before: readonly Batch[]
  write(name: string, batch: Batch): Promise<void>
  /** The first step that nobody has done before begins. */
  onLive?(): void
  /** A step has ended, or waits. */
  onStep?(): void
}

/** The question that a step is about. One for all journals: every storage that was ever used costs each promise of the process. */
const asking = new AsyncLocalStorage<string>()

/** Another one each time: whoever waits for it is forgotten with it. */
const never = (): Promise<never> => new Promise(() => {})

export function openJournal({ before, write, onLive, onStep }: JournalOptions): TurnJournal {
  const steps = new Map(before.flatMap((batch) => batch.steps.map(([key, value]) => [key, value] as const)))
  /** Of processes before this one. */
  const claims = new Set(before.flatMap((batch) => batch.claims))
  const records = before.flatMap((batch) => batch.records)
  const kept = new Set(records.map(([session, key]) => `${session} ${key}`))
  let pending = emptyBatch()
  let [live, severed, running] = [false, false, 0]
  /** The model must not read results before they are written down. */
  let owed = false
  let lane: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  let breakDown = (_error: unknown): void => {}
  const broken = new Promise<never>((_resolve, reject) => {
    breakDown = reject
  })
  broken.catch(() => {})

  /** With all that waits to be written down. What comes while another batch is on its way goes into one. */
  function commit(name: string): Promise<void> {
    next ??= lane = lane.then(async () => {
      next = undefined
      const batch = pending
      pending = emptyBatch()
      owed = false
      if (isEmpty(batch)) return
      records.push(...batch.records)
      await write(name, batch)
    })
    next.catch((error: unknown) => {
      severed = true
      breakDown(error)
    })
    return next
  }

  const remember = ({ kept: keptOf }: Boundary, key: string, value: unknown) => {
    const kept = keptOf ? keptOf(value) : value
    steps.set(key, kept)
    pending.steps.push(kept === undefined ? [key] : [key, kept])
  }

  type Doing = <T>(boundary: Boundary, key: string, run: () => Promise<T>) => Promise<T>

  /** Nothing follows from it outside of the conversation until something else is done, and is written down with that. */
  const later: Doing = async (boundary, key, run) => {
    const value = await run()
    remember(boundary, key, value)
    owed ||= boundary.kind === 'result'
    return value
  }
  const atOnce: Doing = async (boundary, key, run) => {
    const value = await run()
    remember(boundary, key, value)
    await commit(boundary.kind)
    return value
  }

  const doing: Readonly<Record<Boundary['kind'], Doing>> = {
    verdict: later,
    input: later,
    result: later,
    async model(boundary, key, run) {
      if (owed) await commit('result')
      return atOnce(boundary, key, run)
    },
    person: (boundary, key, run) => atOnce(boundary, key, () => asking.run(key, run)),
    async tool(boundary, key, run) {
      const isUnsure = claims.has(key) && 'unsure' in boundary
      if (isUnsure) return atOnce(boundary, key, async () => boundary.unsure as Awaited<ReturnType<typeof run>>)
      pending.claims.push(key)
      await commit('verdict')
      return atOnce(boundary, key, run)
    },
  }

  async function step<T>(session: string, boundary: Boundary, run: () => Promise<T>): Promise<T> {
    const key = `${session} ${boundary.key}`
    if (severed) return never()
    if (steps.has(key)) return structuredClone(steps.get(key)) as T
    if (!live) {
      live = true
      onLive?.()
    }
    running += 1
    try {
      const value = await doing[boundary.kind](boundary, key, run)
      return severed ? never() : value
    } catch (error) {
      if (severed) return never()
      throw error
    } finally {
      running -= 1
      onStep?.()
    }
  }

  return {
    open: (session) => ({
      append(record, key = '') {
        const whole = `${session} ${key}`
        if (severed || kept.has(whole)) return
        kept.add(whole)
        pending.records.push([session, key, record])
      },
      step: (boundary, run) => step(session, boundary, run),
      flush: () => (severed ? never() : commit('records')),
      close: () => (severed ? never() : commit('records')),
    }),
    get asking() {
      return asking.getStore()
    },
    async ask(asked) {
      pending.asks = asked
      await commit('ask')
      onStep?.()
    },
    get taken() {
      const taken = [...steps].filter(([key]) => /\/steering(#\d+)?$/.test(key))
      return taken.reduce((sum, [, value]) => sum + (value as unknown[]).length, 0)
    },
    get isLive() {
      return live
    },
    get running() {
      return running
    },
    flush: commit,
    async end(name, end) {
      // Whatever is on its way comes before.
      await lane
      pending.end = end
      await commit(name)
    },
    records,
    sever() {
      severed = true
    },
    broken,
  }
}

interface Pending extends Batch {
  steps: [key: string, value?: unknown][]
  records: [session: string, key: string, record: SessionRecord][]
  claims: string[]
}

const emptyBatch = (): Pending => ({ steps: [], records: [], claims: [] })

const isEmpty = ({ steps, records, claims, asks, end }: Batch): boolean =>
  steps.length + records.length + claims.length === 0 && !asks && end === undefined
