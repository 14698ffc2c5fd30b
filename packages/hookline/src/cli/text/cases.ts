import { formatWhere, type Note, stringifyJson } from '../../core/index.ts'
import type { Coverage } from '../cases/coverage.ts'
import type { Outcome, Session, Taken } from '../cases/run.ts'
import { milliseconds } from '../doctor/examine.ts'
import { describeMatcher, placeOf, printable } from './inspection.ts'
import { columns, count, indent, wrap } from './layout.ts'
import type { Paint } from './paint.ts'
import { showProblem } from './problems.ts'

/** One line for each case; below those that failed, what was given, expected and got. */
export function showSession({ outcomes, problems }: Session, paint: Paint, width: number): string[] {
  if (problems.length > 0) return problems.flatMap((problem) => showProblem(problem, 'error', paint, width))
  const failed = outcomes.filter(({ ok }) => !ok)
  const took = outcomes.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const parts = [`${outcomes.length - failed.length} passed`, ...(failed.length > 0 ? [`${failed.length} failed`] : [])]
  const sign = failed.length > 0 ? paint.red('✖') : paint.green('✔')
  return [
    ...outcomes.flatMap((outcome) => [title(outcome, paint), ...indent(details(outcome, paint, width - 4), 4)]),
    '',
    `${sign} ${count(outcomes.length, 'case')}: ${parts.join(', ')}. ${paint.dim(milliseconds(took))}`,
    ...unapproved(outcomes, paint, width),
  ]
}

function title({ case: { name, where }, ok, durationMs, steps }: Outcome, paint: Paint): string {
  const rules = steps.at(-1)?.rules ?? []
  const by = rules.length > 0 ? `${steps.at(-1)?.verdict.decision?.ruling} by ${printable(rules.join(', '))}, ` : ''
  if (ok) return `${paint.green('✔')} ${printable(name)}  ${paint.dim(by + milliseconds(durationMs))}`
  return `${paint.red('✖')} ${paint.bold(printable(name))}  ${paint.dim(formatWhere(where))}`
}

function details({ ok, steps, problem, case: { steps: all } }: Outcome, paint: Paint, width: number): string[] {
  if (ok) return []
  if (problem) return [...wrapped(problem.message, width), ...wrapped(`→ ${problem.remedy}`, width).map(paint.dim), '']
  const step = steps.at(-1)!
  const which = all.length > 1 ? [`step ${steps.length} of ${all.length}`] : []
  return [...which, ...showStep(step, paint, width), '']
}

function showStep({ question: { event, payload }, verdict, mismatches }: Taken, paint: Paint, width: number): string[] {
  const { session_id: _session, cwd: _cwd, project_dir: _project, ...given } = payload
  const rows = [
    [' ', 'given', `${event}  ${short(stringifyJson(given))}`],
    ...mismatches.flatMap(({ key, expected, got }) => [
      ...lines(expected).map((line) => [paint.green('-'), paint.green(key), paint.green(printable(line))]),
      ...lines(got).map((line) => [paint.red('+'), paint.red(key), paint.red(printable(line))]),
    ]),
    ...verdict.reports.map(({ hook, asked, outcome, skipped, rules = [] }) => {
      const by = rules.length > 0 ? ` (${rules.join(', ')})` : ''
      const came = asked ? `${outcome}${by}` : `skipped, ${skipped?.detail}`
      return [' ', paint.dim('hook'), paint.dim(printable(`${hook}: ${came}`))]
    }),
  ]
  return columns(rows, width)
}

/** Many hooks that nobody approved have one remedy. */
function unapproved(outcomes: readonly Outcome[], paint: Paint, width: number): string[] {
  const reports = outcomes.flatMap(({ steps }) => steps.flatMap(({ verdict }) => verdict.reports))
  const ids = new Set(reports.filter(({ failure }) => failure?.kind === 'untrusted').map(({ hook }) => hook))
  if (ids.size === 0) return []
  const what = `${[...ids].join(', ')}: not approved, so ${ids.size === 1 ? 'it' : 'they'} did not run.`
  const remedy = '→ Approve with `hookline approve`, or trust these files: `hookline test --trust all`.'
  return [...wrapped(what, width), ...wrapped(remedy, width).map(paint.dim)]
}

/** Which hooks no case runs, which rules no case meets, and which tests of matchers no case sees match, or not match. */
export function showCoverage({ percent, hooks, rules, tests }: Coverage, paint: Paint, width: number): string[] {
  const [allHooks, allRules] = [hooks.asked.length + hooks.never.length, rules.matched.length + rules.never.length]
  const ran = [
    ...(allHooks > 0 || allRules === 0 ? [`${hooks.asked.length} of ${count(allHooks, 'hook')} run`] : []),
    ...(allRules > 0 ? [`${rules.matched.length} of ${count(allRules, 'rule')} matched`] : []),
  ].join(', ')
  const all = tests.both + tests.gaps.length
  const both = all === 0 ? '' : `, ${tests.both} of ${count(all, 'test')} of matchers seen both to match and not to`
  const never = new Set(hooks.never)
  const rows = [
    ...hooks.never.map((hook) => ['never run', printable(hook.id), paint.dim(placeOf(hook))]),
    ...rules.never.map(({ rule, where }) => [
      'never matched',
      printable(rule.id),
      paint.dim(where ? formatWhere(where) : ''),
    ]),
    ...tests.gaps
      .filter(({ hook }) => !never.has(hook))
      .map(({ hook, test, never: what }) => [`never ${what}`, printable(hook.id), printable(describeMatcher([test]))]),
  ]
  return [`Coverage ${percent} %: ${ran}${both}.`, ...indent(columns(rows, width - 2), 2)]
}

export function jsonOfSession({ outcomes, coverage, problems }: Session, ok: boolean) {
  const { percent, hooks, rules, tests } = coverage
  return {
    ok,
    passed: outcomes.filter((outcome) => outcome.ok).length,
    failed: outcomes.filter((outcome) => !outcome.ok).length,
    problems: problems.map(jsonOfNote),
    cases: outcomes.map((outcome) => ({
      name: outcome.case.name,
      file: outcome.case.file,
      line: outcome.case.where.line ?? null,
      ok: outcome.ok,
      duration_ms: Math.round(outcome.durationMs * 1000) / 1000,
      problem: outcome.problem ? jsonOfNote(outcome.problem) : null,
      steps: outcome.steps.map(({ question: { event, payload }, mismatches, verdict, rules: decided }) => ({
        event,
        payload,
        decision: verdict.decision?.ruling ?? null,
        rules: decided,
        mismatches,
        reports: verdict.reports.map(({ hook, asked, outcome, skipped, failure, rules: matched = [] }) => ({
          hook,
          asked,
          outcome: outcome ?? null,
          rules: matched,
          skipped: skipped?.detail ?? null,
          failure: failure ?? null,
        })),
      })),
    })),
    coverage: {
      percent,
      hooks: { asked: hooks.asked.map(({ id }) => id), never: hooks.never.map(({ id }) => id) },
      rules: { matched: rules.matched.map(({ rule }) => rule.id), never: rules.never.map(({ rule }) => rule.id) },
      matchers: tests.gaps.map(({ hook, test, never }) => ({ hook: hook.id, test: describeMatcher([test]), never })),
    },
  }
}

const jsonOfNote = ({ code, message, remedy, where }: Note) => ({
  code,
  message,
  remedy,
  where: where ? formatWhere(where) : null,
})

const wrapped = (text: string, width: number) => wrap(printable(text), width)
const lines = (text: string) => text.split('\n')
const short = (text: string) => printable(text.length > 300 ? `${text.slice(0, 299)}…` : text)
