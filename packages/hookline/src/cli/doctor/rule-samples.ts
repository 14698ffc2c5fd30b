import { dirname, join } from 'node:path'
import type { ArgumentTest, EventName, Hook, NamedRule, RuleTarget } from '../../core/index.ts'
import { isRecord, rulingOf } from '../../core/index.ts'
import { homeDirectory } from '../../platform/index.ts'
import { samplesOf } from './pattern-sample.ts'
import type { Payload } from './sample.ts'

/** Something that a rule should match, made of what the rule says. Which of several does, is tried. */
export interface RuleSample {
  shown: string
  payload: Payload
  /** What has to happen before it, in the same session. */
  before?: Payload
}

/** What keeps a rule from being tried here; undefined: nothing. */
export function untriable(rule: NamedRule, now = new Date()): string | undefined {
  const { when = {}, until, mode } = rule
  if (mode === 'shadow') return 'in shadow mode it only reports'
  if (until !== undefined && Date.parse(until) + 86_400_000 <= now.getTime()) return `it ended on ${until}`
  const depends = Object.keys(when).filter((key) => !tried.has(key) && !(key === 'branch' && pushesOf(rule).length > 0))
  return depends.length > 0 ? `it depends on ${depends.join(' and ')}` : undefined
}

/** Conditions that can be made true. */
const tried = new Set(['agent', 'permission_mode', 'after'])

/** Prompts for events with a prompt, messages for those that leave, and calls of tools elsewhere. */
export function samplesFor(rule: NamedRule, { event, origin }: Hook): RuleSample[] {
  const { target } = rulingOf(rule)
  const { agent, permission_mode: mode } = rule.when ?? {}
  const surroundings = {
    ...(agent !== undefined && { agent_name: filled([agent].flat()[0]!) }),
    ...(mode !== undefined && { permission_mode: filled([mode].flat()[0]!) }),
  }
  const pushes = pushesOf(rule)
  const named = pushes.length > 0 ? { ...target, run: pushes } : target
  const besides = makers[event]?.(named) ?? callsFor(named, origin.where && dirname(origin.where.file))
  const samples = besides.map(({ shown, payload }) => ({ shown, payload: { ...surroundings, ...payload } }))
  return rule.when?.after === undefined ? samples : afterwards(rule.when.after, samples, rule.id)
}

/** A push names the branch that it changes, whichever one is checked out here. */
function pushesOf(rule: NamedRule): string[] {
  const branches = [rule.when?.branch ?? []].flat().map(filled)
  const pushes = [rulingOf(rule).target.run ?? []].flat().filter((command) => /^git push\b/.test(command))
  return pushes.flatMap((push) => branches.map((branch) => `${filled(push)} origin ${branch}`))
}

/** The same in a session of its own, in which what the rule waits for comes first. */
function afterwards(
  after: NonNullable<NonNullable<NamedRule['when']>['after']>,
  samples: readonly RuleSample[],
  id: string,
): RuleSample[] {
  const first = after === 'secret' ? { read: '**/.env' } : after === 'web' ? { fetch: 'example.com' } : after
  return callsFor(first, undefined)
    .slice(0, 8)
    .flatMap(({ shown, payload }, at) =>
      samples.slice(0, 8).map((sample, number) => {
        const session = { session_id: `doctor ${id} ${at} ${number}` }
        return {
          shown: `${sample.shown} after ${shown}`,
          payload: { ...sample.payload, ...session, tool_use_id: 'then' },
          before: { ...payload, ...session, tool_use_id: 'first' },
        }
      }),
    )
}

const makers: Partial<Record<EventName, (target: RuleTarget) => RuleSample[]>> = {
  user_prompt_submit: promptsFor,
  user_followup_submit: promptsFor,
  user_steering_messages_submit: (target) =>
    promptsFor(target).map(({ shown }) => ({ shown, payload: { steering_messages: [shown] } })),
  on_outbound_message: ({ send }) => each(send, (to) => [message(to)]),
}

function promptsFor({ prompt }: RuleTarget): RuleSample[] {
  return each(prompt, (text) => {
    const [, regex] = /^\/(.+)\/[ims]*$/s.exec(text) ?? []
    return regex === undefined ? [text] : matching(regex)
  }).map((text) => ({ shown: text, payload: { prompt: text } }))
}

/** The first few texts in which a regex is found. */
function matching(regex: string): string[] {
  const texts: string[] = []
  for (const text of samplesOf(regex, false)) if (texts.push(text) >= 8) break
  return texts
}

const message = (to: string): RuleSample => ({
  shown: `a message to ${filled(to)}`,
  payload: { channel: filled(to), notification: 'Hello.' },
})

type Call = [tool: string, input: Payload, shown: string]

