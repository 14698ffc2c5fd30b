import { existsSync } from 'node:fs'
import {
  type Dialect,
  didYouMean,
  type EventName,
  eventNamed,
  eventNames,
  eventRow,
  formatNote,
  type Hook,
  HooklineError,
  isRecord,
  type Note,
  type Opinion,
  parseJson,
  stringifyJson,
  type Verdict,
} from '../../core/index.ts'
import { dialectNames } from '../../dialects/index.ts'
import { installable } from '../../hosts/index.ts'
import { quoteWords } from '../../shell/index.ts'
import { defineCommand, type Invocation, readAll, text, texts, UsageError } from '../command.ts'
import { configOptions, configured, hookFlags, workingDirectory } from '../configured.ts'
import { type ExplainedEvent, type ExplainedQuestion, explainEvent, explanationAsText } from '../explain-event.ts'
import { callOf, dialectFor, hostLines } from '../hosts/as-host.ts'
import { trustBy } from '../prepare-hooks.ts'
import type { Foreseen } from '../rules/explain-rules.ts'
import { stakeLines } from '../stakes.ts'
import { actionLines } from '../text/actions.ts'
import { ruleLines, type Unforeseen, verdictLines } from '../text/explained-rules.ts'
import { describeOpinion, type Explained, showAsked, showSkipped, showStep, summarise } from '../text/explanation.ts'
import { printable } from '../text/inspection.ts'
import { count, indent, wrap } from '../text/layout.ts'
import { type Paint, paintFor, widthOf } from '../text/paint.ts'

export const command = defineCommand({
  name: 'explain',
  summary: 'Show what a command would do, which rules and hooks decide about it, and why.',
  usage:
    'explain ("<command>" | --tool <name> [--input <json>] | [--event <name>] < payload.json) [--run] [--trust all]',
  doc: [
    'Shows for a command, or any other event, what it would do, which rules match and what they decide, and which hooks',
    'would run, in which stage, what each test of their matchers saw, and which are skipped and why. Rules and our own guards',
    'decide, as they leave nothing behind; no other hook runs unless you pass --run: then you see what each answered, the',
    'verdict so far after each of them, and the final verdict.',
  ].join('\n'),
  options: {
    ...configOptions,
    ...hookFlags,
    event: { value: 'name', doc: 'The event, if the payload does not name it; any spelling.', choices: eventNames },
    tool: { value: 'name', doc: 'Make a payload instead of reading one: a call of this tool.' },
    command: { value: 'line', doc: 'Its argument `command`.' },
    input: { value: 'json', doc: 'Its arguments, as one JSON object.' },
    dialect: { value: 'name', doc: 'The dialect of the payload on standard input.', choices: dialectNames },
    host: {
      value: 'name',
      doc: 'The agent that makes the call, or whose payload it is: hooks see its own names of tools, and the end says what it makes of a verdict.',
      choices: installable,
    },
    run: { doc: 'Run the hooks for real, here. They must be approved, unless you pass --trust all.' },
    trust: {
      value: 'all|digest',
      multiple: true,
      doc: '`all`: you trust these files. A digest: you trust that hook. Without it, hooks that are not approved are marked.',
    },
    cwd: { value: 'directory', doc: 'Where hooks run, if the payload has no `cwd`.' },
    json: { doc: 'Print one JSON object: event, payload, hooks, stages; with --run also fold and verdict.' },
  },
  examples: [
    "hookline explain 'rm -rf /'",
    "hookline explain 'rm -rf /' --run",
    `hookline explain --tool write_file --input '{"path":"infra/main.tf"}'`,
    'hookline explain --host codex "git push --force"',
    'hookline explain --config .claude/settings.json --dialect claude-code < payload.json',
  ],
  exits: { 1: 'The config or the payload could not be read; the error is on standard error.', 64: 'Wrong usage.' },
  async run(invocation) {
    const { values, positionals, output, errors } = invocation
    const host = text(values['host'])
    if (host !== undefined && !installable.includes(host))
      throw new UsageError(
        `There is no agent \`${host}\`.${didYouMean(host, installable)} There are: ${installable.join(', ')}.`,
      )
    const dialect = await dialectFor(host, text(values['dialect']))
    const { words, line } = readWords(positionals)
    const { files, cwd, off } = await configured(invocation, words, { mayBeNone: line !== undefined })
    const question = await readQuestion(asked(invocation, line), dialect)
    const warn = (note: Note) => void errors.write(`${formatNote(note)}\n`)
    for (const note of question.notes) warn(note)
    const { trust, approver } = await trustBy(texts(values['trust']))
    const event = await explainEvent(question, {
      ...{ files, cwd, off, dialect, approver, run: values['run'] === true, onNote: warn },
      ...(trust && { trust }),
    })
    if (values['json']) output.write(`${explanationAsText(event)}\n`)
    else {
      const [paint, width] = [paintFor(output), widthOf(output)]
      const there =
        host === undefined
          ? []
          : ['', paint.bold(`In ${host}`), ...indentWrapped(await hostLines(host, event.question.event), width)]
      output.write(`${[...showAll(event, paint, width), ...there].join('\n')}\n`)
    }
    return 0
  },
})

