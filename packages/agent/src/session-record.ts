import type { Message } from './message.ts'
import type { Usage } from './model.ts'

/** One line of a session's file. Appended, never changed: a session is what its records add up to. */
export type SessionRecord =
  | {
      type: 'session'
      id: string
      started: string
      cwd: string
      agent: string
      team?: string
      parent?: string
      title?: string
      version: 1
    }
  | { type: 'message'; message: Message }
  /** Kept for the life of the session: what `session_start` hooks added. */
  | { type: 'context'; content: string }
  /** The messages so far are replaced by this summary; the last `kept` of them stay. */
  | { type: 'compacted'; summary: string; kept: number; reason: string }
  | { type: 'agent'; agent: string }
  | { type: 'usage'; model: string; usage?: Usage; cost?: number }
  | { type: 'resumed'; at: string }
  | { type: 'ended'; at: string; reason: string }

/** Where records go. The agent awaits `append` only where losing the record would lose work. */
export interface SessionLog {
  append(record: SessionRecord): void
  flush(): Promise<void>
  close(): Promise<void>
}
