import { HooklineError, type Note, note } from '../core/index.ts'
import type { Checkpoint } from './chain.ts'
import type { Entry, EntryInput } from './entry.ts'

/**
 * Keeps entries in a place of your own: a table, a stream. It gets them in order, redacted, as plain JSON. Where agents
 * run on many machines, all of them may write to one.
 */
export interface JournalStore {
  /** Adds entries, in this order. Rejects when it could not: they then count as lost, and are not given again. */
  append(entries: readonly EntryInput[]): Promise<void>
  /** What was added, oldest first; `seq` is the place of each. */
  entries(): AsyncIterable<Entry>
}

export interface JournalOptions {
  /** Absent: the last entries are kept in memory, `capacity` of them. */
  file?: string
  /** Keeps entries in place of a file. They have no chain: what can be changed there can be changed unseen. */
  store?: JournalStore
  /**
   * `none`: written every few milliseconds; a crash of the process loses nothing that `close` or a normal exit would
   * write, a power cut loses what the system had not written. `batch`: synced to disk after each of these writes too.
   * `full`: `append` resolves when the entry is on disk, so that a decision is on record before it is acted upon.
   */
  durability?: 'none' | 'batch' | 'full'
  /** What a journal that cannot be written means: go on, with a loud note; or `append` rejects, so that nothing goes on. */
  onFailure?: 'continue' | 'block'
  /** A file longer than this is rotated: renamed to `<file>.<number>`, and a new one goes on from it. */
  maxBytes?: number
  /** How many rotated files are kept. */
  keep?: number
  /** Whoever does not have it cannot forge a line. It must not be readable for the agent. */
  key?: string | Buffer
  /** Only dispatches in which something happened, or all. */
  record?: 'asked' | 'all'
  /** The payload whole, only a digest of it, or not at all. Without it, an entry cannot be replayed. */
  payload?: 'full' | 'digest' | 'none'
  batchMs?: number
  /**
   * When a file is opened. `later`, for a process that may live for one event: when a verdict must wait for it, else on
   * `close` or after a moment. Without a `durability` it is then written, not synced.
   */
  opens?: 'now' | 'later'
  /** How many entries are kept in memory, when there is no file. Default 100. */
  capacity?: number
  /** Removes secrets; what it returns is what is written. Absent: the secrets guard. */
  redact?: (value: EntryInput) => EntryInput
  /** Gets notes about the journal itself. Absent: they become warnings of the process. */
  onNote?: (note: Note) => void
}

export interface JournalState {
  healthy: boolean
  /** How many entries could not be written since the journal was opened. */
  lost: number
  lastError?: string
}

export interface Journal {
  /**
   * Takes an entry down as it is now; or a function that makes it, which is called when the entry is needed, and must
   * then describe the moment it was given. A promise when it must be awaited: `durability: full` resolves when it is on
   * disk, `onFailure: block` rejects when it could not be written.
   */
  append(entry: EntryInput | (() => EntryInput)): void | Promise<void>
  /** Calls the listener with each entry, redacted, once it is written or lost. Returns what stops it. */
  subscribe(listener: (entry: Entry) => void): () => void
  /** All entries there are, oldest first, rotated files included. */
  entries(): AsyncIterable<Entry>
  flush(): Promise<void>
  /** To be kept elsewhere, and given to `verifyJournal` later. */
  checkpoint(): Checkpoint
  state(): JournalState
  close(): Promise<void>
}

export interface Listeners {
  size(): number
  add(listener: (entry: Entry) => void): () => void
  /** `first` is the place of the first entry; absent: they are lost. */
  notify(batch: readonly { entry: EntryInput }[], first?: number, lostBefore?: number): void
}

/** Who gets entries, once the journal has written them. One that throws is a warning, nothing more. */
export function makeListeners(): Listeners {
  const listeners = new Set<(entry: Entry) => void>()
  return {
    size: () => listeners.size,
    add(listener) {
      const own = (entry: Entry) => listener(entry)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    notify(batch, first, lostBefore = 0) {
      if (listeners.size === 0) return
      const entries = batch.map(({ entry }, index) => ({
        ...(first !== undefined && { seq: first + index }),
        ...(index === 0 && lostBefore > 0 && { lost: lostBefore }),
        ...entry,
      }))
      queueMicrotask(() => {
        for (const entry of entries) for (const listener of listeners) notifyOne(listener, entry)
      })
    },
  }
}

function notifyOne(listener: (entry: Entry) => void, entry: Entry): void {
  try {
    listener(entry)
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error))
  }
}

/** A note about the journal itself: for whoever listens, else a warning of the process. */
export function warn({ onNote }: JournalOptions, note: Note): void {
  if (onNote) onNote(note)
  else process.emitWarning(note.message, { code: note.code, detail: note.remedy })
}

export function failureNote(error: unknown, lost = 1): Note {
  if (error instanceof HooklineError && error.notes[0]) return error.notes[0]
  return note('journal-failed', { detail: error instanceof Error ? error.message : String(error), lost })
}
