import {
  eventRow,
  events,
  isRecord,
  type Outcome,
  plainText,
  problems,
  skipReasons,
  stringifyJson,
} from '../../core/index.ts'
import { type Entry, type HookEntry, whatIsMissing } from '../../journal/index.ts'
import { describeOpinion } from './explanation.ts'
import { printable } from './inspection.ts'
import { breadth, columns, indent, wrap } from './layout.ts'
import type { Colour, Paint } from './paint.ts'

const shown: Record<Outcome, { word: string; colour: Colour }> = {
  allow: { word: 'allow', colour: 'green' },
  ask: { word: 'ask', colour: 'yellow' },
  deny: { word: 'deny', colour: 'red' },
  halt: { word: 'halt', colour: 'red' },
  failure: { word: 'failure', colour: 'red' },
  'no-opinion': { word: 'none', colour: 'dim' },
}

export const wordFor = (outcome: Outcome): string => shown[outcome]?.word ?? outcome

export const paintOutcome = (outcome: Outcome, paint: Paint, width = 0): string =>
  paint[shown[outcome]?.colour ?? 'dim'](wordFor(outcome).padEnd(width))

/** One dispatch on one line: when, its number, the verdict, what it was about, who decided, and how long it took. */
export function entryLine(entry: Entry, paint: Paint, width: number): string {
  const isWide = width === Number.POSITIVE_INFINITY
  const time = isWide ? entry.time : clockOf(entry.time)
  const head = [
    paint.dim(time),
    paint.dim(idOf(entry).padStart(6)),
    paintOutcome(entry.outcome, paint, 5),
    entry.event.padEnd(13),
  ].join('  ')
  const tail = [remarkOn(entry, paint), entry.duration_ms === undefined ? '' : paint.dim(millis(entry.duration_ms))]
    .filter((part) => part !== '')
    .join('  ')
  const room = width - breadth(head) - breadth(tail) - 4
  const about = cut(subjectOf(entry), isWide ? 200 : Math.max(8, room))
  const filled = isWide ? about : about + ' '.repeat(Math.max(0, room - breadth(about)))
  return [head, filled, tail]
    .filter((part) => part !== '')
    .join('  ')
    .trimEnd()
}

/** The day on which an entry was written, as it is here. */
export function dayOf(time: string): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime())
    ? time
    : date.toLocaleDateString('en-CA', { weekday: 'long', year: 'numeric', month: '2-digit', day: '2-digit' })
}

export const idOf = ({ seq }: Entry): string => (seq === undefined ? '–' : `#${seq}`)

