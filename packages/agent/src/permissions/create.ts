import {
  type CompiledRule,
  type CompiledRules,
  compileTextRules,
  type RuleTarget,
  type TextRule,
} from 'hookline/internal'
import { noRules, type PermissionRules } from '../core/index.ts'
import {
  compilePatterns,
  covering,
  describeGrant,
  exactly,
  grantedBy,
  lastingTarget,
  matching,
  type PermissionCall,
  type Questions,
  questionsAbout,
} from './rules.ts'

export interface PermissionDecision {
  ruling: 'allow' | 'ask' | 'deny' | undefined
  source: string
  reason: string
  /** Nobody said so: it is how we read the call. */
  inferred?: true
}

/** A call, with what is known of its effect. */
export type EffectiveCall = PermissionCall & {
  readOnly: boolean
  /** That it only reads is how we read its arguments, and no word of the tool itself. */
  inferred?: boolean
}

/** What decides about a call before and after hooks: rules, yolo, and what the person granted for this session. */
export interface Permissions {
  readonly yolo: boolean
  readonly mode: PermissionMode
  setMode(mode: PermissionMode): void
  /** Pure: what the rules say of this call, and which of docker-agent's sources it is. */
  decide(call: EffectiveCall): PermissionDecision
  /** The person approved more than this one call. */
  grant(call: PermissionCall, scope: 'session' | 'tool'): void
  /** What a yes for this `tool` would cover, in words for the person who gives it. */
  describeGrant?(call: PermissionCall): string
  /** What a rule that allows it for good would be about; undefined where none could cover it. */
  lastingTarget?(call: PermissionCall): RuleTarget | undefined
}

/**
 * `plan`: only what reads runs, whatever allows more. `accept-edits`: files of the workspace are written without asking. `yolo`:
 * everything that no rule and no hook objects to.
 */
export const permissionModes = ['plan', 'default', 'accept-edits', 'yolo'] as const
export type PermissionMode = (typeof permissionModes)[number]

export interface PermissionOptions {
  /** From the agent file, written by its author. */
  team?: PermissionRules
  /** Of the person who runs it. */
  session?: PermissionRules
  yolo?: boolean
  mode?: PermissionMode
  /** The workspace: rules about paths mean what lies there. */
  cwd?: string
}

/** A yes of the person, and the rules that had asked when it was given: those it answers, and no others. */
interface Grant {
  rule: CompiledRules
  answers: ReadonlySet<CompiledRule>
}

/**
 * The order is the law: any deny; then what could not be checked; then the person's ask, yolo, the team's ask; then
 * allow, earlier approvals of the person, and read-only calls. Sources are docker-agent's words.
 */
