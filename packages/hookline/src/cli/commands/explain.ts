import {
  type Dialect,
  didYouMean,
  type Event,
  type EventName,
  eventNamed,
  eventNames,
  formatNote,
  HooklineError,
  isRecord,
  type Opinion,
  parseJson,
  stringifyJson,
  type Verdict,
} from '../../core/index.ts'
import { dialectNames, loadDialect } from '../../dialects/index.ts'
import { createHooks, type Hooks } from '../../hooks/index.ts'
import { defineCommand, type Invocation, readAll, text, UsageError } from '../command.ts'
import { configOptions, configured, hookFlags, workingDirectory } from '../configured.ts'
import { stepsOf } from '../fold.ts'
import {
  describeOpinion,
  type Explained,
  explainPlan,
  type Step,
  showAsked,
  showSkipped,
  showStep,
  summarise,
} from '../text/explanation.ts'
import { printable } from '../text/inspection.ts'
import { count, indent, wrap } from '../text/layout.ts'
import { type Paint, paintFor, widthOf } from '../text/paint.ts'
import { show } from './dispatch.ts'

export const command = defineCommand({
  name: 'explain',
  summary: 'Show which hooks would run for an event, which would not, and why.',
  usage: 'explain (--tool <name> [--command <line>] | [--event <name>] < payload.json) [--run --trust all]',
  doc: [
    'Shows for one event which hooks would run, in which stage, what each test of their matchers saw, and which are',
    'skipped and why. Nothing runs unless you pass --run: then you see what each hook answered, the verdict so far after',
    'each of them, and the final verdict.',
  ].join('\n'),
  options: {
    ...configOptions,
    ...hookFlags,
    event: { value: 'name', doc: 'The event, if the payload does not name it; any spelling.', choices: eventNames },
    tool: { value: 'name', doc: 'Make a payload instead of reading one: a call of this tool.' },
    command: { value: 'line', doc: 'Its argument `command`.' },
    input: { value: 'json', doc: 'Its arguments, as one JSON object.' },
    dialect: { value: 'name', doc: 'The dialect of the payload on standard input.', choices: dialectNames },
    run: { doc: 'Run the hooks for real. Needs --trust all: you trust these files.' },
    trust: {
      value: 'all',
      doc: '`all`: you trust these files. Without it, hooks that are not approved are marked.',
      choices: ['all'],
    },
    cwd: { value: 'directory', doc: 'Where hooks run, if the payload has no `cwd`.' },
    json: { doc: 'Print one JSON object: event, payload, hooks, stages; with --run also fold and verdict.' },
  },
  examples: [
    "hookline explain --tool shell --command 'rm -rf /'",
    "hookline explain --tool shell --command 'rm -rf /' --run --trust all",
    'hookline explain --config .claude/settings.json --dialect claude-code < payload.json',
  ],
  exits: { 1: 'The config or the payload could not be read; the error is on standard error.', 64: 'Wrong usage.' },
  async run(invocation) {
    const { values, positionals, output, errors } = invocation
    if (values['run'] && values['trust'] !== 'all')
      throw new UsageError('`--run` runs the hooks of these files: add `--trust all` if you trust them.')
    const dialect = await loadDialect(text(values['dialect']) ?? 'native')
    const { files, cwd, off } = await configured(invocation, positionals)
    const question = await readQuestion(invocation, dialect)
    const hooks = await createHooks({
      files,
      cwd,
      off,
      journal: false,
      onNote: (note) => errors.write(`${formatNote(note)}\n`),
    })
    try {
      for (const note of [...question.notes, ...hooks.notes]) errors.write(`${formatNote(note)}\n`)
      const planned = planAll(hooks, dialect, question)
      const explained = values['trust'] === 'all' ? planned : await withTrust(planned, question, cwd)
      const ran = values['run'] ? await runAll(hooks, dialect, question) : undefined
      if (values['json']) output.write(`${stringifyJson(asJson(question, explained, ran))}\n`)
      else output.write(`${showAll(question, explained, hooks, ran, paintFor(output), widthOf(output)).join('\n')}\n`)
      return 0
    } finally {
      await hooks.close()
    }
  },
})

interface Question {
  event: EventName
  payload: Record<string, unknown>
  notes: readonly Parameters<typeof formatNote>[0][]
}

interface RanAll {
  verdict: Verdict
  steps: Step[]
}

async function readQuestion({ values, input }: Invocation, dialect: Dialect): Promise<Question> {
  const named = text(values['event'])
  const event = named === undefined ? undefined : eventOf(named, dialect)
  if (text(values['tool']) === undefined) {
    if (values['command'] !== undefined || values['input'] !== undefined)
      throw new UsageError('`--command` and `--input` are arguments of a tool: name it with `--tool`.')
    if (event === undefined && input.isTTY)
      throw new UsageError('Name a tool (`--tool shell`) or an event (`--event stop`), or pipe a payload in.')
    const decoded = dialect.event.decode(input.isTTY ? {} : readObject(await readAll(input), 'payload'), event)
    if (!decoded.ok) throw new HooklineError(decoded.problem)
    return decoded
  }
  const args = readObject(text(values['input']) ?? '', '`--input`')
  const line = text(values['command'])
  const payload = {
    tool_name: text(values['tool']),
    tool_input: { ...args, ...(line !== undefined && { command: line }) },
    cwd: workingDirectory(values),
  }
  return { event: event ?? 'pre_tool_use', payload, notes: [] }
}

function readObject(source: string, what: string): Record<string, unknown> {
  if (source.trim() === '') return {}
  const parsed = parseJson(source)
  if (!parsed.ok) throw new UsageError(`The ${what} is not valid JSON: ${parsed.detail}.`)
  if (!isRecord(parsed.value)) throw new UsageError(`The ${what} must be one JSON object.`)
  return parsed.value
}

