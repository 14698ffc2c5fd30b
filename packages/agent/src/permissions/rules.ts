import {
  type CompiledRule,
  type CompiledRules,
  commandKeys,
  compileTextRules,
  isOneLine,
  judge,
  literally,
  type RulesQuestion,
  type RuleTarget,
  type TextPattern,
  type TextRule,
  textQuestions,
} from 'hookline/internal'

/** A call that rules are tested against. */
export interface PermissionCall {
  name: string
  input: Record<string, unknown>
  category: string
}

type Ruling = 'allow' | 'ask' | 'deny'

/** What rules are judged on: one question for each command line of the call. */
export type Questions = readonly RulesQuestion[]

export const questionsAbout = (call: PermissionCall, cwd: string | undefined): Questions =>
  textQuestions({ names: namesOf(call), toolset: call.category, input: call.input, cwd })

/** `mcp_github_search` is also what docker-agent calls `github_search`. */
function namesOf({ name, category }: PermissionCall): string[] {
  const prefix = `${category}_`
  return name.startsWith(prefix) ? [name, name.slice(prefix.length)] : [name, prefix + name]
}

/** Patterns as rules of one decision. What cannot be read may be what is forbidden; nobody is asked because of an `ask`. */
export const compilePatterns = (ruling: Ruling, patterns: readonly string[] = []): CompiledRules =>
  compileTextRules(patterns.map((text) => ruleOf(ruling, text, parsePattern(text))))

export const ruleOf = (ruling: Ruling, id: string, text: TextPattern): TextRule => ({
  id,
  [ruling]: { text },
  ...(ruling === 'ask' && { unknown: 'pass' }),
})

/**
 * docker-agent's form, `tool:key=glob:key=glob`. Only `:key=` separates, so that tool names and values may hold colons: `mcp:github:*`,
 * `fetch:url=https://*`.
 */
function parsePattern(text: string): TextPattern {
  const [tool = '', ...rest] = text.trim().split(/:(\w+)=/)
  const where = rest.flatMap((key, at) => (at % 2 === 0 ? [{ key, glob: rest[at + 1] ?? '' }] : []))
  return { tool: tool.replaceAll(':', '_'), where }
}

/** A rule that matches; `unread`: that may, because a part of this question is only known when it runs. */
interface Matched {
  rule: CompiledRule
  question: RulesQuestion
  unread: boolean
}

/** In the order of the rules. */
export function matching(rules: CompiledRules, questions: Questions): Matched[] {
  const found = questions.flatMap((question) => {
    const { decided, others } = judge(rules, question)
    return [...decided, ...others].map(({ rule, unknown }) => ({ rule, question, unread: unknown !== undefined }))
  })
  return found.sort((one, other) => rules.rules.indexOf(one.rule) - rules.rules.indexOf(other.rule))
}

/** For allow: the rule that covers the call, or the first of several that do. */
export function covering(rules: CompiledRules, questions: Questions): CompiledRule | undefined {
  const found = questions.map((question) => judge(rules, question).decided[0]?.rule)
  return found.includes(undefined) ? undefined : found[0]
}

/** Rules that name one command line, without wildcards. */
export function exactly({ rules }: CompiledRules): TextRule[] {
  return rules.flatMap(({ rule, target: { text } }) =>
    text && text.commands.length > 0 && text.commands.every(isOneLine) ? [rule as TextRule] : [],
  )
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
export function grantedBy(call: PermissionCall, questions: Questions): TextRule {
  const tool = literally(call.name)
  const line = questions[0]?.texts?.line
  if (!line) return ruleOf('allow', call.name, { tool, where: [] })
  const key = Object.keys(call.input).find((each) => commandKeys.includes(each)) ?? 'command'
  const prefix = prefixOf(line)
  const glob = prefix === undefined ? literally(line.text.trim()) : `${literally(prefix)}*`
  return ruleOf('allow', `${call.name}:${key}=${prefix ?? line.text.trim()}`, { tool, where: [{ key, glob }] })
}

/** What an approval would cover, in words for the person. */
export function describeGrant(call: PermissionCall, questions: Questions): string {
  const line = questions[0]?.texts?.line
  if (!line) return `every call of ${call.name}`
  const prefix = prefixOf(line)
  return prefix === undefined ? 'exactly this command line' : `\`${prefix}\` with any arguments`
}

/**
 * What a rule for good would be about: the command with other arguments, where it is one simple command; else the tool.
 * Undefined for a line that no allow rule could cover.
 */
export function lastingTarget(call: PermissionCall, questions: Questions): RuleTarget | undefined {
  const line = questions[0]?.texts?.line
  if (!line) return { tool: call.name }
  const prefix = prefixOf(line)
  return prefix === undefined ? undefined : { run: [prefix, `${prefix} *`] }
}

type Line = NonNullable<NonNullable<RulesQuestion['texts']>['line']>

function prefixOf({ reading: { commands, certain, more } }: Line): string | undefined {
  const [only, another] = commands
  if (!only || another || !certain || more) return undefined
  const [program = '', subcommand] = only.text.split(' ')
  if (/[^\w./+-]/.test(program)) return undefined
  if (!withSubcommands.has(program)) return program
  return subcommand !== undefined && /^[a-z][\w:-]*$/.test(subcommand) ? `${program} ${subcommand}` : undefined
}