function callsFor(target: RuleTarget, beside: string | undefined): RuleSample[] {
  const { run, read, write, delete: removed, fetch, send, spawn, call, tool, where = {} } = target
  const paths = (pattern: string) => pathsFor(pattern, beside)
  const shell = (command: string): Call => ['shell', { command }, command]
  const calls: Call[] = [
    ...each(run, (pattern) => commandsFor(pattern).map(shell)),
    ...each(read, (pattern) => paths(pattern).map((path): Call => ['read_file', { path }, `read ${path}`])),
    ...each(write, (pattern) =>
      paths(pattern).map((path): Call => ['write_file', { path, content: '' }, `write ${path}`]),
    ),
    ...each(removed, (pattern) => paths(pattern).map((path): Call => ['delete_file', { path }, `delete ${path}`])),
    ...each(fetch, (pattern) => addressesFor(pattern).map((address) => shell(`curl ${address}`))),
    ...each(send, (to): Call[] => [['send_message', { to: filled(to), text: 'Hello.' }, `send to ${filled(to)}`]]),
    ...each(spawn, (agent): Call[] => [
      ['transfer_task', { agent: filled(agent), task: 'Say hello.' }, `give a task to ${filled(agent)}`],
    ]),
    ...each(call, (pattern): Call[] => [[mcpTool(pattern), {}, `call ${mcpTool(pattern)}`]]),
  ]
  const bare: Call[] = calls.length > 0 ? calls : [['shell', {}, 'a call']]
  const names = [undefined, ...[tool ?? []].flat().map(filled)]
  const inputs = argumentsFor(where)
  return names.flatMap((name) =>
    bare.flatMap(([usual, input, shown]) =>
      inputs.map((more) => {
        const [called, given] = [name ?? usual, { ...input, ...more }]
        const isPlain = name === undefined && Object.keys(more).length === 0
        return {
          shown: isPlain ? shown : `${called} ${JSON.stringify(given)}`,
          payload: { tool_name: called, tool_input: given },
        }
      }),
    ),
  )
}

const each = <T>(patterns: string | readonly string[] | undefined, make: (pattern: string) => readonly T[]): T[] =>
  [patterns ?? []].flat().flatMap(make)

/** `*` stands for anything, so also for this. */
const filled = (pattern: string): string => pattern.replace(/\*+/g, 'sample')

const commandsFor = (pattern: string): string[] => [
  ...new Set([filled(pattern), pattern.replace(/\*+/g, ''), pattern.replace(/\*+/g, '1')]),
]

function pathsFor(pattern: string, beside: string | undefined): string[] {
  const plain = pattern
    .replace(/\{([^{},]*),[^{}]*\}/g, '$1')
    .replace(/^~(?=\/|$)/, homeDirectory())
    .replace(/\[!?[^\]]\]?([^\]]*)\]/g, (whole) => (whole.startsWith('[!') ? '~' : whole[1]!))
    .replace(/\?/g, 'a')
  const short = filled(plain.replace(/\*\*\//g, ''))
  const all = [short, filled(plain.replace(/\*\*\//g, 'sample/'))]
  const isRelative = !plain.startsWith('/') && beside !== undefined
  return [...new Set([...all, ...(isRelative ? [join(beside, short), join(dirname(beside), short)] : [])])]
}

function addressesFor(pattern: string): string[] {
  const host = filled(pattern.replace(/\/\d{1,3}$/, ''))
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(host) ? [host] : [`https://${host}/`, `https://${host}`, `http://${host}/`]
}

function mcpTool(pattern: string): string {
  if (pattern.startsWith('mcp__')) return filled(pattern)
  const [server = '', tool = '*'] = pattern.split(/\/(.*)/s)
  return `mcp__${filled(server)}__${filled(tool)}`
}

/** Arguments that pass every test. */
function argumentsFor(where: NonNullable<RuleTarget['where']>): Payload[] {
  let inputs: Payload[] = [{}]
  for (const [path, test] of Object.entries(where)) {
    const values = valuesFor(test).slice(0, 4)
    inputs = inputs.flatMap((input) => values.map((value) => withValue(input, path.split('.'), value))).slice(0, 16)
  }
  return inputs
}

function valuesFor(test: ArgumentTest): unknown[] {
  if (!isRecord(test)) return [test]
  const { equals, in: some, gt, gte, lt, lte, contains, matches, exists } = test
  if (exists === false) return [undefined]
  const found = [
    ...(equals === undefined ? [] : [equals]),
    ...(some ?? []),
    ...(gt === undefined ? [] : [lt === undefined ? gt + 1 : (gt + lt) / 2]),
    ...(gte === undefined ? [] : [gte]),
    ...(lt === undefined ? [] : [lt - 1]),
    ...(lte === undefined ? [] : [lte]),
    ...(contains === undefined ? [] : [contains]),
    ...(matches === undefined ? [] : matching(matches)),
  ]
  return found.length > 0 ? found : ['sample']
}

function withValue(target: Payload, [step, ...rest]: readonly string[], value: unknown): Payload {
  if (step === undefined || value === undefined) return target
  const inner = isRecord(target[step]) ? target[step] : {}
  return { ...target, [step]: rest.length === 0 ? value : withValue(inner, rest, value) }
}
