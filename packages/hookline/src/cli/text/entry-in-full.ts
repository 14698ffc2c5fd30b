import { problems, skipReasons, stringifyJson } from '../../core/index.ts'
import { type Entry, type HookEntry, whatIsMissing } from '../../journal/index.ts'
import { idOf, millis, paintOutcome } from './entries.ts'
import { describeOpinion } from './explanation.ts'
import { printable } from './inspection.ts'
import { columns, indent, wrap } from './layout.ts'
import type { Paint } from './paint.ts'

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
    ...given('call', entry.tool_use_id),
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
    ...hooksInFull(entry, paint, width),
    ...block('Notes', entry.notes.map(noteLine), paint, width),
    ...block('Payload', payloadLines(entry.payload), paint, Number.POSITIVE_INFINITY),
  ]
}

function hooksInFull({ hooks }: Entry, paint: Paint, width: number): string[] {
  if (hooks.length === 0) return ['', paint.bold('Hooks'), '  none was asked']
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
      ? paint.dim('asked in the background')
      : paintOutcome(outcome, paint)
    : paint.dim(`not asked: ${skipped ? skipReasons[skipped] : 'no reason told'}`)
  const took = duration_ms === undefined ? [] : [paint.dim(millis(duration_ms))]
  const marks = [...(stage === 0 ? [] : [`stage ${stage}`]), ...(shadow ? ['shadow: it did not count'] : [])]
  return [paint.bold(printable(id)), state, ...took, ...marks.map(paint.dim)].join('  ')
}

function saidBy({ opinion = {}, failure, exit, bytes }: HookEntry): string[] {
  const wire = [
    ...(exit === undefined ? [] : [`exit ${exit}`]),
    ...(bytes ? [`${bytes.stdin} bytes in, ${bytes.stdout} out, ${bytes.stderr} of errors`] : []),
  ]
  return [
    ...(failure ? [printable(`failed (${failure.kind}): ${failure.detail}`)] : []),
    ...describeOpinion(opinion),
    ...(wire.length > 0 ? [wire.join(', ')] : []),
  ]
}

function noteLine({ code, hook }: Entry['notes'][number]): string {
  const known = Object.hasOwn(problems, code) ? `; \`hookline docs ${code}\` says more` : ''
  return printable(`${code}${hook === undefined ? '' : ` (${hook})`}${known}`)
}

function payloadLines(payload: unknown): string[] {
  if (payload === undefined) return ['was not kept']
  const said = whatIsMissing(payload).map((what) => `(${what})`)
  return [...said, ...printable(prettyJson(payload)).split('\n')]
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
