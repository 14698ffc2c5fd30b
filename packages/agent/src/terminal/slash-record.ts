import {
  columns,
  count,
  describeOpinion,
  eventRow,
  indent,
  type Paint,
  printable,
  showStep,
  stepsOf,
} from 'hookline/internal'
import type { RunRecord } from './record.ts'
import { clipped, duration, oneLine, showBudgets, showCost, took } from './show.ts'
import type { SlashCommand } from './slash-command.ts'

/** `/why`: what each hook answered in the last decision, in the order that counts, and the verdict so far. */
export const why: SlashCommand = {
  doc: 'Explain the last decision of hooks: what each answered, and what came of it.',
  anytime: true,
  run: (_words, { record, say, paint, width }) => say(explainLast(record, paint, width())),
}

function explainLast({ last }: RunRecord, paint: Paint, width: number): string[] {
  if (!last) return ['No hook has decided anything in this session yet.']
  const { verdict, before, hooks, milliseconds } = last
  const { event, reports, decision, halt } = verdict
  const subject = before[eventRow(event).subject.tool ?? '']
  const input = before['tool_input']
  const about = [event, ...(typeof subject === 'string' ? [subject, ...(input ? [JSON.stringify(input)] : [])] : [])]
  const steps = stepsOf(
    { ...verdict, reports: reports.filter(({ hook }) => hooks.some(({ id }) => id === hook)) },
    hooks,
    before,
  )
  const silent = steps.filter(({ report }) => report.outcome === 'no-opinion' || report.outcome === undefined)
  const loud = steps.filter((step) => !silent.includes(step))
  const result = halt ? 'halt' : (decision?.ruling ?? 'rewrite')
  return [
    paint.bold(clipped(printable(oneLine(about.join('  '))), width)),
    ...loud.flatMap((step) => [
      `  ${paint.bold(printable(step.hook))}`,
      ...indent(showStep(step, paint, width - 4), 4),
    ]),
    ...(silent.length > 0 ? [paint.dim(`  ${count(silent.length, 'other hook')} ran without an opinion`)] : []),
    `  ${paint.bold(`Verdict: ${result}`)} ${paint.dim(`(${took(milliseconds)})`)}`,
    ...indent(describeOpinion(effectsOf(verdict)), 4),
  ]
}

function effectsOf({
  event: _event,
  payload: _payload,
  reports: _reports,
  notes: _notes,
  ...effects
}: NonNullable<RunRecord['last']>['verdict']) {
  return effects
}

/** `/stats`: the session in numbers. */
export const stats: SlashCommand = {
  doc: 'The session in numbers: time, tokens, tools, hooks.',
  anytime: true,
  run: (_words, { record, agent, say, paint, width }) =>
    say([
      `${duration(Date.now() - record.began)}, ${count(record.prompts, 'prompt')}, ${showCost(agent.totals)}`,
      ...showBudgets(agent.budgets, paint),
      ...toolLines(record, paint),
      ...hookLines(record, paint, width()),
    ]),
}

function toolLines({ tools }: RunRecord, paint: Paint): string[] {
  if (tools.size === 0) return []
  const head = ['tool', 'calls', 'blocked', 'failed', 'time'].map(paint.dim)
  const rows = [...tools].map(([name, { calls, blocked, failed, milliseconds }]) => [
    printable(name),
    String(calls),
    blocked > 0 ? paint.red(String(blocked)) : '–',
    failed > 0 ? paint.red(String(failed)) : '–',
    took(milliseconds),
  ])
  return ['', ...columns([head, ...rows])]
}

/** The hooks that took longest. */
const mostHooks = 8

function hookLines({ ran, waited }: RunRecord, paint: Paint, width: number): string[] {
  if (ran.size === 0) return ['', 'No hook has run.']
  const all = [...ran].sort(([, one], [, other]) => other.milliseconds - one.milliseconds)
  const head = ['hook', 'ran', 'blocked', 'asked', 'rewrote', 'failed', 'time'].map(paint.dim)
  const number = (times: number) => (times > 0 ? String(times) : '–')
  const rows = all
    .slice(0, mostHooks)
    .map(([id, counts]) => [
      clipped(printable(id), Math.max(16, width - 52)),
      String(counts.times),
      counts.blocked > 0 ? paint.red(String(counts.blocked)) : '–',
      number(counts.asked),
      number(counts.rewrote),
      counts.failed > 0 ? paint.red(String(counts.failed)) : '–',
      took(counts.milliseconds),
    ])
  const more = all.length > mostHooks ? [paint.dim(`and ${count(all.length - mostHooks, 'more hook')}`)] : []
  return ['', ...columns([head, ...rows]), ...more, paint.dim(`Events took ${took(waited)} with their hooks.`)]
}
