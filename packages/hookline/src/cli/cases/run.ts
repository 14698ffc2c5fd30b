import { dirname, resolve } from 'node:path'
import { didYouMean, type Hook, HooklineError, type Note, note, settingLayers, type Verdict } from '../../core/index.ts'
import { loadDialect } from '../../dialects/index.ts'
import { createExecutors } from '../../executors/index.ts'
import { createHooks, type Hooks, type HooksOptions } from '../../hooks/index.ts'
import { pinnedBy, placeOf } from '../../trust/index.ts'
import type { Invocation } from '../command.ts'
import { configured } from '../configured.ts'
import { planAll } from '../explain-event.ts'
import { imagined } from '../inspect-hooks.ts'
import { type Coverage, makeTally, type Tally } from './coverage.ts'
import { judge, type Mismatch, type Question, questionOf, raise } from './judge.ts'
import { type Case, type CaseFile, findCaseFiles, projectOf, readCases, type Step } from './read.ts'
import { decidingRules, rulesOf } from './rules.ts'

/** A step that was taken. */
export interface Taken {
  question: Question
  verdict: Verdict
  /** The rules that decided, by id. */
  rules: readonly string[]
  mismatches: Mismatch[]
}

export interface Outcome {
  case: Case
  ok: boolean
  durationMs: number
  steps: Taken[]
  /** Why it could not be played to its end: the payload is none. */
  problem?: Note
}

export interface Session {
  outcomes: Outcome[]
  coverage: Coverage
  problems: Note[]
  notes: Note[]
  /** Everything it rests on: cases, configs, and what the hooks run. */
  files: string[]
}

export interface Play {
  invocation: Invocation
  trust: Pick<HooksOptions, 'trust'>
  /** Which cases, by name. */
  filter: string | undefined
  signal: AbortSignal
  progress?(done: number, of: number): void
}

/** Reads all cases, plays them one after the other, and counts what they exercise. */
export async function playCases(play: Play): Promise<Session> {
  const { invocation } = play
  const cwd = invocation.values['cwd'] === undefined ? process.cwd() : resolve(String(invocation.values['cwd']))
  const names = invocation.positionals.length > 0 ? [...invocation.positionals] : findCaseFiles(cwd)
  const files = await Promise.all(names.map(readCases))
  const session: Session = {
    outcomes: [],
    coverage: makeTally().sum([]),
    problems: files.flatMap(({ problems }) => problems),
    notes: [],
    files: [...names],
  }
  if (session.problems.length > 0) return session
  const wanted = files.map((file) => ({ ...file, cases: file.cases.filter(({ name }) => isMeant(name, play.filter)) }))
  const count = wanted.reduce((sum, { cases }) => sum + cases.length, 0)
  const tally = makeTally()
  const hooks: Hook[] = []
  for (const file of wanted) await playFile(file)
  session.coverage = tally.sum(hooks)
  return session

  async function playFile(file: CaseFile): Promise<void> {
    if (file.cases.length === 0) return
    const options = await hooksOf(file, invocation)
    session.files.push(...options.files.map((config) => config.file))
    const set = await createHooks({
      ...options,
      ...play.trust,
      journal: false,
      onNote: (note) => session.notes.push(note),
    }).catch(problemsOf)
    if (Array.isArray(set)) {
      session.problems.push(...set)
      return
    }
    try {
      hooks.push(...set.hooks)
      session.notes.push(...set.notes)
      session.files.push(...(await scriptsOf(set.hooks, options.cwd)))
      session.problems.push(...file.cases.flatMap((each) => unknownIds(each, set.hooks)))
      if (session.problems.length > 0) return
      for (const each of file.cases) {
        if (play.signal.aborted) return
        session.outcomes.push(await playCase(each, set, options.cwd, tally, play.signal))
        play.progress?.(session.outcomes.length, count)
      }
    } finally {
      await set.close()
    }
  }
}

function problemsOf(error: unknown): Note[] {
  if (error instanceof HooklineError) return [...error.notes]
  throw error
}

const isMeant = (name: string, filter = ''): boolean => name.toLowerCase().includes(filter.toLowerCase())

