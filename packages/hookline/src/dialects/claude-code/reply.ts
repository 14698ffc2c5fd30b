import type {
  Asked,
  Decision,
  Decoded,
  DecodedReply,
  EventName,
  Note,
  Opinion,
  Rewrite,
  Verdict,
  WireReply,
} from '../../core/index.ts'
import { applyRewrite, eventRow, isRecord, joinReasons, note, parseJson, stringifyJson } from '../../core/index.ts'
import { type Lost, noteLost, noteLostEffects } from '../common/encode.ts'
import { cleanReply, exitFailure, invalidOutput, stricter, withoutMisplacedAllow, withReason } from '../common/reply.ts'
import { type Block, type DecisionFormat, type Row, rowOf, theirName } from './names.ts'
import { type Output, readOutput, type Specific } from './output.ts'

/**
 * JSON on stdout is read whatever the exit code. Exit 2 blocks what can be blocked, whatever the JSON says; any other
 * code is a failure unless stdout holds JSON that can be read.
 */
export function decodeReply(reply: WireReply, { event, hook }: Asked): DecodedReply {
  return cleanReply(withReason(withoutMisplacedAllow(decodeExit(reply, event.name), event.name, dialect), hook.id))
}

/** "`{"async": true}` as the first line": the hook goes on in the background. */
export function goesOnAlone(firstLine: string): { forMs?: number } | undefined {
  const parsed = firstLine.trimStart().startsWith('{') ? parseJson(firstLine) : undefined
  if (!parsed?.ok || !isRecord(parsed.value) || parsed.value['async'] !== true) return undefined
  const { asyncTimeout } = parsed.value
  return typeof asyncTimeout === 'number' && asyncTimeout > 0 ? { forMs: asyncTimeout } : {}
}

function decodeExit(reply: WireReply, event: EventName): DecodedReply {
  const text = reply.stdout.trim()
  const [firstLine = ''] = text.split('\n', 1)
  // It has left already: neither what it printed then nor how it ended counts.
  if (goesOnAlone(firstLine)) return { ok: true, opinion: {}, notes: besideAsync(firstLine) }
  const json = text.startsWith('{') ? decodeJson(text, event) : undefined
  if (reply.exit === 2 || (reply.exit !== 0 && rowOf(event).anyExit)) return decodeBlock(reply, json, event)
  if (reply.exit === 0) return json ?? plainText(text, event)
  return json?.ok ? json : exitFailure(reply, 'Exit with 0, or with 2 to block.')
}

/** A hook that goes on alone cannot decide anything, not even on the same line. */
function besideAsync(firstLine: string): Note[] {
  const { async: _async, asyncTimeout: _timeout, ...others } = JSON.parse(firstLine) as Record<string, unknown>
  return Object.keys(others).map((field) => ignored(field, 'stands beside `async`, so nobody waits for it'))
}

function plainText(text: string, event: EventName): DecodedReply {
  if (text === '') return { ok: true, opinion: {}, notes: [] }
  if (rowOf(event).plain) return { ok: true, opinion: { context: [text] }, notes: [] }
  return { ok: true, opinion: {}, notes: [ignored('stdout', `is plain text, which ${theirName(event)} does not read`)] }
}

/** What stderr says is the reason; what JSON says besides still counts, but for its decision. */
function decodeBlock({ stderr }: WireReply, json: DecodedReply | undefined, event: EventName): DecodedReply {
  const { decision, rewrite: _dropped, ...kept } = json?.ok ? json.opinion : ({} as Opinion)
  const notes = json?.ok ? [...json.notes] : []
  if (json && !json.ok) notes.push(ignored('stdout', `cannot be read (${json.failure.detail})`))
  const own = decision?.ruling === 'allow' ? '' : (decision?.reason ?? '')
  const blocked = block(rowOf(event).exit2, stderr.trim() || own, 'exit code 2', event, notes)
  return { ok: true, opinion: together(kept, blocked), notes }
}

function decodeJson(text: string, event: EventName): DecodedReply {
  const parsed = parseJson(text)
  if (!parsed.ok) return unreadable(`its output cannot be read as JSON: ${parsed.detail}`)
  if (!isRecord(parsed.value)) return unreadable('its output is JSON, but not an object')
  const output = readOutput(parsed.value)
  return typeof output === 'string' ? unreadable(output) : understand(output, event)
}

function understand(output: Output, event: EventName): DecodedReply {
  const specific = output.hookSpecificOutput ?? {}
  const notes = output.unknown.map((field) => note('reply-field-ignored', { field, dialect }))
  if (output.async === true) return { ok: true, opinion: {}, notes }
  if (output.terminalSequence) notes.push(ignored('terminalSequence', 'would write to the terminal'))
  const named = specific.hookEventName
  if (named !== undefined && named !== theirName(event))
    notes.push(ignored('hookSpecificOutput.hookEventName', `is \`${named}\`, but ${theirName(event)} was raised`))
  const universal: Opinion = {
    ...(output.continue === false && { halt: { reason: output.stopReason || output.reason || '' } }),
    ...(output.systemMessage ? { message: [output.systemMessage] } : {}),
  }
  const parts = [decided(output, event, notes), permitted(output, specific, event, notes), behaved(specific, event)]
  const opinion = [...parts, added(specific, event, notes), rewritten(specific, event, notes)].reduce(
    together,
    universal,
  )
  return { ok: true, opinion, notes }
}

/** The older way to decide: `approve` and `block`, which mean something else on each event. */
function decided({ decision, reason = '' }: Output, event: EventName, notes: Note[]): Opinion {
  if (decision === 'block') return block(rowOf(event).block, reason, 'decision', event, notes)
  if (decision !== 'approve') return {}
  if (rowOf(event).decisionFormat === 'permission') return { decision: { ruling: 'allow', reason } }
  notes.push(ignored('decision', `is \`approve\`, and ${theirName(event)} goes on without it`))
  return {}
}

