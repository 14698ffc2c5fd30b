import { basename } from 'node:path'
import { eventRow, events, isRecord } from '../../core/index.ts'
import { dialectNameOf, installable } from '../../hosts/index.ts'
import type { Entry } from '../../journal/index.ts'
import { isIgnored } from '../log/tally.ts'
import { harmless } from '../questions/show.ts'
import { remarkOn, subjectOf } from '../text/entries.ts'
import { paintFor } from '../text/paint.ts'

export type Mark = 'blocked' | 'asked' | 'allowed' | 'rewritten' | 'failed' | 'quiet'

/** One decision, as a line of the screen shows it. Everything in it is harmless to show. */
export interface Row {
  /** Of the dispatch: no two rows have the same. */
  key: string
  time: string
  host: string
  project: string
  mark: Mark
  what: string
  remark: string
  ms?: number
  entry: Entry
}

/** Undefined: nothing that people watch for. A call is shown where it is judged, and again only if something comes of it. */
export function rowOf(entry: Entry): Row | undefined {
  const { time, dispatch, synthetic, project, duration_ms: ms } = entry
  const verdict = answerIn(entry) ?? verdictIn(entry)
  if (synthetic || !verdict || (verdict.mark === 'quiet' && !isGate(entry))) return undefined
  const cwd = isRecord(entry.payload) ? entry.payload['cwd'] : undefined
  return {
    key: dispatch,
    time,
    host: hostIn(entry),
    project: harmless(basename(project ?? (typeof cwd === 'string' ? cwd : ''))),
    mark: verdict.mark,
    what: harmless(whatOf(entry)),
    remark: harmless(verdict.remark),
    ...(ms !== undefined && !answerIn(entry) && { ms }),
    entry,
  }
}

/** The agent as `hookline hosts` names it. */
export function hostIn({ host, agent_name }: Entry): string {
  const known = installable.find((name) => dialectNameOf(name) === host?.name)
  return harmless(known ?? host?.name ?? agent_name ?? 'hookline')
}

interface Verdict {
  mark: Mark
  remark: string
}

const plain = paintFor({}, {})

function verdictIn(entry: Entry): Verdict | undefined {
  // Who decided by which way is for hooks; what a person answered is shown by answerIn().
  if (isRecord(entry.payload) && entry.payload['approval_source'] !== undefined) return undefined
  const remark = remarkOn(entry, plain)
  if (entry.outcome === 'deny' || entry.outcome === 'halt') return { mark: 'blocked', remark: remark || 'blocked' }
  if (entry.hooks.some(isIgnored)) return { mark: 'failed', remark: remark || 'failed open' }
  if (entry.outcome === 'ask') return { mark: 'asked', remark: remark || 'asked' }
  if (entry.rewrite) return { mark: 'rewritten', remark }
  if (entry.outcome === 'allow') return { mark: 'allowed', remark: remark || 'allowed' }
  return { mark: 'quiet', remark }
}

/** What became of a question. */
function answerIn({ payload }: Entry): Verdict | undefined {
  if (!isRecord(payload)) return undefined
  const { approval_source: source, approval_by: by, approval_ms: ms, approval_reason: reason } = payload
  const how = Object.hasOwn(answers, String(source)) ? answers[String(source)] : undefined
  if (!how) return undefined
  const who = typeof by === 'string' ? [`by ${by.replace(/ at .*$/, '')}`] : []
  const after = typeof ms === 'number' ? [`after ${Math.round(ms / 1000)} s`] : []
  const why = typeof reason === 'string' ? `: ${reason}` : ''
  return { mark: how.mark, remark: `${[how.words, ...who, ...after].join(' ')}${why}` }
}

const answers: Record<string, { mark: Mark; words: string }> = {
  user_approved: { mark: 'allowed', words: 'yes' },
  user_approved_session: { mark: 'allowed', words: 'yes for the session' },
  user_approved_always: { mark: 'allowed', words: 'always' },
  user_rejected: { mark: 'blocked', words: 'no' },
  question_unanswered: { mark: 'blocked', words: 'nobody answered' },
  question_unattended: { mark: 'blocked', words: 'nobody to ask' },
}

/** Something waited for this decision. */
export function isGate({ event }: Entry): boolean {
  const row = Object.hasOwn(events, event) ? eventRow(event) : undefined
  return (
    row?.deny !== undefined && row.failure === 'closed' && row.within === undefined && event !== 'permission_request'
  )
}

/** The command alone: that it runs in a shell goes without saying. */
function whatOf(entry: Entry): string {
  const input = isRecord(entry.payload) ? entry.payload['tool_input'] : undefined
  const command = isRecord(input) ? input['command'] : undefined
  return typeof command === 'string' ? command : subjectOf(entry) || entry.event
}
