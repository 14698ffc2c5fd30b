import type { Durable, SessionRecord } from '../core/index.ts'
import { exportMarkdown } from './export.ts'
import { findSession, type ListOptions, listSessions, removeSession, type SessionSummary } from './list.ts'
import { holdSession, newSessionId, openSessionLog, sessionsDirectory } from './log.ts'
import { readSession } from './read.ts'
import { withInputs } from './transcript.ts'

/** Sessions in a directory, one file each: those of `hookline run`, or a program's own. */
export interface SessionStore {
  readonly directory: string
  /** An id that sorts by when it was made. */
  newId(): string
  /** For `openAgent({ openLog: store.open })`. */
  open(id: string): Promise<Durable>
  /** Latest first. */
  list(options?: ListOptions): Promise<SessionSummary[]>
  /** The records of a session, for `openAgent({ resume })`. An id may be shortened to its beginning or its last part. */
  read(id: string): Promise<readonly SessionRecord[]>
  /** As Markdown, or every record as JSON. */
  export(id: string, format?: 'markdown' | 'json'): Promise<string>
  remove(id: string): Promise<void>
  /** Locks a session for this process; throws when another has it. Gives back the release. */
  hold(id: string): () => void
}

export function openSessionStore({ directory = sessionsDirectory() }: { directory?: string } = {}): SessionStore {
  const read = async (id: string) => readSession(directory, await findSession(directory, id))
  return {
    directory,
    newId: () => newSessionId(),
    open: async (id) => openSessionLog(directory, id),
    list: (options) => listSessions(directory, options),
    read,
    export: async (id, format) => exportSession(await read(id), format),
    remove: async (id) => removeSession(directory, await findSession(directory, id)),
    hold: (id) => holdSession(directory, id),
  }
}

/** A session as Markdown, or every record as JSON. */
export const exportSession = (records: readonly SessionRecord[], format: 'markdown' | 'json' = 'markdown'): string =>
  format === 'markdown' ? exportMarkdown(records) : `${JSON.stringify(withInputs(records), null, 2)}\n`