function permitted({ reason = '' }: Output, specific: Specific, event: EventName, notes: Note[]): Opinion {
  const { permissionDecision: permission, permissionDecisionReason: own = reason } = specific
  if (permission === undefined) return {}
  if (rowOf(event).decisionFormat !== 'permission') {
    notes.push(unread('permissionDecision', event))
    return {}
  }
  if (permission === 'defer') notes.push(ignored('permissionDecision', 'is `defer`, which became `ask`'))
  return { decision: { ruling: permission === 'defer' ? 'ask' : permission, reason: own } }
}

/** The answer to a permission request. */
function behaved({ decision }: Specific, event: EventName): Opinion {
  if (!decision?.behavior || rowOf(event).decisionFormat !== 'behavior') return {}
  const { behavior, message = '', interrupt, updatedInput } = decision
  return {
    decision: { ruling: behavior, reason: message },
    ...(interrupt && behavior === 'deny' ? { halt: { reason: message } } : {}),
    ...(updatedInput && { rewrite: { mode: 'replace', value: updatedInput } }),
  }
}

function added({ additionalContext: text }: Specific, event: EventName, notes: Note[]): Opinion {
  if (!text) return {}
  if (!rowOf(event).context) {
    notes.push(unread('additionalContext', event))
    return {}
  }
  return rowOf(event).contextContinues ? { decision: { ruling: 'deny', reason: text } } : { context: [text] }
}

function rewritten(specific: Specific, event: EventName, notes: Note[]): Opinion {
  const { rewrite, decisionFormat } = rowOf(event)
  let found: Rewrite | undefined
  for (const key of ['updatedInput', 'updatedMCPToolOutput', 'updatedToolOutput'] as const) {
    const value = specific[key]
    if (value === undefined) continue
    const fits =
      key === 'updatedInput' ? rewrite === key && decisionFormat === 'permission' : rewrite === 'updatedToolOutput'
    if (fits) found = { mode: 'replace', value }
    else notes.push(unread(key, event))
  }
  return found ? { rewrite: found } : {}
}

function block(as: Block, reason: string, field: string, event: EventName, notes: Note[]): Opinion {
  if (as === 'deny') return { decision: { ruling: 'deny', reason } }
  if (as === 'context') return reason === '' ? {} : { context: [reason] }
  if (as === 'message') return reason === '' ? {} : { message: [reason] }
  notes.push(ignored(field, `asks to block ${theirName(event)}, which cannot be`))
  return {}
}

/** Two parts of one answer: the stricter decision, and of everything else both. */
function together(one: Opinion, other: Opinion): Opinion {
  const both: Opinion = { ...one, ...other }
  if (one.decision && other.decision) both.decision = stricter(one.decision, other.decision) as Decision
  if (one.context && other.context) both.context = [...one.context, ...other.context]
  if (one.message && other.message) both.message = [...one.message, ...other.message]
  return both
}

const dialect = 'claude-code'
const unreadable = (detail: string) => invalidOutput(detail, 'Print nothing, plain text, or one JSON object.')
const ignored = (field: string, detail: string) => note('reply-value-ignored', { field, detail, dialect })
const unread = (field: string, event: EventName) =>
  ignored(`hookSpecificOutput.${field}`, `means nothing on ${theirName(event)}`)

/** Exit 0 and JSON, but for the events that know an exit code only. */
export function encodeReply(verdict: Verdict): Decoded<WireReply> {
  const notes: Note[] = []
  const lost = noteLost(notes, 'claude-code')
  const row = rowOf(verdict.event)
  const { decision, halt, message = [] } = verdict
  const supported = ['decision', 'halt', 'context', 'rewrite', 'message'] as const
  noteLostEffects(verdict, lost, supported, { metadata: 'Say it in the reason.' })
  const written = decision ? decisionWriters[row.decisionFormat](decision, verdict, lost) : {}
  const specific = { ...written.specific, ...adding(verdict, row, lost), ...rewriting(verdict, row, lost) }
  const output = {
    ...(halt ? { continue: false, ...(halt.reason ? { stopReason: halt.reason } : {}) } : {}),
    ...(message.length > 0 ? { systemMessage: message.join('\n') } : {}),
    ...written.output,
    ...(Object.keys(specific).length > 0 ? { hookSpecificOutput: { hookEventName: row.name, ...specific } } : {}),
  }
  const json = Object.keys(output).length > 0 ? stringifyJson(output) : ''
  const stdout = json || instructions(verdict, row)
  return { value: { kind: 'wire', exit: written.exit ?? 0, stdout, stderr: written.stderr ?? '' }, notes }
}

interface WrittenDecision {
  output?: object
  specific?: object
  exit?: number
  stderr?: string
}

/** Writes a decision in the format that the event reads. */
const decisionWriters: Record<DecisionFormat, (decision: Decision, verdict: Verdict, lost: Lost) => WrittenDecision> = {
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

/** Where a reply can only refuse, an empty reply allows. */
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
  if (row.rewrite && row.decisionFormat !== 'behavior') return changed(row.rewrite, verdict)
  // An answer to a permission request carries the new input with its `allow`.
  if (row.decisionFormat === 'behavior' && verdict.decision?.ruling === 'allow') return {}
  lost(`A new \`${eventRow(verdict.event).rewrites ?? 'value'}\``, 'Rewrite before a tool runs, or its result.')
  return {}
}

function changed(key: string, { event, payload, rewrite }: Verdict): object {
  return rewrite ? { [key]: applyRewrite(payload[eventRow(event).rewrites ?? ''], rewrite) } : {}
}
