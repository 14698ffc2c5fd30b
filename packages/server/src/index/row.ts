import {
  type Entry,
  type HookEntry,
  isIgnored,
  isRecord,
  type JournalLine,
  rulesOf,
  subjectOf,
} from 'hookline/internal'
import { hostIn, rowOf } from 'hookline/internal/server'
import type { Rows, Value, Words } from '../store/index.ts'

/** Tables that hold what entries of the journal say, by their columns; the first is the number of the entry. */
const columns = {
  entries:
    'id, log, part, at_offset, bytes, seq, hash, time, event, outcome, session, turn, agent, host, project, tool, call, subject, mark, shown, remark, reason, duration, synthetic, failed, failed_open, machine',
  entry_text: 'rowid, body',
  hook_runs: 'entry, hook, outcome, duration, failure, ignored, shadow, time',
  rule_matches: 'entry, rule, outcome, shadow, time',
  lines: 'entry, line',
} as const
type Table = keyof typeof columns

/** What entries become in the store. They count from 0 on: their numbers are given out when they are written. */
export interface EntryRows {
  add(at: number, line: JournalLine & { entry: Entry }): void
  /** The line as it was written, where nobody else keeps it. */
  keep(at: number, line: string): void
  from(first: number): Rows[]
}

export function makeRows(words: Words, machine: string | null = null): EntryRows {
  const rows: Record<Table, Value[][]> = { entries: [], entry_text: [], hook_runs: [], rule_matches: [], lines: [] }
  return {
    add(at, line) {
      const { entry } = line
      const time = Date.parse(entry.time) || 0
      const shown = rowOf(entry)
      const host = hostIn(entry)
      const subject = (shown?.what ?? subjectOf(entry)).slice(0, mostCharacters)
      const reason = (entry.halt?.reason ?? entry.decision?.reason ?? '').slice(0, mostCharacters)
      const ran = entry.hooks.filter(({ asked }) => asked)
      const remark = shown?.remark ?? ''
      rows.entries.push([
        ...[at, line.log, line.part, line.offset, line.bytes, line.seq, line.hash, time, entry.event, entry.outcome],
        ...[entry.session_id ?? null, entry.turn_id ?? null, entry.agent_name ?? null, host],
        ...[entry.project ?? cwdOf(entry), entry.tool_name ?? null, entry.call_id ?? null, subject],
        ...[shown?.mark ?? 'quiet', shown ? 1 : 0, remark, reason || null, entry.duration_ms ?? null],
        ...[entry.synthetic ? 1 : 0, ran.some(({ failure }) => failure) ? 1 : 0, ran.some(isIgnored) ? 1 : 0, machine],
      ])
      const about = [entry.tool_name, entry.event, entry.project, host, entry.session_id, entry.agent_name]
      const searched = [subject, reason, remark, ...rulesOf(entry), ...ran.map((hook) => hook.id), ...about]
      const text = [...searched, ...textsIn(entry.payload)].filter(Boolean).join('\n').slice(0, mostSearched)
      rows.entry_text.push([at, words.of(text)])
      for (const hook of ran) {
        const { id, outcome = null, duration_ms: duration = null, failure, rules = [] } = hook
        const shadow = hook.shadow ? 1 : 0
        rows.hook_runs.push([
          at,
          id,
          shadow ? wouldBe(hook) : outcome,
          duration,
          failure?.kind ?? null,
          isIgnored(hook) ? 1 : 0,
          shadow,
          time,
        ])
        // The first one decided; what matched beside it did not.
        rules.forEach((rule, place) => {
          rows.rule_matches.push([at, rule, place === 0 ? outcome : null, shadow, time])
        })
      }
    },
    keep: (at, line) => void rows.lines.push([at, line]),
    from: (first) =>
      Object.entries(columns).map(([table, names]) => ({
        ...{ table, columns: names.split(', '), rows: rows[table as Table], numbers: 1, from: first },
      })),
  }
}

/** What would have come of a hook that only watches: one that fails closed blocks. */
const wouldBe = ({ outcome, failure, opinion }: HookEntry): string | null =>
  (failure && (opinion?.halt ? 'halt' : opinion?.decision?.ruling)) ?? outcome ?? null

const mostCharacters = 2_000
const mostSearched = 4_000

function cwdOf({ payload }: Entry): string | null {
  const cwd = isRecord(payload) ? payload['cwd'] : undefined
  return typeof cwd === 'string' ? cwd : null
}

/** The words of prompts, commands, inputs and messages; not of results, which are long and seldom searched for. */
function textsIn(payload: unknown): string[] {
  if (!isRecord(payload)) return []
  const { tool_input: input, prompt, notification_message: message } = payload
  const values = isRecord(input) ? Object.values(input) : []
  return [prompt, message, ...values].filter((value) => typeof value === 'string').map((text) => text.slice(0, 1_000))
}
