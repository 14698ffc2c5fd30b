import { breadth, type Colour, columns, count, indent, type Paint, printable, wrap } from 'hookline/internal'
import type { BudgetUse, Message, SessionRecord, ToolCall, Usage } from '../core/index.ts'
import { describeUse, fullest } from '../loop/index.ts'
import { transcriptOf } from '../sessions/index.ts'
import { reasonLines } from './reasons.ts'

/** So many lines of a result are shown; the model sees all of it. */
const resultLines = 6

/** `● shell  npm test`: what is called, and with what, on one line. */
export function showCall(
  { name, input, invalid }: ToolCall,
  paint: Paint,
  width: number,
  colour: Colour = 'cyan',
): string {
  const what = invalid === undefined ? describeInput(input) : `arguments that cannot be read: ${invalid}`
  const head = `${paint[colour]('●')} ${paint.bold(printable(name))}`
  return `${head}  ${clipped(printable(oneLine(what)), width - breadth(head) - 2)}`.trimEnd()
}

/** The beginning of what a tool returned, and how much more there is. */
export function showResult(content: string, failed: boolean, paint: Paint, width: number): string[] {
  const lines = content.trimEnd().split('\n')
  const shown = lines.slice(0, lines.length === resultLines + 1 ? resultLines + 1 : resultLines)
  const more = lines.length - shown.length
  const painted = shown.map((line) => (failed ? paint.red : paint.dim)(clipped(printable(line), width - 4)))
  if (content.trim() === '') return [paint.dim(failed ? '  ✗ failed without output' : '  (no output)')]
  return indent([...painted, ...(more > 0 ? [paint.dim(`… ${more.toLocaleString('en')} more lines`)] : [])], 2)
}

/** A call that does not run, and why. */
export function showRefusal(decision: string, source: string, reason: string | undefined, paint: Paint): string[] {
  if (decision !== 'deny') return [`  ${paint.red('✗ Canceled')}`]
  const head = `  ${paint.red('✗ Blocked')}`
  // What the person wrote is no reason of a hook, and they know who said it.
  if (source === 'user_rejected')
    return [`${head}: ${printable((reason ?? '').replace(/^The user said no/, 'You said no'))}`]
  const [first = '', ...more] = reasonLines([reason ?? ''], paint)
  return [first === '' ? `${head} (${source})` : `${head}: ${first}`, ...indent(more, 4)]
}

/** Names and what they are: side by side, or where that leaves no room for words, one below the other. */
export function described(rows: readonly (readonly [name: string, doc: string])[], width: number): string[] {
  const widest = Math.max(...rows.map(([name]) => breadth(name)))
  if (width - widest - 2 >= fewestColumns) return columns(rows, width)
  return rows.flatMap(([name, doc]) => [...wrap(name, width), ...indent(wrap(doc, width - 4), 4)])
}
const fewestColumns = 36

/** Everything that a call would do, for a person who has to decide about it; nothing is cut. */
export function showInput(input: Readonly<Record<string, unknown>>): string[] {
  const [only, ...more] = Object.entries(input)
  if (only && more.length === 0 && typeof only[1] === 'string') return printable(only[1]).split('\n')
  return Object.entries(input).flatMap(([key, value]) => {
    const [first = '', ...rest] = printable(typeof value === 'string' ? value : JSON.stringify(value)).split('\n')
    return [`${printable(key)}: ${first}`, ...indent(rest, 2)]
  })
}

/** The value of a single text argument; else all arguments, as JSON. */
function describeInput(input: Readonly<Record<string, unknown>>): string {
  const values = Object.values(input)
  if (values.length === 0) return ''
  if (typeof values[0] === 'string' && values.length === 1) return values[0]
  return JSON.stringify(input)
}

export function clipped(text: string, width: number): string {
  if (width === Number.POSITIVE_INFINITY || text.length <= width) return text
  return `${[...text].slice(0, Math.max(1, width - 1)).join('')}…`
}

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** A session for the terminal: its facts and its messages, with long results cut. */
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
  const lines = records.flatMap((record) => {
    if (record.type === 'message') return ['', ...showMessage(record.message, paint, width)]
    if (record.type === 'compacted') return ['', paint.dim(`Compacted (${record.reason}).`)]
    if (record.type === 'agent') return ['', paint.dim(`→ ${printable(record.agent)} takes over`)]
    if (record.type === 'resumed') return ['', paint.dim(`Resumed ${record.at}.`)]
    return []
  })
  return [...columns(facts, width), ...lines]
}

/** How a conversation that goes on ended: the last prompt, and what came of it. */
export function showLatest(messages: readonly Message[], paint: Paint, width: number): string[] {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const lines = last < 0 ? [] : messages.slice(last).flatMap((message) => showMessage(message, paint, width))
  if (lines.length <= mostLatest) return lines
  const [beginning, end] = [lines.slice(0, 3), lines.slice(4 - mostLatest)]
  return [...beginning, paint.dim(`… ${lines.length - mostLatest + 1} more lines`), ...end]
}
const mostLatest = 24

function showMessage(message: Message, paint: Paint, width: number): string[] {
  const text = wrap(printable(message.content), width - 2)
  if (message.role === 'user') return [`${paint.cyan('›')} ${text[0]}`, ...indent(text.slice(1), 2)]
  if (message.role === 'system') return text.map(paint.dim)
  if (message.role === 'tool') return showResult(message.content, message.error === true, paint, width)
  const calls = (message.tool_calls ?? []).map((call) => showCall(call, paint, width))
  return [...(message.content === '' ? [] : text), ...calls]
}

/** `8 s`, `2 min 5 s`. */
export function duration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** `80 ms`, `2.2 s`. */
export const took = (milliseconds: number): string =>
  milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`

/** What of each budget is used, a line each. */
export const showBudgets = (budgets: readonly BudgetUse[], paint: Paint): string[] =>
  budgets.map((use) => `${paint.dim('budget')} ${paint[gauge(fullest([use]))](describeUse(use))}`)

/** Yellow well before a limit, and red short of it. */
export const gauge = (share: number): Colour => (share >= 0.9 ? 'red' : share >= 0.75 ? 'yellow' : 'dim')

/** `3 model calls, 1,200 tokens in (800 cached), 90 out, $0.0123`. */
export function showCost({ usage, cost, calls }: { usage: Usage; cost: number | undefined; calls: number }): string {
  const cached = usage.cached_input_tokens ? ` (${usage.cached_input_tokens.toLocaleString('en')} cached)` : ''
  return [
    count(calls, 'model call'),
    ...(usage.input_tokens === undefined ? [] : [`${usage.input_tokens.toLocaleString('en')} tokens in${cached}`]),
    ...(usage.output_tokens === undefined ? [] : [`${usage.output_tokens.toLocaleString('en')} out`]),
    cost === undefined ? 'cost unknown' : `$${cost.toFixed(4)}`,
  ].join(', ')
}
