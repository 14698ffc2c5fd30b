import {
  type Dialect,
  type Event,
  type EventName,
  type Hook,
  lanesOf,
  type Note,
  stringifyJson,
  type Verdict,
} from '../core/index.ts'
import { loadDialect } from '../dialects/index.ts'
import { createHooks, type Hooks, type HooksOptions } from '../hooks/index.ts'
import type { Approver } from '../trust/index.ts'
import { UsageError } from './command.ts'
import { show } from './commands/dispatch.ts'
import type { Configured } from './configured.ts'
import { stepsOf } from './fold.ts'
import { type Judged, judgeRules } from './rules/explain-rules.ts'
import { type ShownStake, stakesOfCall } from './stakes.ts'
import { type Explained, explainPlan, type Step } from './text/explanation.ts'

/** The question: an event that could happen. */
export interface ExplainedQuestion {
  event: EventName
  payload: Record<string, unknown>
}

export interface RanAll {
  verdict: Verdict
  steps: Step[]
}

/** Everything that is known about an event before it happens; with `ran`, what came of it when hooks ran. */
export interface ExplainedEvent {
  question: ExplainedQuestion
  explained: readonly Explained[]
  judged: Judged
  stakes: readonly ShownStake[]
  ran?: RanAll
  hooks: readonly Hook[]
}

interface Circumstances extends Pick<Configured, 'files' | 'cwd' | 'off'> {
  dialect: Dialect
  trust?: HooksOptions['trust']
  /** Absent: everything is trusted. */
  approver?: Approver | undefined
  /** Let hooks run for real; those that are not approved make it a mistake. */
  run: boolean
  onNote(note: Note): void
}

/** Rules and our own guards decide, as they leave nothing behind; nothing else runs unless it is to. */
export async function explainEvent(
  question: ExplainedQuestion,
  { files, cwd, off, dialect, trust, approver, run, onNote }: Circumstances,
): Promise<ExplainedEvent> {
  const hooks = await createHooks({ ...(trust && { trust }), files, cwd, off, journal: false, onNote })
  try {
    for (const note of hooks.notes) onNote(note)
    const plans = plansOf(hooks, dialect, question)
    const planned = plans.flatMap(explainPlan)
    const judged = await judgeRules(plans, cwd, trust)
    const stakes = await stakesOfCall(plans[0]?.event.payload ?? {}, cwd)
    const explained = approver ? await withTrust(planned, question, cwd, approver) : planned
    if (run) refuseUnapproved(explained)
    const ran = run ? await runAll(hooks, dialect, question) : undefined
    return { question, explained, judged, stakes, ...(ran && { ran }), hooks: hooks.hooks }
  } finally {
    await hooks.close()
  }
}

/** In the order in which they run: one payload may run the hooks of several events. */
function plansOf(hooks: Hooks, dialect: Dialect, { event, payload }: ExplainedQuestion): ReturnType<Hooks['plan']>[] {
  return lanesOf(dialect, event).map((name) => hooks.plan(name, payload as never, { dialect }))
}

export const planAll = (hooks: Hooks, dialect: Dialect, question: ExplainedQuestion): Explained[] =>
  plansOf(hooks, dialect, question).flatMap(explainPlan)

/** A hook that matches but is not approved would fail instead of run. */
async function withTrust(
  planned: readonly Explained[],
  question: ExplainedQuestion,
  cwd: string,
  approver: Approver,
): Promise<Explained[]> {
  const { placeOf } = await import('../trust/index.ts')
  return Promise.all(
    planned.map(async (each) => {
      if (!each.asked) return each
      const { event: name, payload } = question
      const event = { name, payload: { cwd, ...payload }, depth: 0, synthetic: true } as unknown as Event
      const checked = approver.check(
        each.hook,
        placeOf(each.hook, event, await loadDialect(each.hook.dialect), each.executor),
      )
      return checked.trusted ? each : { ...each, untrusted: { detail: checked.detail, remedy: checked.remedy } }
    }),
  )
}

/** What was seen would be the failure of those that may not run, and nothing of what they do. */
function refuseUnapproved(explained: readonly Explained[]): void {
  const ids = explained.flatMap(({ hook, untrusted }) => (untrusted ? [hook.id] : []))
  if (ids.length === 0) return
  const [they, them] = ids.length === 1 ? ['is', 'it'] : ['are', 'them']
  throw new UsageError(
    `\`--run\` runs hooks, and ${ids.join(', ')} ${they} not approved. Approve ${them} with \`hookline approve\`, or add \`--trust all\` if you trust these files.`,
  )
}

async function runAll(hooks: Hooks, dialect: Dialect, { event, payload }: ExplainedQuestion): Promise<RanAll> {
  const verdict = await hooks.raise(event, payload as never, { synthetic: true, dialect })
  return { verdict, steps: stepsOf(verdict, hooks.hooks, payload) }
}

export function explanationAsJson({ question, explained, judged, stakes, ran }: ExplainedEvent) {
  const { event, payload } = question
  const { actions, rules, foreseen } = judged
  const stages = [...new Set(explained.filter(({ asked }) => asked).map(({ stage }) => stage))].sort((a, b) => a - b)
  return {
    event,
    payload,
    ...(actions && { actions: actions.actions, complete: actions.complete }),
    at_stake: stakes,
    ...(rules && {
      rules: rules.rules.map(({ rule, ruling, layer, where = null, match }) => ({
        ...{ id: rule.id, ruling, layer, where, match },
      })),
      rules_decision: rules.verdict.decision ?? null,
    }),
    ...(foreseen && { foreseen: { decision: foreseen.verdict.decision ?? null, by: foreseen.by } }),
    stages: stages.map((stage) =>
      explained.filter((each) => each.asked && each.stage === stage).map(({ hook }) => hook.id),
    ),
    hooks: explained.map(({ hook, stage, asked, why = null, detail = null, untrusted = null, tests }) => ({
      id: hook.id,
      event: hook.event,
      type: hook.run.type,
      dialect: hook.dialect,
      layer: hook.origin.layer,
      where: hook.origin.where ?? null,
      stage,
      mode: hook.mode,
      asked,
      why,
      detail,
      untrusted,
      matcher: tests,
    })),
    ...(ran && { fold: foldAsJson(ran.steps), verdict: show(ran.verdict, []) }),
  }
}

/** What each hook answered, and the verdict so far, step by step. */
export const foldAsJson = (steps: readonly Step[]) =>
  steps.map(({ hook, report, soFar }) => ({
    hook,
    outcome: report.outcome ?? null,
    said: report.opinion ?? null,
    ...(report.rules && { rules: report.rules }),
    ...(report.actions && { actions: report.actions }),
    failure: report.failure ?? null,
    counts: report.shadow !== true,
    so_far: soFar,
  }))

/** The same for what is foreseen: hooks that leave nothing behind have answered already. */
export const foreseenSteps = ({ question, judged, ran, hooks }: ExplainedEvent): readonly Step[] =>
  ran?.steps ?? (judged.foreseen ? stepsOf(judged.foreseen.verdict, hooks, question.payload) : [])

export const explanationAsText = (event: ExplainedEvent): string => stringifyJson(explanationAsJson(event))
