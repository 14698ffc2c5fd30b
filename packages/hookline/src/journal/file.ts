import { HooklineError, type Note, note } from '../core/index.ts'
import { LockedError, takeFileLock, withFileLock, withFileLockSync } from '../platform/index.ts'
import { makeChain } from './chain.ts'
import { type EntryInput, isEventful } from './entry.ts'
import { partsOf } from './files.ts'
import { type Journal, type JournalOptions, makeListeners, warn } from './journal.ts'
import { dispatchBody, makeDigest } from './line.ts'
import { lostMarks } from './lost.ts'
import { makePrepare, type Prepared } from './prepare.ts'
import { queryJournal } from './query.ts'

interface Pending extends Prepared {
  settle?: { resolve(): void; reject(error: Error): void }
}

/** So much is written at once, without waiting for the timer. */
const eagerBytes = 512 * 1024
/** So many entries wait to be made where nobody waits for them; more are made at once, for the memory's sake. */
const mostUnmade = 64
/** So much waits for a lock that another process holds; more is lost rather than filling the memory. */
const maxPendingBytes = 16 * 1024 * 1024

/** A journal in a file: entries queue, and are written together, all that fit in one write. */
export async function openFileJournal(options: JournalOptions & { file: string }): Promise<Journal> {
  const { file, durability = 'batch', onFailure = 'continue', batchMs = 20, record = 'asked' } = options
  const { maxBytes = usualMaxBytes, keep = usualKeep, key } = options
  const onNote = (note: Note) => warn(options, note)
  const lock = `${file}.lock`
  const chain = makeChain({ file, key, maxBytes, keep, onNote })
  const prepare = await makePrepare(options, makeDigest(key))
  const marks = lostMarks(file)
  const listeners = makeListeners()
  const isAwaited = durability === 'full' || onFailure === 'block'

  /** Entries that nobody waits for: made when they are written, so that no verdict waits for them. */
  let unmade: (() => EntryInput)[] = []
  let queue: Pending[] = []
  let queuedBytes = 0
  let lost = 0
  let unreported = 0
  let lastError: string | undefined
  let timer: NodeJS.Timeout | undefined
  let draining: Promise<void> | undefined
  let closed = false

  await start()
  const forget = beforeExit(writeLast)
  return {
    append(given) {
      if (closed) throw new HooklineError(note('closed', {}))
      if (!isAwaited && typeof given === 'function') return makeLater(given)
      makeAll()
      const input = typeof given === 'function' ? given() : given
      if (record === 'asked' && !isEventful(input)) return
      const pending: Pending = prepare(input)
      if (!isAwaited) {
        enqueue(pending)
        return schedule()
      }
      return new Promise<void>((resolve, reject) => {
        enqueue(Object.assign(pending, { settle: { resolve, reject } }))
        void drain()
      })
    },
    subscribe: listeners.add,
    async *entries() {
      await flush()
      yield* queryJournal(partsOf(file))
    },
    flush,
    checkpoint: chain.position,
    state: () => ({ healthy: lastError === undefined, lost, ...(lastError !== undefined && { lastError }) }),
    async close() {
      if (closed) return
      closed = true
      await flush()
      forget()
      chain.close()
    },
  }

  /** A file that is refused stops here; a disk that fails is what `onFailure` is about. */
  async function start(): Promise<void> {
    try {
      await withFileLock(lock, chain.settle)
    } catch (error) {
      if (error instanceof HooklineError) throw error
      if (onFailure === 'block') throw new HooklineError(note('journal-open', { file, detail: detailOf(error) }))
      fail([], error)
    }
  }

  function makeLater(entry: () => EntryInput): void {
    unmade.push(entry)
    if (unmade.length >= mostUnmade) makeAll()
    else timer ??= setTimeout(drain, batchMs).unref()
  }

  function makeAll(): void {
    if (unmade.length === 0) return
    const given = unmade
    unmade = []
    for (const make of given) {
      try {
        const input = make()
        if (record === 'all' || isEventful(input)) enqueue(prepare(input))
      } catch (error) {
        lost++
        unreported++
        report(error)
      }
    }
    schedule()
  }

  function enqueue(pending: Pending): void {
    if (queuedBytes > maxPendingBytes) {
      fail([pending], new Error('too many entries are waiting'))
      return
    }
    queue.push(pending)
    queuedBytes += pending.body.length
  }

  function schedule(): void {
    if (queuedBytes > eagerBytes) writeNow()
    if (queue.length > 0) timer ??= setTimeout(drain, batchMs).unref()
  }

  /** Many entries without a pause in between: the timer never comes round. */
  function writeNow(): void {
    try {
      const held = takeFileLock(lock)
      try {
        writeAll()
      } finally {
        held.release()
      }
    } catch (error) {
      if (!(error instanceof LockedError)) fail(takeAll(), error)
    }
  }

  async function flush(): Promise<void> {
    while (unmade.length > 0 || queue.length > 0 || draining) await drain()
  }

  /** One at a time; what is appended meanwhile is written by the next round. */
  function drain(): Promise<void> {
    makeAll()
    clearTimeout(timer)
    timer = undefined
    draining ??= drainQueue().finally(() => {
      draining = undefined
    })
    return draining
  }

  async function drainQueue(): Promise<void> {
    do {
      await withFileLock(lock, writeAll).then(settleBatch, (error) => fail(takeAll(), error))
    } while (queue.length > 0 && isAwaited)
    if (queue.length > 0) schedule()
  }

  /** Needs the lock. Takes the whole queue, in as many writes as it fills files; what fails is lost. */
  function writeAll(): Pending[] {
    const batch = takeAll()
    for (let done = 0; done < batch.length; ) {
      const rest = batch.slice(done)
      const marked = marks.count()
      const before = marked + unreported
      try {
        const { first, taken } = chain.write(
          rest.map(({ body }, index) => dispatchBody(body, index === 0 ? before : 0)),
        )
        listeners.notify(rest.slice(0, taken), first, before)
        done += taken
        unreported = 0
        marks.clear(marked)
        lastError = undefined
      } catch (error) {
        fail(rest, error)
        return batch.slice(0, done)
      }
    }
    return batch
  }

  async function settleBatch(batch: readonly Pending[]): Promise<void> {
    try {
      if (durability !== 'none') await chain.sync()
      for (const { settle } of batch) settle?.resolve()
    } catch (error) {
      report(error)
      for (const { settle } of batch) settle?.reject(failure(error))
    }
  }

  function takeAll(): Pending[] {
    const batch = queue
    queue = []
    queuedBytes = 0
    return batch
  }

  /** These entries are lost: counted for the next entry to record, and reported once until writing works again. */
  function fail(batch: readonly Pending[], error: unknown): void {
    lost += batch.length
    // By a mark on disk whoever writes next can say it, also when this process has ended.
    if (batch.length > 0 && !marks.add(batch.length)) unreported += batch.length
    report(error)
    listeners.notify(batch)
    for (const { settle } of batch) {
      if (onFailure === 'block') settle?.reject(failure(error))
      else settle?.resolve()
    }
  }

  function report(error: unknown): void {
    const isNews = lastError === undefined
    lastError = detailOf(error)
    if (isNews) onNote(failureNote(error))
  }

  /** The process ends: nothing can be awaited any more. */
  function writeLast(): void {
    makeAll()
    if (queue.length === 0) return
    try {
      withFileLockSync(lock, writeAll)
      if (durability !== 'none') chain.syncNow()
    } catch (error) {
      fail(takeAll(), error)
    }
  }

  function failureNote(error: unknown) {
    return note('journal-failed', { detail: detailOf(error), lost })
  }

  function failure(error: unknown): HooklineError {
    return new HooklineError(failureNote(error))
  }
}

const detailOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const exitWork = new Set<() => void>()

/** One listener for all journals: the process warns about more than ten. */
function beforeExit(work: () => void): () => void {
  if (exitWork.size === 0) process.on('exit', runExitWork)
  exitWork.add(work)
  return () => {
    exitWork.delete(work)
    if (exitWork.size === 0) process.off('exit', runExitWork)
  }
}

function runExitWork(): void {
  for (const work of exitWork) work()
}

/**
 * Writes these entries and closes the file: what a process that lives for one event needs of a journal. A host waits
 * for it, so it loads little, and waits for the disk only if `durability` says so.
 */
export async function writeOnce(options: JournalOptions & { file: string }, entries: EntryInput[]): Promise<void> {
  const { file, key, durability = 'none', record = 'asked', maxBytes = usualMaxBytes, keep = usualKeep } = options
  const kept = record === 'asked' ? entries.filter(isEventful) : entries
  if (kept.length === 0) return
  const prepare = await makePrepare(options, makeDigest(key))
  const bodies = kept.map((entry) => prepare(entry).body)
  const marks = lostMarks(file)
  const chain = makeChain({ file, key, maxBytes, keep, onNote: (note) => warn(options, note) })
  let written = 0
  try {
    await withFileLock(`${file}.lock`, () => {
      for (let done = 0; done < bodies.length; ) {
        const marked = marks.count()
        const lines = bodies.slice(done).map((body, index) => dispatchBody(body, index === 0 ? marked : 0))
        done += chain.write(lines).taken
        written = done
        marks.clear(marked)
      }
    })
    if (durability !== 'none') chain.syncNow()
  } catch (error) {
    marks.add(bodies.length - written)
    throw error
  } finally {
    chain.close()
  }
}

export const usualMaxBytes = 64 * 1024 * 1024
export const usualKeep = 16
