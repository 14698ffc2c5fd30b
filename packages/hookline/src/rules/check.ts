import { didYouMean, type NamedRule, type RuleTarget, rulingOf, tools } from '../core/index.ts'
import { touches } from './commands/index.ts'
import { type CompiledRule, compileRules } from './compile.ts'
import { yes } from './glob.ts'
import type { Compiling } from './target.ts'
import { known } from './types.ts'

/** Something about a rule, in words: what, and what to do. */
export interface RuleNote {
  rule: NamedRule
  detail: string
  fix: string
}

/** Rules that can never do what they say. */
export function problemsOf(rules: readonly NamedRule[], using: Compiling): RuleNote[] {
  const { problems, rules: compiled } = compileRules(rules, using)
  return [
    ...problems.map(({ rule, key, pattern, detail, fix }) => ({
      rule,
      detail: `\`${key}${pattern ? `: ${pattern}` : ''}\`: ${detail}`,
      fix,
    })),
    ...rules.flatMap((rule) => misspeltTools(rule, using)),
    ...compiled.flatMap(deadParts),
  ]
}

/** What is worth a look, and no mistake for sure. */
export function doubtsOf(rules: readonly NamedRule[], using: Compiling, now: Date): RuleNote[] {
  const { rules: compiled } = compileRules(rules, using)
  return [
    ...rules.flatMap((rule) => unknownTools(rule, using)),
    ...compiled.flatMap((each) => ended(each, now)),
    ...repeated(compiled),
    ...compiled.flatMap((each) => unreachable(each, compiled)),
  ]
}

const toolsIn = (rule: NamedRule): string[] =>
  [rulingOf(rule).target, rule.except].flatMap((target) => [target?.tool ?? []].flat())

function misspeltTools(rule: NamedRule, { toolNames }: Compiling): RuleNote[] {
  return toolsIn(rule).flatMap((name) => {
    const hint = toolNames.knows(name) ? '' : toolNames.suggest(name)
    return hint === ''
      ? []
      : [
          {
            rule,
            detail: `no agent has a tool \`${name}\`.${hint}`.replace(/\?$/, '?'),
            fix: 'Correct the name; for a tool of your own, declare it under `tools:`.',
          },
        ]
  })
}

function unknownTools(rule: NamedRule, { toolNames }: Compiling): RuleNote[] {
  return toolsIn(rule)
    .filter((name) => !toolNames.knows(name) && toolNames.suggest(name) === '')
    .map((name) => ({
      rule,
      detail: `is about the tool \`${name}\`, which no agent that we know has`,
      fix: 'Check the name, unless it is a tool of your own.',
    }))
}

const kinds = ['run', 'read', 'write', 'delete', 'fetch', 'send', 'spawn', 'call', 'prompt'] as const
const kindsOf = (target: RuleTarget) => kinds.filter((kind) => target[kind] !== undefined)

function deadParts({ rule, ruling }: CompiledRule): RuleNote[] {
  const found: RuleNote[] = []
  const { target } = rulingOf(rule)
  const [own, left] = [kindsOf(target), rule.except ? kindsOf(rule.except) : []]
  const stray = left.find(
    (kind) => own.length > 0 && !own.includes(kind) && !(kind === 'delete' && own.includes('write')),
  )
  if (stray !== undefined)
    found.push({
      rule,
      detail: `its \`except\` is about \`${stray}\`, and the rule is about ${own.map((kind) => `\`${kind}\``).join(', ')}`,
      fix: `Write the exception under ${own.map((kind) => `\`${kind}\``).join(' or ')}.`,
    })
  if (own.length === 1 && own[0] === 'prompt' && (target.where || target.tool))
    found.push({ rule, detail: 'a prompt has no tool and no arguments', fix: 'Remove `tool` and `where`.' })
  if (ruling === 'allow' && rule.unknown !== undefined)
    found.push({
      rule,
      detail: '`unknown` is for deny and ask: an allow never covers what is unknown',
      fix: 'Remove `unknown`.',
    })
  if (ruling === 'allow' && target.prompt !== undefined)
    found.push({ rule, detail: 'a prompt needs no permission', fix: 'Use `deny` or `ask` with `prompt`.' })
  for (const name of toolArgumentsMissing(target))
    found.push({
      rule,
      detail: `\`where.${name}\` is no argument of the tool \`${target.tool}\`.${didYouMean(name, argumentsOf(target.tool))}`,
      fix: `Its arguments: ${argumentsOf(target.tool).join(', ')}.`,
    })
  return found
}

const argumentsOf = (tool: unknown): string[] =>
  typeof tool === 'string' && Object.hasOwn(tools, tool) ? Object.keys(tools[tool as keyof typeof tools].args) : []

/** Only where the name is a near miss: hosts give our tools more arguments than we know. */
function toolArgumentsMissing({ tool, where = {} }: RuleTarget): string[] {
  const known = argumentsOf(tool)
  if (known.length === 0) return []
  return Object.keys(where).filter((path) => {
    const name = path.split('.')[0] as string
    return !known.includes(name) && didYouMean(name, known) !== ''
  })
}

const ended = ({ rule, ends }: CompiledRule, now: Date): RuleNote[] =>
  ends !== undefined && now.getTime() >= ends
    ? [
        {
          rule,
          detail: `does not count any more: it ended on ${rule.until}`,
          fix: 'Remove it, or give it a later date.',
        },
      ]
    : []

function repeated(compiled: readonly CompiledRule[]): RuleNote[] {
  const firsts = new Map<string, string>()
  return compiled.flatMap(({ rule }) => {
    const { id, because: _because, instead: _instead, ...rest } = rule
    const meaning = JSON.stringify(rest)
    const first = firsts.get(meaning)
    if (first !== undefined) return [{ rule, detail: `says the same as \`${first}\``, fix: 'Remove one of them.' }]
    firsts.set(meaning, id)
    return []
  })
}

/** An allow that another rule of the same list always blocks. */
function unreachable({ rule, ruling, target }: CompiledRule, all: readonly CompiledRule[]): RuleNote[] {
  if (ruling !== 'allow' || target.run.length === 0) return []
  const blocking = all.find(
    (each) =>
      each.ruling === 'deny' &&
      !each.except &&
      !each.holds &&
      !each.after &&
      !each.target.tool &&
      !each.target.where &&
      target.run.every((allowed) => each.target.run.some((denied) => touches(denied, commandOf(allowed.text)) === yes)),
  )
  return blocking
    ? [
        {
          rule,
          detail: `can never allow anything: \`${blocking.rule.id}\` blocks it, and deny wins`,
          fix: 'Remove one of them, or give the deny an `except`.',
        },
      ]
    : []
}

const commandOf = (text: string) => ({
  kind: 'run' as const,
  words: text.trim().split(/\s+/).map(known),
  shown: text,
  extras: [],
  inside: [],
})
