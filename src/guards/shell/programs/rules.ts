import { type Arguments, hasFlag, parseArguments, readOptions } from '../arguments.ts'
import { matchesGlob } from '../glob.ts'
import { emptiest, type Field } from '../text.ts'
import type { Call, Category, Danger, Radius } from '../types.ts'

/** A rule in code, for what a row cannot say. */
export type Judge = (call: Call) => Danger | readonly Danger[] | undefined

/** A family of programs: rows for what is dangerous by its words alone, judges for the rest. */
export interface Family {
  rows?: readonly Row[]
  judges?: Readonly<Record<string, Judge>>
  /** Options that take a value, per program; see arguments.ts. */
  options?: Readonly<Record<string, string>>
}

/**
 * `docker compose down -v|--volumes`: the program, its leading operands in order (`*` globs, `|` alternatives), and
 * flags that must be set wherever they stand. A flag behind `!` must not be set: `kubectl delete !--dry-run`.
 */
export interface Row {
  category: Category
  radius: Radius
  reason: string
  commands: readonly string[]
}

interface Pattern {
  words: readonly (readonly string[])[]
  flags: readonly string[]
  unless: readonly string[]
  row: Row
}

export interface Rules {
  patterns: ReadonlyMap<string, readonly Pattern[]>
  judges: ReadonlyMap<string, readonly Judge[]>
  options: ReadonlyMap<string, string>
}

export function compileRules(families: readonly Family[]): Rules {
  const patterns = new Map<string, Pattern[]>()
  const judges = new Map<string, Judge[]>()
  const options = new Map<string, string>()
  for (const family of families) {
    for (const row of family.rows ?? []) {
      for (const command of row.commands) {
        const [programs = '', ...tokens] = command.split(' ')
        const pattern: Pattern = {
          words: tokens.filter((token) => !/^!?-/.test(token)).map((token) => token.split('|')),
          flags: tokens.filter((token) => token.startsWith('-')).map(flagNames),
          unless: tokens.filter((token) => token.startsWith('!-')).map((token) => flagNames(token.slice(1))),
          row,
        }
        for (const program of programs.split('|')) push(patterns, program, pattern)
      }
    }
    for (const [programs, judge] of Object.entries(family.judges ?? {}))
      for (const program of programs.split(' ')) push(judges, program, judge)
    for (const [programs, notation] of Object.entries(family.options ?? {}))
      for (const program of programs.split(' ')) options.set(program, notation)
  }
  return { patterns, judges, options }
}

export function judgeByRules(rules: Rules, call: Call): Danger[] {
  const dangers: Danger[] = []
  const patterns = rules.patterns.get(call.name)
  if (patterns) {
    const args = parseArguments(call.args, readOptions(rules.options.get(call.name) ?? ''))
    for (const pattern of patterns) if (matches(pattern, args)) dangers.push(pattern.row)
  }
  for (const judge of rules.judges.get(call.name) ?? []) {
    const found = judge(call)
    if (found) dangers.push(...(Array.isArray(found) ? (found as readonly Danger[]) : [found as Danger]))
  }
  return dangers
}

function matches(pattern: Pattern, args: Arguments): boolean {
  const { words, flags, unless } = pattern
  return (
    words.every((choices, index) => isOneOf(choices, args.operands[index])) &&
    flags.every((flag) => hasFlag(args, flag)) &&
    !unless.some((flag) => hasFlag(args, flag))
  )
}

function isOneOf(choices: readonly string[], operand: Field | undefined): boolean {
  const text = (emptiest(operand?.text ?? '') ?? '').toLowerCase()
  return choices.some((choice) => (choice.includes('*') ? matchesGlob(choice, text) : choice === text))
}

/** `-v|--volumes` to `v|--volumes`; `-auto-approve` stays whole. */
function flagNames(token: string): string {
  return token
    .split('|')
    .map((name) => (/^-[^-]$/.test(name) ? name.slice(1) : name))
    .join('|')
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  map.set(key, [...(map.get(key) ?? []), value])
}