/**
 * The hooks that a file of cases is about, switched off or not: those it names, else those of its project. The person's
 * own are not among them: what a case shows must not depend on who plays it.
 */
async function hooksOf({ file, config }: CaseFile, { values, errors }: Invocation) {
  const named = config?.map((each) => resolve(dirname(file), each))
  const given = values['config'] ?? named
  const chosen = { ...values, cwd: values['cwd'] ?? projectOf(file), ...(given && { config: given }) }
  const { files, cwd } = await configured({ values: chosen, errors }, [], { only: true, quiet: true })
  const shared = files.filter(({ layer }) => !settingLayers.has(layer))
  return { cwd, files: given === undefined && shared.length > 0 ? shared : files }
}

async function playCase(each: Case, hooks: Hooks, cwd: string, tally: Tally, signal: AbortSignal): Promise<Outcome> {
  const start = performance.now()
  const steps: Taken[] = []
  const end = (problem?: Note): Outcome => ({
    case: each,
    ok: problem === undefined && steps.every(({ mismatches }) => mismatches.length === 0),
    durationMs: performance.now() - start,
    steps,
    ...(problem && { problem }),
  })
  const session = { session_id: `test: ${each.name}`, cwd, project_dir: cwd }
  try {
    for (const step of each.steps) {
      const taken = await takeStep(step, hooks, session, tally, signal)
      steps.push(taken)
      if (taken.mismatches.length > 0) break
    }
    return end()
  } catch (error) {
    const [problem] = error instanceof HooklineError ? error.notes : []
    if (!problem) throw error
    return end({ ...problem, where: each.steps[steps.length]?.locate(['given']) ?? each.where })
  }
}

async function takeStep(step: Step, hooks: Hooks, session: object, tally: Tally, signal: AbortSignal): Promise<Taken> {
  const question = await questionOf(step.given, { ...session })
  let verdict: Verdict
  let times = step.times
  do {
    verdict = await raise(hooks, question, signal)
    // One that nobody has approved was to run, and did not.
    const ran = verdict.reports.filter(({ asked, failure }) => asked && failure?.kind !== 'untrusted')
    tally.see(planAll(hooks, question.dialect, question), ran)
  } while (--times > 0)
  const rules = decidingRules(verdict)
  return { question, verdict, rules, mismatches: judge(step.expect, verdict, rules) }
}

/** A misspelt id in `not_asked` would hold for ever. */
function unknownIds(each: Case, hooks: readonly Hook[]): Note[] {
  return [...unknownHooks(each, hooks), ...unknownRules(each, hooks)]
}

function unknownRules({ steps }: Case, hooks: readonly Hook[]): Note[] {
  const known = rulesOf(hooks).map(({ rule }) => rule.id)
  return steps.flatMap(({ expect, locate }) =>
    [expect.rule ?? []]
      .flat()
      .filter((id) => id !== 'none' && !known.includes(id))
      .map((id) => {
        const details = { id, hint: didYouMean(id, known), known: known.join(', ') || 'none' }
        return note('case-rule', details, { where: locate(['expect', 'rule']) })
      }),
  )
}

function unknownHooks({ steps }: Case, hooks: readonly Hook[]): Note[] {
  const known = hooks.map(({ id }) => id)
  return steps.flatMap(({ expect, locate }) =>
    (['asked', 'not_asked', 'failed'] as const).flatMap((key) =>
      [expect[key] ?? []]
        .flat()
        .filter((id) => !known.includes(id))
        .map((id) => {
          const details = { id, hint: didYouMean(id, known), known: known.join(', ') }
          return note('case-hook', details, { where: locate(['expect', key]) })
        }),
    ),
  )
}

/** What the hooks run, as far as that is known: a change in it is a change of what the cases show. */
async function scriptsOf(hooks: readonly Hook[], cwd: string): Promise<string[]> {
  const executors = await createExecutors(hooks.map(({ run }) => run.type))
  const pinned = await Promise.all(
    hooks.map(async (hook) => {
      const dialect = await loadDialect(hook.dialect)
      return pinnedBy(hook, placeOf(hook, imagined(hook, cwd), dialect, executors[hook.run.type])).files
    }),
  )
  return pinned.flat().map(({ path }) => path)
}
