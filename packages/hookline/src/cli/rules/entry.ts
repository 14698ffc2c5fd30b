import type { RuleCondition, RuleEntry, RuleTarget, Ruling } from '../../core/index.ts'
import { actionKinds } from '../../core/index.ts'
import { type Invocation, type Option, text, texts, UsageError } from '../command.ts'

/** What a rule can be about, beside commands, each with an option of its name. */
const kinds = [...actionKinds.filter((kind) => kind !== 'run'), 'tool', 'prompt'] as const

const about = {
  read: ['glob', 'Files that are read, by any tool or command: `**/.env*`, `~/.ssh/**`.'],
  write: ['glob', 'Files that are created or changed.'],
  delete: ['glob', 'Files that are removed.'],
  fetch: ['host', 'Hosts that are reached: `*.internal.example.com`.'],
  send: ['recipient', 'Who gets a message.'],
  spawn: ['agent', 'Agents that get a task.'],
  call: ['tool', 'Tools of MCP servers: `github/*`.'],
  tool: ['name', 'Tools by name, whatever they do.'],
  prompt: ['pattern', 'Prompts that hold this.'],
} as const satisfies Record<(typeof kinds)[number], readonly [string, string]>

export const ruleOptions = {
  ...(Object.fromEntries(
    kinds.map((kind) => [kind, { value: about[kind][0], multiple: true, doc: about[kind][1] }]),
  ) as Record<(typeof kinds)[number], Option>),
  except: { value: 'command', multiple: true, doc: 'Commands that this rule leaves alone; they must match in full.' },
  'except-path': { value: 'glob', multiple: true, doc: 'Files that this rule leaves alone.' },
  when: { value: 'name=value', multiple: true, doc: 'Only then: `branch=main`, `host=codex`, `dirty=true` …' },
  because: { value: 'text', doc: 'Why. The agent reads it.' },
  instead: { value: 'text', doc: 'What to do instead. The agent reads it.' },
  until: { value: 'date', doc: 'The last day on which the rule counts, such as `2027-01-31`.' },
  id: { value: 'id', doc: 'What to call the rule. Default: made from what it is about.' },
  shadow: { doc: 'Only report what the rule would have decided.' },
} as const satisfies Record<string, Option>

/** The rule that a command line describes. */
export function entryFrom(
  ruling: Ruling,
  { values, positionals }: Pick<Invocation, 'values' | 'positionals'>,
): RuleEntry {
  const target = targetFrom(values, positionals)
  if (Object.keys(target).length === 0)
    throw new UsageError(
      `Say what to ${ruling}: a command in quotes, such as \`hookline ${ruling} "git push --force"\`, or an option such as \`--write 'infra/**'\`.`,
    )
  const except = exceptFrom(values, target)
  const when = conditionFrom(texts(values['when']))
  const [because, instead, until] = [text(values['because']), text(values['instead']), text(values['until'])]
  return {
    id: text(values['id']) ?? idOf(ruling, target),
    [ruling]: target,
    ...(except && { except }),
    ...(when && { when }),
    ...(because !== undefined && { because }),
    ...(instead !== undefined && { instead }),
    ...(until !== undefined && { until }),
    ...(values['shadow'] === true && { mode: 'shadow' as const }),
  }
}

function targetFrom(values: Invocation['values'], commands: readonly string[]): RuleTarget {
  const target: Record<string, string | readonly string[]> = {}
  if (commands.length > 0) target['run'] = oneOrList(commands)
  for (const kind of kinds) {
    const given = texts(values[kind])
    if (given.length > 0) target[kind] = oneOrList(given)
  }
  return target
}

/** An exception is about the same kind of thing as its rule. */
function exceptFrom(values: Invocation['values'], target: RuleTarget): RuleTarget | undefined {
  const commands = texts(values['except'])
  const paths = texts(values['except-path'])
  const pathKinds = (['read', 'write', 'delete'] as const).filter((kind) => target[kind] !== undefined)
  if (paths.length > 0 && pathKinds.length === 0)
    throw new UsageError('`--except-path` belongs to a rule about files: `--read`, `--write` or `--delete`.')
  if (commands.length === 0 && paths.length === 0) return undefined
  return {
    ...(commands.length > 0 && { run: oneOrList(commands) }),
    ...Object.fromEntries(paths.length > 0 ? pathKinds.map((kind) => [kind, oneOrList(paths)]) : []),
  }
}

const conditions = ['agent', 'host', 'branch', 'remote', 'permission_mode', 'time'] as const
const switches = ['dirty', 'subagent'] as const

function conditionFrom(given: readonly string[]): RuleCondition | undefined {
  if (given.length === 0) return undefined
  const condition: Record<string, unknown> = {}
  for (const each of given) {
    const [, name = '', value = ''] = /^([a-z_]+)=(.+)$/.exec(each) ?? []
    if (conditions.some((known) => known === name)) condition[name] = value
    else if (switches.some((known) => known === name) && /^(?:true|false)$/.test(value))
      condition[name] = value === 'true'
    else
      throw new UsageError(
        `\`--when ${each}\`: write \`name=value\` with one of ${[...conditions, ...switches].join(', ')}; the last two are true or false.`,
      )
  }
  return condition
}

const oneOrList = (values: readonly string[]): string | readonly string[] => (values.length === 1 ? values[0]! : values)

/** `no-git-push-force`, `ask-write-infra`, `allow-npm-test`: a name that people can say, and remove it by. */
export function idOf(ruling: Ruling, target: RuleTarget): string {
  const [kind = '', value] = Object.entries(target)[0] ?? []
  const said = `${kind === 'run' ? '' : `${kind}-`}${String([value].flat()[0])}`
  const words = said.toLowerCase().match(/[a-z0-9]+/g) ?? ['rule']
  return [ruling === 'deny' ? 'no' : ruling, ...words].join('-').slice(0, 48).replace(/-+$/, '')
}
