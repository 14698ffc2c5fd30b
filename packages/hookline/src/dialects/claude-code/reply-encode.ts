import {
  applyRewrite,
  type Decision,
  type Decoded,
  eventRow,
  joinReasons,
  type Note,
  stringifyJson,
  type Verdict,
  type WireReply,
} from '../../core/index.ts'
import { type Lost, noteLost } from '../common/lost.ts'
import { type Row, rowOf, type Saying } from './names.ts'

/** Exit 0 and JSON, but for the events that know an exit code only. */
export function encodeReply(verdict: Verdict): Decoded<WireReply> {
  const notes: Note[] = []
  const lost = noteLost(notes, 'claude-code')
  const row = rowOf(verdict.event)
  const { decision, halt, message = [], metadata = {} } = verdict
  if (Object.keys(metadata).length > 0) lost('Metadata', 'Say it in the reason.')
  const told = decision ? sayings[row.saying](decision, verdict, lost) : {}
  const specific = { ...told.specific, ...adding(verdict, row, lost), ...rewriting(verdict, row, lost) }
  const output = {
    ...(halt ? { continue: false, ...(halt.reason ? { stopReason: halt.reason } : {}) } : {}),
    ...(message.length > 0 ? { systemMessage: message.join('\n') } : {}),
    ...told.output,
    ...(Object.keys(specific).length > 0 ? { hookSpecificOutput: { hookEventName: row.name, ...specific } } : {}),
  }
  const json = Object.keys(output).length > 0 ? stringifyJson(output) : ''
  const stdout = json || instructions(verdict, row)
  return { value: { kind: 'wire', exit: told.exit ?? 0, stdout, stderr: told.stderr ?? '' }, notes }
}

interface Told {
  output?: object
  specific?: object
  exit?: number
  stderr?: string
}

/** How a decision is said, by the way the event listens. */
const sayings: Record<Saying, (decision: Decision, verdict: Verdict, lost: Lost) => Told> = {
  permission: ({ ruling, reason }) => ({
    specific: { permissionDecision: ruling, ...(reason ? { permissionDecisionReason: reason } : {}) },
  }),
  behavior({ ruling, reason }, verdict) {
    // The user is about to be asked anyway.
    if (ruling === 'ask') return {}
    const more = ruling === 'deny' ? (reason ? { message: reason } : {}) : changed('updatedInput', verdict)
    return { specific: { decision: { behavior: ruling, ...more } } }
  },
  block: (decision, _verdict, lost) =>
    refusing(decision, lost)
      ? { output: { decision: 'block', ...(decision.reason ? { reason: decision.reason } : {}) } }
      : {},
  exit: (decision, _verdict, lost) => (refusing(decision, lost) ? { exit: 2, stderr: decision.reason } : {}),
  // A refusal after the tool ran ends the run.
  stop: (decision, _verdict, lost) =>
    refusing(decision, lost)
      ? { output: { continue: false, ...(decision.reason ? { stopReason: decision.reason } : {}) } }
      : {},
  nothing({ ruling }, _verdict, lost) {
    lost(`The decision \`${ruling}\``, 'Nothing can be decided on this event there.')
    return {}
  },
}

/** Where only a refusal can be said, silence allows. */
function refusing({ ruling }: Decision, lost: Lost): boolean {
  if (ruling === 'ask') lost('The decision `ask`', 'Ask before a tool runs.')
  return ruling === 'deny'
}

function adding({ context = [] }: Verdict, row: Row, lost: Lost): object {
  if (context.length === 0) return {}
  if (row.context) return { additionalContext: joinReasons(...context) }
  if (!row.plain) lost('Context', 'Add it on UserPromptSubmit or SessionStart.')
  return {}
}

/** Instructions for a compaction are plain text, and have no place in JSON. */
function instructions({ context = [] }: Verdict, row: Row): string {
  return row.plain && !row.context ? joinReasons(...context) : ''
}

function rewriting(verdict: Verdict, row: Row, lost: Lost): object {
  if (!verdict.rewrite) return {}
  if (row.rewrite && row.saying !== 'behavior') return changed(row.rewrite, verdict)
  // An answer to a permission request carries the new input with its `allow`.
  if (row.saying === 'behavior' && verdict.decision?.ruling === 'allow') return {}
  lost(`A new \`${eventRow(verdict.event).rewrites ?? 'value'}\``, 'Rewrite before a tool runs, or its result.')
  return {}
}

function changed(key: string, { event, payload, rewrite }: Verdict): object {
  return rewrite ? { [key]: applyRewrite(payload[eventRow(event).rewrites ?? ''], rewrite) } : {}
}
