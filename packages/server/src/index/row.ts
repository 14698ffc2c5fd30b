import { type Entry, isIgnored, isRecord, type JournalLine, rulesOf, subjectOf } from 'hookline/internal'
import { hostIn, rowOf } from 'hookline/internal/server'
import type { Statement, Words } from '../store/index.ts'

/** What one entry of the journal becomes in the store. */
export function rowsFor(
  id: number,
  line: JournalLine & { entry: Entry },
  words: Words,
  machine: string | null = null,
): Statement[] {
  const { entry } = line
  const time = Date.parse(entry.time) || 0
  const shown = rowOf(entry)
  const subject = (shown?.what ?? subjectOf(entry)).slice(0, mostCharacters)
  const reason = (entry.halt?.reason ?? entry.decision?.reason ?? '').slice(0, mostCharacters)
  const ran = entry.hooks.filter(({ asked }) => asked)
  const remark = shown?.remark ?? ''
  const searched = [subject, reason, remark, ...rulesOf(entry), ...ran.map((hook) => hook.id)]
  const about = [entry.tool_name, entry.event, entry.project, hostIn(entry), entry.session_id, entry.agent_name]
  return [
    {
      sql: `insert into entries (id, log, part, at_offset, bytes, seq, hash, time, event, outcome, session, turn, agent, host,
        project, tool, call, subject, mark, shown, remark, reason, duration, synthetic, failed, failed_open, machine)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
        $25, $26, $27)`,
      values: [
        ...[id, line.log, line.part, line.offset, line.bytes, line.seq, line.hash, time, entry.event, entry.outcome],
        ...[entry.session_id ?? null, entry.turn_id ?? null, entry.agent_name ?? null, hostIn(entry)],
        ...[entry.project ?? cwdOf(entry), entry.tool_name ?? null, entry.call_id ?? null, subject],
        ...[shown?.mark ?? 'quiet', shown ? 1 : 0, remark, reason || null, entry.duration_ms ?? null],
        ...[entry.synthetic ? 1 : 0, ran.some(({ failure }) => failure) ? 1 : 0, ran.some(isIgnored) ? 1 : 0, machine],
      ],
    },
    words.add(id, [...searched, ...about, ...textsIn(entry.payload)].filter(Boolean).join('\n').slice(0, mostSearched)),
    { sql: "insert into events (id, time, type, entry) values ($1, $2, 'decision', $1)", values: [id, time] },
    ...ran.map((hook) => ({
      sql: `insert into hook_runs (entry, hook, outcome, duration, failure, ignored, shadow, time)
        values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      values: [
        ...[id, hook.id, hook.outcome ?? null, hook.duration_ms ?? null, hook.failure?.kind ?? null],
        ...[isIgnored(hook) ? 1 : 0, hook.shadow ? 1 : 0, time],
      ],
    })),
    ...ran.flatMap((hook) =>
      (hook.rules ?? []).map((rule, at) => ({
        sql: 'insert into rule_matches (entry, rule, outcome, shadow, time) values ($1, $2, $3, $4, $5)',
        // The first one decided; what matched beside it did not.
        values: [id, rule, at === 0 ? (hook.outcome ?? null) : null, hook.shadow ? 1 : 0, time],
      })),
    ),
  ]
}

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
