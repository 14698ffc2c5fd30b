import type { Paint } from 'hookline/internal'
import { columns, indent, printable, wrap } from 'hookline/internal'
import type { Message } from '../message.ts'
import type { SessionRecord } from '../session-record.ts'
import { transcriptOf } from '../sessions/index.ts'
import { showCall, showResult } from './conversation.ts'
import { showCost } from './spending.ts'

/** A session on a terminal: what is known of it, and what was said and done, with long results cut. */
export function showTranscript(records: readonly SessionRecord[], paint: Paint, width: number): string[] {
  const { session, totals, ended, agent } = transcriptOf(records)
  const facts = [
    ['session', session?.id ?? ''],
    ['started', session?.started ?? ''],
    ['directory', session?.cwd ?? ''],
    ['agent', `${agent ?? ''}${session?.team === undefined ? '' : ` (${session.team})`}`],
    ['state', ended === undefined ? 'open' : `ended (${ended})`],
    ['cost', showCost(totals)],
  ].map(([label = '', value = '']) => [paint.dim(label), printable(value)])
  const said = records.flatMap((record) => {
    if (record.type === 'message') return ['', ...showMessage(record.message, paint, width)]
    if (record.type === 'compacted') return ['', paint.dim(`Compacted (${record.reason}).`)]
    if (record.type === 'agent') return ['', paint.dim(`→ ${printable(record.agent)} takes over`)]
    if (record.type === 'resumed') return ['', paint.dim(`Resumed ${record.at}.`)]
    return []
  })
  return [...columns(facts, width), ...said]
}

function showMessage(message: Message, paint: Paint, width: number): string[] {
  const text = wrap(printable(message.content), width - 2)
  if (message.role === 'user') return [`${paint.cyan('›')} ${text[0]}`, ...indent(text.slice(1), 2)]
  if (message.role === 'system') return text.map(paint.dim)
  if (message.role === 'tool') return showResult(message.content, message.error === true, paint, width)
  const calls = (message.tool_calls ?? []).map((call) => showCall(call, paint, width))
  return [...(message.content === '' ? [] : text), ...calls]
}