function eventOf(name: string, dialect: Dialect): EventName {
  const found = eventNamed(dialect, name)
  if (found) return found
  throw new UsageError(
    `There is no event \`${name}\`.${didYouMean(name, [...Object.values(dialect.events), ...eventNames])}`,
  )
}

/** Hooks of another lane that run first for the same payload come first. */
export function planAll(
  hooks: Hooks,
  dialect: Dialect,
  { event, payload }: Pick<Question, 'event' | 'payload'>,
): Explained[] {
  const lane = dialect.lanes?.[event]
  const events = lane === undefined ? [event] : [lane, event]
  return events.flatMap((name) => explainPlan(hooks.plan(name, payload as never), payload))
}

/** A hook that matches but is not approved would fail instead of run. */
async function withTrust(planned: readonly Explained[], question: Question, cwd: string): Promise<Explained[]> {
  const { openTrust, placeOf } = await import('../../trust/index.ts')
  const trust = openTrust()
  return Promise.all(
    planned.map(async (each) => {
      if (!each.asked) return each
      const { event: name, payload } = question
      const event = { name, payload: { cwd, ...payload }, depth: 0, synthetic: true } as unknown as Event
      const checked = trust.check(
        each.hook,
        placeOf(each.hook, event, await loadDialect(each.hook.dialect), each.executor),
      )
      return checked.trusted ? each : { ...each, untrusted: { detail: checked.detail, remedy: checked.remedy } }
    }),
  )
}

async function runAll(hooks: Hooks, dialect: Dialect, { event, payload }: Question): Promise<RanAll> {
  const verdict =
    dialect.lanes?.[event] === undefined
      ? await hooks.raise(event, payload as never, { synthetic: true })
      : await hooks.raiseAs(dialect.name, payload, { event, synthetic: true })
  return { verdict, steps: stepsOf(verdict, hooks.hooks, payload) }
}

function showAll(
  { event, payload }: Question,
  explained: readonly Explained[],
  hooks: Hooks,
  ran: RanAll | undefined,
  paint: Paint,
  width: number,
): string[] {
  const steps = new Map(ran?.steps.map((step) => [step.hook, step]))
  const block = (title: string, lines: readonly string[]) => (lines.length > 0 ? ['', paint.bold(title), ...lines] : [])
  const showAnswer = ({ hook }: Explained) => {
    const step = steps.get(hook.id)
    const report = ran?.verdict.reports.find((each) => each.hook === hook.id)
    if (step) return indent(showStep(step, paint, width - 4), 2)
    return report?.skipped ? [paint.dim(`  did not run: ${report.skipped.detail}`)] : []
  }
  const showHook = (each: Explained) => indent([...showAsked(each, paint, width - 2), ...showAnswer(each)], 2)
  const running = explained.filter((each) => each.asked)
  const stages = [...new Set(running.map(({ stage }) => stage))].sort((one, other) => one - other)
  return [
    `${paint.bold(event)}  ${paint.dim(printable(shortened(stringifyJson(payload))))}`,
    ...stages.flatMap((stage) => {
      const here = running.filter((each) => each.stage === stage)
      const title = `Stage ${stage}: ${count(here.length, 'hook')}${here.length > 1 ? ', run together' : ''}`
      return block(title, here.flatMap(showHook))
    }),
    ...(running.length === 0 ? ['', 'No hook runs.'] : []),
    ...block(
      'Run after a rewrite',
      explained.filter((each) => !each.asked && steps.has(each.hook.id)).flatMap(showHook),
    ),
    ...block(
      'Skipped',
      explained
        .filter((each) => !each.asked && !steps.has(each.hook.id))
        .flatMap((each) => indent(showSkipped(each, paint, width - 2), 2)),
    ),
    ...elsewhere(hooks, explained),
    ...(ran ? block(`Verdict: ${summarise(opinionOf(ran.verdict))}`, showVerdict(ran.verdict, width)) : []),
  ]
}

/** A hook that is on another event is often the answer to "why did it not run?" */
function elsewhere(hooks: Hooks, explained: readonly Explained[]): string[] {
  const here = new Set(explained.map(({ hook }) => hook))
  const others = new Map<string, number>()
  for (const hook of hooks.hooks) if (!here.has(hook)) others.set(hook.event, (others.get(hook.event) ?? 0) + 1)
  if (others.size === 0) return []
  return [
    '',
    `On other events: ${[...others].map(([event, hooks]) => `${event} (${count(hooks, 'hook')})`).join(', ')}.`,
  ]
}

function showVerdict(verdict: Verdict, width: number): string[] {
  const lines = [...describeOpinion(opinionOf(verdict)), ...verdict.notes.map((note) => printable(formatNote(note)))]
  return indent(
    lines.flatMap((line) => wrap(line, width - 2)),
    2,
  )
}

function opinionOf({
  event: _event,
  payload: _payload,
  reports: _reports,
  notes: _notes,
  ...opinion
}: Verdict): Opinion {
  return opinion
}

const shortened = (line: string) => (line.length > 160 ? `${line.slice(0, 159)}…` : line)

function asJson({ event, payload }: Question, explained: readonly Explained[], ran: RanAll | undefined) {
  const stages = [...new Set(explained.filter(({ asked }) => asked).map(({ stage }) => stage))].sort((a, b) => a - b)
  return {
    event,
    payload,
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
    ...(ran && {
      fold: ran.steps.map(({ hook, report, soFar }) => ({
        hook,
        outcome: report.outcome ?? null,
        said: report.opinion ?? null,
        failure: report.failure ?? null,
        counts: report.shadow !== true,
        so_far: soFar,
      })),
      verdict: show(ran.verdict, []),
    }),
  }
}
