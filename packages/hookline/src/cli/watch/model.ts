import type { PendingQuestion } from '../../daemon/index.ts'
import type { Entry } from '../../journal/index.ts'
import { hostIn, isGate, type Row, rowOf } from './rows.ts'

/** An agent at work: one session of one host. */
export interface Session {
  host: string
  project: string
  last: string
  decisions: number
  blocked: number
}

/** All that is known at a moment. */
export interface Watched {
  /** The newest first. */
  rows: Row[]
  sessions: Map<string, Session>
  decisions: number
  blocked: number
  /** Guards that failed and let something through; the last of them. */
  failedOpen: { count: number; last?: Row }
  /** The oldest first. */
  questions: PendingQuestion[]
  /** Whether a daemon runs: without one, nothing can wait. */
  connected: boolean
}

export const nothingYet = (): Watched => ({
  rows: [],
  sessions: new Map(),
  decisions: 0,
  blocked: 0,
  failedOpen: { count: 0 },
  questions: [],
  connected: false,
})

/** More than anybody scrolls back; the journal has the rest. */
const mostRows = 500

/** An agent that has done nothing for so long is no longer counted. */
const quietMs = 30 * 60_000

/** Gives back the row that is new on the screen, if there is one. */
export function addEntry(watched: Watched, entry: Entry): Row | undefined {
  if (entry.synthetic) return undefined
  const row = rowOf(entry)
  noticeSession(watched, entry, row)
  if (!row || watched.rows.some(({ key }) => key === row.key)) return undefined
  if (row.mark === 'failed') watched.failedOpen = { count: watched.failedOpen.count + 1, last: row }
  if (isGate(entry)) watched.decisions++
  if (row.mark === 'blocked') watched.blocked++
  watched.rows.unshift(row)
  if (watched.rows.length > mostRows) watched.rows.pop()
  return row
}

export function addQuestion(watched: Watched, question: PendingQuestion): void {
  if (!watched.questions.some(({ id }) => id === question.id)) watched.questions.push(question)
}

export function dropQuestion(watched: Watched, id: string): void {
  watched.questions = watched.questions.filter((question) => question.id !== id)
}

/** Those at work, the busiest first. */
export function agentsOf({ sessions }: Watched, now: number): Session[] {
  return [...sessions.values()]
    .filter(({ last }) => now - Date.parse(last) < quietMs)
    .sort((one, other) => other.decisions - one.decisions || (one.host < other.host ? -1 : 1))
}

/** Rows in which every word of the filter occurs, in any case. */
export function filtered({ rows }: Watched, filter: string): Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter(({ host, project, mark, what, remark }) => {
    const text = [host, project, mark, what, remark].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

function noticeSession({ sessions }: Watched, entry: Entry, row: Row | undefined): void {
  if (entry.session_id === undefined) return
  const host = hostIn(entry)
  const key = `${host} ${entry.session_id}`
  if (entry.event === 'session_end') {
    sessions.delete(key)
    return
  }
  const { decisions = 0, blocked = 0, project = '' } = sessions.get(key) ?? {}
  sessions.set(key, {
    host,
    project: row?.project || project,
    last: entry.time,
    decisions: decisions + (isGate(entry) ? 1 : 0),
    blocked: blocked + (row?.mark === 'blocked' ? 1 : 0),
  })
}