export function createPermissions(options: PermissionOptions = {}): Permissions {
  const session = compiled(options.session ?? noRules)
  const team = compiled(options.team ?? noRules)
  const grants: Grant[] = []
  let allows = allowsOf(session.allow, team.allow, [])
  let mode: PermissionMode = options.mode ?? (options.yolo ? 'yolo' : 'default')
  const about = (call: PermissionCall) => questionsAbout(call, options.cwd)

  return {
    get yolo() {
      return mode === 'yolo'
    },
    get mode() {
      return mode
    },
    setMode(next) {
      mode = next
    },
    decide(call) {
      return decide(about(call), call) ?? { ruling: undefined, source: '', reason: 'No rule decides about it.' }
    },
    grant(call, scope) {
      if (scope === 'session') {
        mode = 'yolo'
        return
      }
      const questions = about(call)
      const asking = [session.ask, team.ask].flatMap((rules) => matching(rules, questions))
      const rule = compileTextRules([grantedBy(call, questions)])
      grants.push({ rule, answers: new Set(asking.map((each) => each.rule)) })
      const granted = grants.flatMap((grant) => rulesOf(grant.rule))
      allows = allowsOf(session.allow, team.allow, granted)
    },
    describeGrant: (call) => describeGrant(call, about(call)),
    lastingTarget: (call) => lastingTarget(call, about(call)),
  }

  function decide(
    questions: Questions,
    { readOnly, inferred, category, name }: EffectiveCall,
  ): PermissionDecision | undefined {
    const asks = (rules: CompiledRules) => matching(rules, questions).find(({ rule }) => !isAnswered(rule, questions))
    const isEdit = category === 'filesystem' && edits.has(name)
    const [denied, deniedByTeam] = [matching(session.deny, questions), matching(team.deny, questions)]
    return (
      forbid('session_permissions_deny', denied.find(isSure)?.rule) ??
      forbid('team_permissions_deny', deniedByTeam.find(isSure)?.rule) ??
      (mode === 'plan' && !readOnly ? planned : undefined) ??
      doubt([...denied, ...deniedByTeam]) ??
      ask('session_permissions_ask', asks(session.ask)?.rule) ??
      (mode === 'yolo'
        ? { ruling: 'allow', source: 'yolo', reason: 'Everything is approved in this session.' }
        : undefined) ??
      ask('team_permissions_ask', asks(team.ask)?.rule) ??
      (mode === 'accept-edits' && isEdit ? edited : undefined) ??
      allow('session_permissions_allow', covering(allows.session, questions)) ??
      allow('team_permissions_allow', covering(team.allow, questions)) ??
      allow('session_permissions_allow', covering(allows.all, questions)) ??
      (readOnly
        ? { ruling: 'allow', source: 'readonly_hint', reason: 'It only reads.', ...(inferred && { inferred }) }
        : undefined)
    )
  }

  /** A command whose programs are only known when it runs may be one that is forbidden: nothing but a person, or that very line in a rule, can let it pass. */
  function doubt(unread: ReturnType<typeof matching>): PermissionDecision | undefined {
    if (unread.every(({ question }) => covering(allows.exact, [question]))) return undefined
    const reason = 'Part of the command is only known when it runs, so it cannot be checked against the deny rules.'
    return { ruling: 'ask', source: 'team_permissions_ask', reason }
  }

  function isAnswered(rule: CompiledRule, questions: Questions): boolean {
    return grants.some((grant) => grant.answers.has(rule) && covering(grant.rule, questions) !== undefined)
  }
}

/** What writes files of the workspace, and nothing else. */
const edits = new Set(['write_file', 'edit_file', 'create_directory'])

const planned: PermissionDecision = {
  ruling: 'deny',
  source: 'plan_mode',
  reason: 'In plan mode nothing is changed. Say what you would do; the user leaves plan mode to have it done.',
}
const edited: PermissionDecision = { ruling: 'allow', source: 'accept_edits', reason: 'Edits are accepted.' }

const compiled = ({ deny, ask, allow }: PermissionRules) => ({
  deny: compilePatterns('deny', deny),
  ask: compilePatterns('ask', ask),
  allow: compilePatterns('allow', allow),
})

const isSure = ({ unread }: { unread: boolean }): boolean => !unread

const rulesOf = ({ rules }: CompiledRules): TextRule[] => rules.map(({ rule }) => rule as TextRule)

/** What the person allows, what anybody does, and those of them that are one command line. */
function allowsOf(session: CompiledRules, team: CompiledRules, granted: readonly TextRule[]) {
  const all = compileTextRules([...rulesOf(session), ...rulesOf(team), ...granted])
  return { session: compileTextRules([...rulesOf(session), ...granted]), all, exact: compileTextRules(exactly(all)) }
}

const forbid = (source: string, rule: CompiledRule | undefined) => decision('deny', source, rule, 'forbids it')
const ask = (source: string, rule: CompiledRule | undefined) => decision('ask', source, rule, 'wants you to be asked')
const allow = (source: string, rule: CompiledRule | undefined) => decision('allow', source, rule, 'allows it')

function decision(
  ruling: 'allow' | 'ask' | 'deny',
  source: string,
  rule: CompiledRule | undefined,
  verb: string,
): PermissionDecision | undefined {
  if (!rule) return undefined
  const whose = source.startsWith('team') ? 'of the agent file' : 'of this session'
  return { ruling, source, reason: `The rule \`${rule.rule.id}\` ${whose} ${verb}.` }
}
