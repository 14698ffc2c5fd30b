import { noRules, type PermissionRules } from '../core/index.ts'
import { covers, coversExactly, isAboutCommands, literally, parseRule, type Rule, rulings, touches } from './rules.ts'
import { isCommandKey, type PermissionCall, prepare, type Subject } from './subject.ts'

export interface PermissionDecision {
  ruling: 'allow' | 'ask' | 'deny' | undefined
  source: string
  reason: string
}

/** What decides about a call before and after hooks: rules, yolo, and what the person granted for this session. */
export interface Permissions {
  readonly yolo: boolean
  /** Pure: what the rules say of this call, and which of docker-agent's sources it is. */
  decide(call: PermissionCall & { readOnly: boolean }): PermissionDecision
  /** The person approved more than this one call. */
  grant(call: PermissionCall, scope: 'session' | 'tool'): void
  /** What a yes for this `tool` would cover, in words for the person who gives it. */
  describeGrant?(call: PermissionCall): string
}

export interface PermissionOptions {
  /** From the agent file, written by its author. */
  team?: PermissionRules
  /** Of the person who runs it. */
  session?: PermissionRules
  yolo?: boolean
  /** The workspace: rules about paths mean what lies there. */
  cwd?: string
}

/** A yes of the person, and the rules that had asked when it was given: those it answers, and no others. */
interface Grant {
  rule: Rule
  answers: ReadonlySet<Rule>
}

/**
 * The order is the law: any deny; then what could not be checked; then the person's ask, yolo, the team's ask; then
 * allow, earlier approvals of the person, and read-only calls. Sources are docker-agent's words.
 */
export function createPermissions(options: PermissionOptions = {}): Permissions {
  const session = parseRules(options.session ?? noRules)
  const team = parseRules(options.team ?? noRules)
  const grants: Grant[] = []
  let yolo = options.yolo ?? false

  return {
    get yolo() {
      return yolo
    },
    decide(call) {
      const subject = prepare(call, options.cwd)
      return decide(subject, call.readOnly) ?? { ruling: undefined, source: '', reason: 'No rule decides about it.' }
    },
    grant(call, scope) {
      if (scope === 'session') {
        yolo = true
        return
      }
      const subject = prepare(call, options.cwd)
      const answers = new Set([...session.ask, ...team.ask].filter((rule) => touches(rule, subject)))
      grants.push({ rule: grantedBy(subject), answers })
    },
    describeGrant: (call) => describeGrant(prepare(call, options.cwd)),
  }

  function decide(subject: Subject, readOnly: boolean): PermissionDecision | undefined {
    const touched = (rule: Rule) => touches(rule, subject)
    const asks = (rule: Rule) => touched(rule) && !isAnswered(rule, subject)
    const granted = grants.map(({ rule }) => rule)
    return (
      forbid('session_permissions_deny', session.deny.find(touched)) ??
      forbid('team_permissions_deny', team.deny.find(touched)) ??
      doubt(subject, [...session.deny, ...team.deny], [...granted, ...session.allow, ...team.allow]) ??
      ask('session_permissions_ask', session.ask.find(asks)) ??
      (yolo ? { ruling: 'allow', source: 'yolo', reason: 'Everything is approved in this session.' } : undefined) ??
      ask('team_permissions_ask', team.ask.find(asks)) ??
      allow('session_permissions_allow', covers([...session.allow, ...granted], subject)) ??
      allow('team_permissions_allow', covers(team.allow, subject)) ??
      allow('session_permissions_allow', covers([...session.allow, ...team.allow, ...granted], subject)) ??
      (readOnly ? { ruling: 'allow', source: 'readonly_hint', reason: 'It only reads.' } : undefined)
    )
  }

  function isAnswered(rule: Rule, subject: Subject): boolean {
    return grants.some((grant) => grant.answers.has(rule) && covers([grant.rule], subject) !== undefined)
  }
}

type Rules = Record<(typeof rulings)[number], Rule[]>

function parseRules(rules: PermissionRules): Rules {
  return Object.fromEntries(rulings.map((ruling) => [ruling, (rules[ruling] ?? []).map(parseRule)])) as unknown as Rules
}

/** A command whose programs are only known when it runs may be one that is forbidden: nothing but a person, or that very line in a rule, can let it pass. */
function doubt(subject: Subject, denies: readonly Rule[], allows: readonly Rule[]): PermissionDecision | undefined {
  const concerned = denies.some((rule) => isAboutCommands(rule) && touches({ ...rule, conditions: [] }, subject))
  if (!concerned) return undefined
  const unread = subject.lines.some((line) => !line.read().certain && !coversExactly(allows, line))
  if (!unread) return undefined
  const reason = 'Part of the command is only known when it runs, so it cannot be checked against the deny rules.'
  return { ruling: 'ask', source: 'team_permissions_ask', reason }
}

const forbid = (source: string, rule: Rule | undefined) => decision('deny', source, rule, 'forbids it')
const ask = (source: string, rule: Rule | undefined) => decision('ask', source, rule, 'wants you to be asked')
const allow = (source: string, rule: Rule | undefined) => decision('allow', source, rule, 'allows it')

function decision(
  ruling: 'allow' | 'ask' | 'deny',
  source: string,
  rule: Rule | undefined,
  verb: string,
): PermissionDecision | undefined {
  if (!rule) return undefined
  const whose = source.startsWith('team') ? 'of the agent file' : 'of this session'
  return { ruling, source, reason: `The rule \`${rule.text}\` ${whose} ${verb}.` }
}

/** Programs with subcommands: approving `git status` does not approve `git push`. */
const withSubcommands = new Set(
  (
    'git npm pnpm yarn bun deno npx cargo go docker podman kubectl helm terraform make just gh glab aws gcloud az ' +
    'pip pip3 uv poetry composer gem bundle brew apt apt-get dnf systemctl dotnet mvn gradle rails mix flutter'
  ).split(' '),
)

/**
 * What "yes, and don't ask again" covers: the tool; for a command line that is one simple command, that command with
 * other arguments; for any other line, that very line and nothing else.
 */
export function grantedBy({ call, lines }: Subject): Rule {
  const tool = literally(call.name)
  const [line] = lines
  if (!line) return { text: call.name, tool, conditions: [] }
  const key = Object.keys(call.input).find(isCommandKey) ?? 'command'
  const prefix = prefixOf(line.read())
  const glob = prefix === undefined ? literally(line.text.trim()) : `${literally(prefix)}*`
  return { text: `${call.name}:${key}=${prefix ?? line.text.trim()}`, tool, conditions: [{ key, glob }] }
}

/** What an approval would cover, in words for the person. */
export function describeGrant(subject: Subject): string {
  const [line] = subject.lines
  if (!line) return `every call of ${subject.call.name}`
  const prefix = prefixOf(line.read())
  return prefix === undefined ? 'exactly this command line' : `\`${prefix}\` with any arguments`
}

type Reading = ReturnType<Subject['lines'][number]['read']>

function prefixOf({ commands, certain, more }: Reading): string | undefined {
  const [only, another] = commands
  if (!only || another || !certain || more) return undefined
  const [program = '', subcommand] = only.text.split(' ')
  if (/[^\w./+-]/.test(program)) return undefined
  if (!withSubcommands.has(program)) return program
  return subcommand !== undefined && /^[a-z][\w:-]*$/.test(subcommand) ? `${program} ${subcommand}` : undefined
}
