import {
  type Event,
  type Executor,
  effectNames,
  formatWhere,
  type Hook,
  type MatchTest,
  type Opinion,
  type Report,
  stringifyJson,
  type TextTest,
} from '../../core/index.ts'
import { type Plan, type PlanEntry, type ReadyHook, seenBy } from '../../engine/index.ts'
import { printable } from './inspection.ts'
import { columns, indent, wrap } from './layout.ts'
import type { Colour, Paint } from './paint.ts'

/** One test of a matcher, and what it met. */
export interface Tested {
  looks_at: string
  for: string
  saw: readonly string[]
  passes: boolean
}

export interface Explained {
  hook: Hook
  executor: Executor
  stage: number
  asked: boolean
  why?: string
  detail?: string
  /** It matches, but is not approved: it would fail instead of run. */
  untrusted?: { detail: string; remedy: string }
  tests: readonly Tested[]
}

/** One step of the fold: what a hook answered, and the verdict so far. */
export interface Step {
  hook: string
  report: Report
  soFar: Opinion
}

export function explainPlan({ entries, event }: Plan & { event: Event }): Explained[] {
  return entries.map(({ ready, skipped }: PlanEntry) => ({
    hook: ready.hook,
    executor: ready.executor,
    stage: ready.hook.stage,
    asked: skipped === undefined,
    ...(skipped && { why: skipped.reason, detail: skipped.detail }),
    tests: testsOf(ready, event),
  }))
}

function testsOf({ hook, dialect, tests }: ReadyHook, event: Event): Tested[] {
  const { payload, seen } = seenBy(dialect, event)
  return tests.map((test, at) => ({
    ...inWords(hook.matcher[at]!),
    saw: test.saw(payload, seen),
    passes: test.passes(payload, seen),
  }))
}

export function showAsked(
  { hook, untrusted, tests }: Explained,
  paint: Paint,
  width: number,
  outcome?: string,
): string[] {
  const modes = [hook.mode === 'shadow' ? ['shadow'] : [], hook.background ? ['background'] : []].flat()
  const decides = outcome === undefined ? [] : [paint[colours[outcome] ?? 'dim'](foreseen[outcome] ?? 'no opinion')]
  const title = [
    paint.bold(hook.id),
    hook.run.type,
    ...modes.map(paint.yellow),
    paint.dim(placeOf(hook)),
    ...decides,
  ].join('  ')
  const trust = untrusted ? wrap(printable(`would not run: ${untrusted.detail}`), width - 2).map(paint.yellow) : []
  return [title, ...indent([...showTests(tests, paint, width - 2), ...trust], 2)]
}

export function showSkipped({ hook, why, detail, tests }: Explained, paint: Paint, width: number): string[] {
  const failed = tests.filter(({ passes }) => !passes)
  const title = [paint.bold(hook.id), hook.run.type, paint.dim(placeOf(hook))].join('  ')
  const reason = why === 'matcher' && failed.length > 0 ? [] : [detail ?? '']
  return [title, ...indent([...reason, ...showTests(tests, paint, width - 2)], 2)]
}

function showTests(tests: readonly Tested[], paint: Paint, width: number): string[] {
  const rows = tests.map(({ looks_at: what, for: wanted, saw, passes }) => [
    passes ? paint.green('✔') : paint.red('✖'),
    what,
    printable(wanted),
    `saw ${saw.length === 0 ? 'nothing' : saw.map((value) => short(JSON.stringify(value))).join(', ')}`,
  ])
  return columns(rows, width)
}

export function showStep({ report, soFar }: Step, paint: Paint, width: number): string[] {
  const { outcome, opinion = {}, failure, shadow, durationMs = 0, times, rules = [], actions = [] } = report
  const took = paint.dim(`${durationMs.toFixed(1)} ms${times ? `, ran ${times} times` : ''}`)
  const failed = failure ? [printable(`failed (${failure.kind}): ${failure.detail}`)] : []
  const answered = [
    ...describeOpinion(opinion),
    ...(rules.length > 0 ? [printable(`by ${rules.join(', ')}`)] : []),
    ...(actions.length > 0 ? [printable(`this would ${actions.join(', ')}`)] : []),
  ]
  return [
    `${paint[colours[outcome ?? 'no-opinion'] ?? 'dim'](`${answers[outcome ?? 'no-opinion'] ?? 'answered'}`)}  ${took}`,
    ...indent(
      [...failed, ...answered].flatMap((line) => wrap(line, width - 2)),
      2,
    ),
    shadow ? paint.dim('in shadow mode: it does not count') : `so far: ${summarise(soFar)}`,
  ]
}

/** What a hook did, by its outcome. */
const answers: Readonly<Record<string, string>> = {
  deny: 'denied',
  halt: 'halted',
  ask: 'asked',
  allow: 'allowed',
  failure: 'failed',
  'no-opinion': 'no opinion',
}

/** What a hook would do, by its outcome. */
const foreseen: Readonly<Record<string, string>> = {
  deny: '✗ blocks',
  halt: '✗ halts',
  ask: '? asks',
  allow: '✓ allows',
  failure: '✗ fails',
}

const colours: Readonly<Record<string, Colour>> = {
  deny: 'red',
  halt: 'red',
  failure: 'red',
  ask: 'yellow',
  allow: 'green',
}

/** What an opinion or a verdict holds, one line for each effect. */
export function describeOpinion(opinion: Opinion): string[] {
  return effectNames.flatMap((name) => (opinion[name] === undefined ? [] : [printable(describeEffect(name, opinion))]))
}

function describeEffect(name: keyof Opinion, { decision, halt, rewrite, ...rest }: Opinion): string {
  if (name === 'decision' && decision) return `${decision.ruling}${decision.reason ? `: ${decision.reason}` : ''}`
  if (name === 'halt' && halt) return `halt${halt.reason ? `: ${halt.reason}` : ''}`
  if (name === 'rewrite' && rewrite) return `rewrite (${rewrite.mode}): ${short(stringifyJson(rewrite.value))}`
  const value = rest[name as keyof typeof rest]
  return `${name}: ${Array.isArray(value) ? value.map(short).join(' · ') : stringifyJson(value)}`
}

export function summarise({ decision, halt, ...rest }: Opinion): string {
  const parts = [...(halt ? ['halt'] : []), ...(decision ? [decision.ruling] : []), ...Object.keys(rest)]
  return parts.length === 0 ? 'no opinion' : parts.join(', ')
}

const placeOf = ({ origin }: Hook) => (origin.where ? formatWhere(origin.where) : origin.layer)

function inWords({ facet, path, test, negate }: MatchTest): Pick<Tested, 'looks_at' | 'for'> {
  const steps = (path ?? []).map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
  return { looks_at: `${facet}${steps.join('')}`, for: `${negate ? 'not ' : ''}${describeTest(test)}` }
}

function describeTest(test: TextTest): string {
  if ('any' in test) return 'anything'
  if ('regex' in test) return test.whole ? `/^(?:${test.regex})$/` : `/${test.regex}/`
  return [...test.names, ...(test.prefixes ?? []).map((prefix) => `${prefix}*`)].join('|')
}

const longest = 100
const short = (text: string) => printable(text.length > longest ? `${text.slice(0, longest - 1)}…` : text)
