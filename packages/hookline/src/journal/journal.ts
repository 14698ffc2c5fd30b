import type { Note } from '../core/index.ts'
import type { Checkpoint } from './chain.ts'
import type { Entry, EntryInput } from './entry.ts'

export interface JournalOptions {
  /** Absent: the last entries are kept in memory, `capacity` of them. */
  file?: string
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
  /** Hears what the journal has to say of itself. Absent: it becomes a warning of the process. */
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
   * then tell of the moment it was given. A promise when it must be awaited: `durability: full` resolves when it is on
   * disk, `onFailure: block` rejects when it could not be written.
   */
  append(entry: EntryInput | (() => EntryInput)): void | Promise<void>
  /** Hears each entry, redacted, once it is written or lost. Returns the way to stop. */
  subscribe(listener: (entry: Entry) => void): () => void
  /** All entries there are, oldest first, rotated files included. */
  entries(): AsyncIterable<Entry>
  flush(): Promise<void>
  /** To be kept elsewhere, and given to `verifyJournal` later. */
  checkpoint(): Checkpoint
  state(): JournalState
  close(): Promise<void>
}
