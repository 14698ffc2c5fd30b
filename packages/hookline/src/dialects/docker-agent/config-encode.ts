import { type Decoded, type EventName, type Hook, isRecord, type Note } from '../../core/index.ts'
import { quoteWords } from '../../shell/index.ts'
import { type Lost, noteLost, noteLostTests, noteLostTraits, usualAdvice } from '../common/encode.ts'
import { inStages } from './config.ts'
import { encodeMatcher, policies } from './entry.ts'
import { alwaysOn } from './implied.ts'
import { failsClosed, lane, laneOf, rowOf, theirName, theirNames } from './names.ts'
import { promptToTheirs } from './prompt.ts'

/** An agent file with nothing in it but hooks; every builtin is written out, whatever flag it came from. */
export function encodeConfig(hooks: readonly Hook[]): Decoded<unknown> {
  const notes: Note[] = []
  const agentOf = agentNames(hooks)
  const blocks = new Map(agentOf.all.map((name) => [name, new Map<string, unknown[]>()]))
  const stages = inStages(hooks).map((hook) => hook.stage)
  hooks.forEach((hook, index) => {
    if (isAlwaysOn(hook)) return
    const lost = noteLost(notes, 'docker-agent', hook.id)
    const entry = encodeHook(hook, lost)
    if (!entry) return
    if (stages[index] !== hook.stage) lost('Its stage', 'Hooks of one event run together there.')
    for (const name of agentOf.names(hook, lost)) place(blocks.get(name)!, hook, entry)
  })
  const agents = [...blocks].map(([name, block]) => [name, block.size > 0 ? { hooks: Object.fromEntries(block) } : {}])
  return { value: { agents: Object.fromEntries(agents) }, notes }
}

/** Beside the hooks before it, when their group is the same. */
function place(block: Map<string, unknown[]>, hook: Hook, entry: object): void {
  const name = theirName(hook.event)
  const entries = block.get(name) ?? []
  block.set(name, entries)
  if (!rowOf(hook.event).grouped) {
    entries.push(entry)
    return
  }
  const tool = hook.matcher.find((test) => test.facet === 'tool' && !test.negate)
  const matcher = tool ? encodeMatcher(tool.test) : '*'
  const preempts = hook.event === lane
  const last = entries.at(-1)
  if (isRecord(last) && last['matcher'] === matcher && (last['preempt_yolo'] === true) === preempts)
    (last['hooks'] as unknown[]).push(entry)
  else entries.push({ matcher, ...(preempts ? { preempt_yolo: true } : {}), hooks: [entry] })
}

function encodeHook(hook: Hook, lost: Lost): object | undefined {
  if (!(hook.event in theirNames) && hook.event !== lane) {
    lost(`The event ${hook.event}`, 'The hook was left out.')
    return undefined
  }
  const run = encodeRun(hook, lost)
  if (!run) return undefined
  mention(hook, lost)
  const seconds = Math.max(1, Math.ceil(hook.timeoutMs / 1_000))
  if (seconds * 1_000 !== hook.timeoutMs) lost('A time-out in fractions of a second', `It was rounded to ${seconds} s.`)
  const policy = onError(hook, lost)
  return {
    ...(hook.description === undefined ? {} : { name: hook.description }),
    ...run,
    ...(seconds === 60 ? {} : { timeout: seconds }),
    ...(Object.keys(hook.env).length === 0 ? {} : { env: hook.env }),
    ...(hook.workingDir === undefined ? {} : { working_dir: hook.workingDir }),
    ...(policy === undefined ? {} : { on_error: policy }),
  }
}

function encodeRun({ run }: Hook, lost: Lost): object | undefined {
  const { type, command, args, name, model, prompt, schema } = run
  if (type === 'command' && typeof command === 'string') {
    const words = Array.isArray(args) ? quoteWords([command, ...args.map(String)]) : command
    if (run['clean_env'] || run['output_limit']) lost('`clean_env` or `output_limit`', 'Limit it inside the command.')
    return { type, command: words }
  }
  if (type === 'builtin' && (args === undefined || Array.isArray(args)))
    return { type, command: name, ...(args === undefined ? {} : { args }) }
  const theirs =
    type !== 'model' || typeof prompt !== 'string'
      ? undefined
      : run['template'] === 'go'
        ? prompt
        : promptToTheirs(prompt)
  if (theirs !== undefined)
    return { type, model, prompt: theirs, ...(schema === undefined ? {} : { schema: 'pre_tool_use_decision' }) }
  lost(`A hook of type \`${type}\` with these options`, 'The hook was left out; wrap it in a command.')
  return undefined
}

/** What a hook can be here, and cannot be there. */
function mention(hook: Hook, lost: Lost): void {
  const { shadow, background } = usualAdvice
  noteLostTraits(hook, 'docker-agent', lost, {
    ...{ shadow, background },
    disabled: 'The hook runs there; remove it if it should not.',
    topLevelOnly: 'Write it on the top agent only.',
  })
  if (hook.event === laneOf && !hook.unlessRuled)
    lost('Running under `--yolo`', 'Set `preempt_yolo: true` on its entry if it guards something and rewrites nothing.')
  noteLostTests(hook, lost, ['agent'])
}

/** Absent: `warn`, or closed before a tool runs, whatever is written. */
function onError(hook: Hook, lost: Lost): string | undefined {
  const policy = hook.onFailure
  if (failsClosed(hook.event)) {
    if (policy !== undefined && policy !== 'closed')
      lost(`Failing \`${policy}\``, 'A failing hook denies the call there.')
    return undefined
  }
  if (policy === 'closed' && !rowOf(hook.event).blocks) lost('Failing closed', 'There is nothing to block there.')
  else if (policy !== undefined && policy !== 'warn')
    return Object.keys(policies).find((name) => policies[name] === policy)
  return undefined
}

/**
 * Which agents a hook is written on. A hook that does not run for some agents belongs to the one that is left over;
 * one that runs for all is written on each. Agents come in the order of their hooks.
 */
function agentNames(hooks: readonly Hook[]): { all: readonly string[]; names(hook: Hook, lost: Lost): string[] } {
  const known = new Set(hooks.flatMap(excluded))
  if (known.size === 0 || hooks.some((hook) => excluded(hook).length === known.size))
    known.add(known.has('root') ? 'agent' : 'root')
  const left = (hook: Hook) => [...known].filter((name) => !excluded(hook).includes(name))
  const owners = hooks.map(left).filter((names) => names.length === 1)
  return {
    all: [...new Set([...owners.flat(), ...known])],
    names(hook, lost) {
      if (hook.matcher.some((test) => test.facet === 'agent' && !isExclusion(test)))
        lost('A test of the name of the agent', 'Move the hook to that agent.')
      return hook.event === 'subagent_stop' ? left(hook).slice(0, 1) : left(hook)
    },
  }
}

function excluded(hook: Hook): readonly string[] {
  return hook.matcher.flatMap((test) => (isExclusion(test) && 'names' in test.test ? test.test.names : []))
}

const isExclusion = (test: Hook['matcher'][number]) =>
  test.facet === 'agent' && test.negate === true && 'names' in test.test && !test.test.prefixes?.length

function isAlwaysOn(hook: Hook): boolean {
  const same = (event: EventName) => hook.event === event && hook.matcher.length === 0
  return alwaysOn.some(
    ({ event, run }) => same(event) && hook.run.type === run.type && hook.run['name'] === run['name'],
  )
}