interface Question extends ExplainedQuestion {
  notes: readonly Note[]
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
  const meant = event ?? 'pre_tool_use'
  return { event: meant, payload: callOf(dialect, meant, payload), notes: [] }
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

/** Words that name config files, and the command that is asked about. */
function readWords(positionals: readonly string[]): { words: string[]; line?: string } {
  const words = positionals.filter((word) => /\.(?:ya?ml|jsonc?)$/.test(word) && existsSync(word))
  const rest = positionals.filter((word) => !words.includes(word))
  return rest.length === 0 ? { words } : { words, line: rest.length === 1 ? rest[0]! : quoteWords(rest) }
}

/** A bare command is a call of the shell. */
function asked(invocation: Invocation, line: string | undefined): Invocation {
  const { values } = invocation
  if (line === undefined) return invocation
  if (values['command'] !== undefined || values['event'] !== undefined)
    throw new UsageError('Give either a command, or `--tool`, or `--event`.')
  return { ...invocation, values: { ...values, tool: values['tool'] ?? 'shell', command: line } }
}

function showAll(
  { question: { event, payload }, explained, judged, stakes, ran, hooks }: ExplainedEvent,
  paint: Paint,
  width: number,
): string[] {
  const { actions, rules, foreseen } = judged
  const steps = new Map(ran?.steps.map((step) => [step.hook, step]))
  const block = (title: string, lines: readonly string[]) => (lines.length > 0 ? ['', paint.bold(title), ...lines] : [])
  const showAnswer = ({ hook }: Explained) => {
    const step = steps.get(hook.id)
    const report = ran?.verdict.reports.find((each) => each.hook === hook.id)
    if (step) return indent(showStep(step, paint, width - 4), 2)
    return report?.skipped ? [paint.dim(`  did not run: ${report.skipped.detail}`)] : []
  }
  const outcomes = ran ? undefined : foreseen?.outcomes
  const showHook = (each: Explained) =>
    indent([...showAsked(each, paint, width - 2, outcomes?.get(each.hook.id)), ...showAnswer(each)], 2)
  const running = explained.filter((each) => each.asked && (ran || each.hook.run.type !== 'rules'))
  const stages = [...new Set(running.map(({ stage }) => stage))].sort((one, other) => one - other)
  return [
    ...wrap(`${paint.bold(event)}  ${paint.dim(printable(shortened(stringifyJson(payload))))}`, width),
    ...block('This would', actions ? indent(actionLines(actions, paint, width - 2), 2) : []),
    ...block('At stake', indent(stakeLines(stakes, paint, width - 2), 2)),
    ...block('Rules', rules ? indent(ruleLines(rules.rules, paint, width - 2), 2) : []),
    ...stages.flatMap((stage) => {
      const here = running.filter((each) => each.stage === stage)
      const title = `Stage ${stage}: ${count(here.length, 'hook')}${here.length > 1 ? ', run together' : ''}`
      return block(title, here.flatMap(showHook))
    }),
    ...(running.length === 0 ? ['', rules ? 'No other hook runs.' : 'No hook runs.'] : []),
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
    ...elsewhere(hooks, explained).flatMap((line) => wrap(line, width)),
    ...(ran ? block(`Verdict: ${summarise(opinionOf(ran.verdict))}`, showVerdict(ran.verdict, width)) : []),
    ...(!ran && (foreseen || running.length > 0)
      ? verdictLines(foreseen, unforeseen(running, foreseen), paint, width)
      : []),
  ]
}

function unforeseen(running: readonly Explained[], foreseen: Foreseen | undefined): Unforeseen {
  const others = running.filter(({ hook }) => !foreseen?.outcomes.has(hook.id))
  const closes = ({ hook: { onFailure, event, mode, background }, untrusted }: Explained) =>
    untrusted && mode !== 'shadow' && !background && (onFailure ?? eventRow(event).failure) === 'closed'
  return {
    running: others.filter(({ untrusted }) => !untrusted).length,
    blocking: others.filter(closes).map(({ hook }) => hook.id),
  }
}

/** A hook that is on another event is often the answer to "why did it not run?" */
function elsewhere(hooks: readonly Hook[], explained: readonly Explained[]): string[] {
  const here = new Set(explained.map(({ hook }) => hook))
  const others = new Map<string, number>()
  for (const hook of hooks)
    if (!here.has(hook) && hook.run.type !== 'rules') others.set(hook.event, (others.get(hook.event) ?? 0) + 1)
  if (others.size === 0) return []
  return [
    '',
    `On other events: ${[...others].map(([event, hooks]) => `${event} (${count(hooks, 'hook')})`).join(', ')}.`,
  ]
}

const showVerdict = (verdict: Verdict, width: number): string[] =>
  indentWrapped(
    [...describeOpinion(opinionOf(verdict)), ...verdict.notes.map((note) => printable(formatNote(note)))],
    width,
  )

const indentWrapped = (lines: readonly string[], width: number): string[] =>
  indent(
    lines.flatMap((line) => wrap(line, width - 2)),
    2,
  )

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
