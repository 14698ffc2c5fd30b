import {
  applyRewrite,
  type Decision,
  type Decoded,
  eventRow,
  type Note,
  type Opinion,
  stringifyJson,
  type Verdict,
  type WireReply,
} from '../../core/index.ts'
import { type Lost, noteLost } from '../common/lost.ts'
import { type Row, rowOf, theirName } from './names.ts'

/** Always exit 0 and JSON: it says more than an exit code, and docker-agent drops what is printed beside exit 2. */
export function encodeReply(verdict: Verdict): Decoded<WireReply> {
  const row = rowOf(verdict.event)
  const notes: Note[] = []
  const lost = noteLost(notes, 'docker-agent')
  const output = {
    ...stopping(verdict, row, lost),
    ...(verdict.message?.length ? { system_message: verdict.message.join('\n') } : {}),
    ...blocking(verdict.decision, row, lost),
  }
  const specific = {
    ...permission(verdict.decision, row),
    ...rewriting(verdict, row, lost),
    ...annotations(verdict, row, lost),
  }
  if (Object.keys(specific).length > 0)
    Object.assign(output, { hook_specific_output: { hook_event_name: theirName(verdict.event), ...specific } })
  const stdout = Object.keys(output).length > 0 ? stringifyJson(output) : ''
  return { value: { kind: 'wire', exit: 0, stdout, stderr: '' }, notes }
}

function stopping({ halt }: Opinion, row: Row, lost: Lost): object {
  if (!halt) return {}
  lost('Ending the whole run (`halt`)', '`continue: false` ends this operation only.')
  if (!row.blocks) return {}
  return { continue: false, ...(halt.reason ? { stop_reason: halt.reason } : {}) }
}

function blocking(decision: Decision | undefined, row: Row, lost: Lost): object {
  if (!decision || row.permits) return {}
  const { ruling, reason } = decision
  if (ruling === 'deny' && row.blocks) return { decision: 'block', ...(reason ? { reason } : {}) }
  lost(`The decision \`${ruling}\``, 'Only what can be blocked can be decided there, and saying nothing allows it.')
  return {}
}

function permission(decision: Decision | undefined, row: Row): object {
  if (!decision || !row.permits) return {}
  const { ruling, reason } = decision
  return { permission_decision: ruling, ...(reason ? { permission_decision_reason: reason } : {}) }
}

function rewriting({ event, payload, rewrite }: Verdict, row: Row, lost: Lost): object {
  if (!rewrite) return {}
  if (!row.rewrite) {
    lost(`A new \`${eventRow(event).rewrites}\``, 'Rewrite before a tool runs, or its response as it arrives.')
    return {}
  }
  const value = applyRewrite(payload[eventRow(event).rewrites ?? ''], rewrite)
  return {
    [row.rewrite]: row.rewrite === 'updated_tool_response' && typeof value !== 'string' ? stringifyJson(value) : value,
  }
}

function annotations({ context, metadata }: Opinion, row: Row, lost: Lost): object {
  const said: Record<string, unknown> = {}
  if (context?.length) {
    if (row.context) said['additional_context'] = context.join('\n')
    else lost('Context', 'Add it on turn_start or user_prompt_submit.')
  }
  if (metadata && Object.keys(metadata).length > 0) {
    if (row.permits) said['metadata'] = metadata
    if (!row.metadata) lost('Metadata', 'It is read on permission_request and on entries with `preempt_yolo: true`.')
  }
  return said
}