export const millis = (ms: number): string =>
  ms >= 10_000 ? `${(ms / 1000).toFixed(1)} s` : ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`

/** What it was about: the tool and what it was to do, or what the event says of itself. */
export function subjectOf(entry: Entry): string {
  const payload = isRecord(entry.payload) ? entry.payload : {}
  const row = Object.hasOwn(events, entry.event) ? eventRow(entry.event) : undefined
  const args = row?.subject.args === undefined ? undefined : payload[row.subject.args]
  const own = Object.keys(row?.fields ?? {}).filter(
    (field) => field !== row?.subject.tool && field !== row?.subject.args,
  )
  const parts = [entry.tool_name, gistOf(args) ?? own.map((field) => gistOf(payload[field])).find(Boolean)]
  return oneLine(parts.filter((part) => part !== undefined && part !== '').join('  '))
}

/** The first text in it, which distinguishes one call from another: a command, a path, an address. */
export function gistOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.length > 0 ? stringifyJson(value) : undefined
  if (!isRecord(value)) return undefined
  if (value['clipped'] === true) return `${plainText(value['head'])}…`
  const texts = Object.values(value).map((each) =>
    typeof each === 'string' || isRecord(each) ? gistOf(each) : undefined,
  )
  return texts.find((text) => text !== undefined) ?? (Object.keys(value).length > 0 ? stringifyJson(value) : undefined)
}

/** What would have come of a hook that only watches. */
const wouldOf = ({ outcome, failure, opinion }: HookEntry): string =>
  failure === undefined ? outcome! : opinion?.decision?.ruling === 'deny' || opinion?.halt ? 'fail, and block' : 'fail'

/** Which hook decided, whose failure counted or was ignored, and what else happened. */
export function remarkOn(entry: Entry, paint: Paint): string {
  const counting = entry.hooks.filter(({ asked, shadow }) => asked && !shadow)
  const failed = counting.filter(({ failure }) => failure !== undefined)
  const deciding = counting.filter((hook) => decidedBy(hook, entry))
  const would = entry.hooks.filter(({ shadow, outcome }) => shadow && outcome !== undefined && outcome !== 'no-opinion')
  const parts = [
    ...deciding.flatMap(({ id, failure, rules }) =>
      failure ? [paint.red(printable(`${id} failed (${failure.kind})`))] : [printable(rules?.[0] ?? id)],
    ),
    ...failed
      .filter((hook) => !deciding.includes(hook))
      .map(({ id, failure }) => paint.yellow(printable(`${id} failed (${failure?.kind}), ignored`))),
    ...would.map((hook) => paint.dim(printable(`${hook.rules?.[0] ?? hook.id} would ${wouldOf(hook)}`))),
    ...(entry.rewrite ? [paint.cyan('rewritten')] : []),
    ...(entry.context ? [paint.dim('context')] : []),
    ...(entry.synthetic ? [paint.dim('trial')] : []),
    ...(entry.lost ? [paint.red(`${entry.lost} lost before`)] : []),
  ]
  const [first, second, ...rest] = parts
  const shown = [first, second].filter((part) => part !== undefined).join(', ')
  return rest.length > 0 ? `${shown} +${rest.length}` : shown
}

export function decidedBy({ opinion }: HookEntry, { decision, halt }: Pick<Entry, 'decision' | 'halt'>): boolean {
  if (halt) return opinion?.halt !== undefined
  return decision !== undefined && opinion?.decision?.ruling === decision.ruling
}

export function clockOf(time: string): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? time : date.toTimeString().slice(0, 8)
}

export const oneLine = (text: string): string => printable(text.slice(0, 2000).replace(/\s+/g, ' ').trim())

export const cut = (text: string, width: number): string =>
  breadth(text) > width ? `${[...text].slice(0, Math.max(0, width - 1)).join('')}…` : text

/** Everything that is known of one dispatch. */
export function entryInFull(entry: Entry, paint: Paint, width: number): string[] {
  const { decision, halt, rewrite, metadata, context = 0, messages = 0 } = entry
  const verdict = describeOpinion({
    ...(halt && { halt }),
    ...(decision && { decision }),
    ...(rewrite && { rewrite }),
    ...(metadata && { metadata }),
  })
  const rows = [
    ['when', `${entry.time}${entry.duration_ms === undefined ? '' : `, in ${millis(entry.duration_ms)}`}`],
    ...given('session', entry.session_id),
    ...given('turn', entry.turn_id),
    ...given('agent', entry.agent_name),
    ...given('call', entry.call_id ?? entry.tool_use_id),
    ...given('host', entry.host && [entry.host.name, entry.host.version].filter(Boolean).join(' ')),
    ...given('project', entry.project),
    ...given('rules', entry.rules?.join(', ')),
    ...given('rerun', entry.rerun && 'hooks ran again, because others rewrote what they had judged'),
    [
      'dispatch',
      `${entry.dispatch}, generation ${entry.generation} of the config${entry.synthetic ? ', a trial' : ''}`,
    ],
    ...given('lost', entry.lost === undefined ? undefined : `${entry.lost} entries before this one were not written`),
  ]
  const extra = [...(context > 0 ? [`${context} × context`] : []), ...(messages > 0 ? [`${messages} × message`] : [])]
  return [
    `${paint.bold(idOf(entry))}  ${paint.bold(entry.event)}  ${paintOutcome(entry.outcome, paint)}`,
    ...indent(
      columns(
        rows.map((row) => row.map(printable)),
        width - 2,
      ),
      2,
    ),
    ...block('Verdict', [...verdict, ...extra].length > 0 ? [...verdict, ...extra] : ['no opinion'], paint, width),
    ...block('This would', (entry.actions ?? []).map(printable), paint, width),
    ...hooksInFull(entry, paint, width),
    ...block('Notes', entry.notes.map(noteLine), paint, width),
    ...block('Payload', payloadLines(entry.payload), paint, Number.POSITIVE_INFINITY),
  ]
}

function hooksInFull({ hooks }: Entry, paint: Paint, width: number): string[] {
  if (hooks.length === 0) return ['', paint.bold('Hooks'), '  none ran']
  return [
    '',
    paint.bold('Hooks'),
    ...hooks.flatMap((hook) => [
      `  ${titleOf(hook, paint)}`,
      ...indent(
        saidBy(hook).flatMap((line) => wrap(line, width - 4)),
        4,
      ),
    ]),
  ]
}

function titleOf(
  { id, asked, outcome = 'no-opinion', skipped, shadow, background, duration_ms, stage }: HookEntry,
  paint: Paint,
): string {
  const state = asked
    ? background && outcome === 'no-opinion'
      ? paint.dim('ran in the background')
      : paintOutcome(outcome, paint)
    : paint.dim(`did not run: ${skipped ? skipReasons[skipped] : 'no reason given'}`)
  const took = duration_ms === undefined ? [] : [paint.dim(millis(duration_ms))]
  const marks = [...(stage === 0 ? [] : [`stage ${stage}`]), ...(shadow ? ['shadow: it did not count'] : [])]
  return [paint.bold(printable(id)), state, ...took, ...marks.map(paint.dim)].join('  ')
}

function saidBy({ opinion = {}, failure, rules = [], exit, bytes }: HookEntry): string[] {
  const wire = [
    ...(exit === undefined ? [] : [`exit ${exit}`]),
    ...(bytes ? [`${bytes.stdin} bytes in, ${bytes.stdout} out, ${bytes.stderr} of errors`] : []),
  ]
  return [
    ...(failure ? [printable(`failed (${failure.kind}): ${failure.detail}`)] : []),
    ...describeOpinion(opinion),
    ...(rules.length > 0 ? [printable(`by ${rules.join(', ')}`)] : []),
    ...(wire.length > 0 ? [wire.join(', ')] : []),
  ]
}

function noteLine({ code, hook }: Entry['notes'][number]): string {
  const known = Object.hasOwn(problems, code) ? `; see \`hookline docs ${code}\`` : ''
  return printable(`${code}${hook === undefined ? '' : ` (${hook})`}${known}`)
}

function payloadLines(payload: unknown): string[] {
  if (payload === undefined) return ['was not kept']
  const missing = whatIsMissing(payload).map((what) => `(${what})`)
  return [...missing, ...printable(prettyJson(payload)).split('\n')]
}

function prettyJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2)
  } catch {
    return stringifyJson(value)
  }
}

function block(title: string, lines: readonly string[], paint: Paint, width: number): string[] {
  if (lines.length === 0) return []
  return [
    '',
    paint.bold(title),
    ...indent(
      lines.flatMap((line) => wrap(line, width - 2)),
      2,
    ),
  ]
}

const given = (label: string, value: string | undefined): string[][] => (value === undefined ? [] : [[label, value]])
