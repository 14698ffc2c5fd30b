import { hasFlag, matchesGlob, parseArguments, readOptions } from '../../../shell/index.ts'
import { emptiest, type Field } from '../text.ts'
import type { Arguments, Call, Category, Danger, Radius } from '../types.ts'

/** A rule in code, for what a row cannot say. */
export type Judge = (call: Call) => Danger | readonly Danger[] | undefined

/** A family of programs: rows for what is dangerous by its words alone, judges for the rest. */
export interface Family {
  rows?: readonly Row[]
  judges?: Readonly<Record<string, Judge>>
  /** Options that take a value, per program; see arguments.ts. */
  options?: Readonly<Record<string, string>>
  /** With one of these flags a program only says what it would do: no row of it fits then. */
  dry?: Readonly<Record<string, string>>
}

/**
 * `docker compose down -v|--volumes`: the program, its leading operands in order (`*` globs, `|` alternatives), and
 * flags that must be set wherever they stand. A flag behind `!` must not be set: `kubectl delete !--dry-run`.
 */
export interface Row {
  category: Category
  radius: Radius
  reason: string
  /** Something to know about, and not to warn of: what is lost is made again. */
  mild?: true
  commands: readonly string[]
}

interface Pattern {
  words: readonly (readonly string[])[]
  flags: readonly string[]
  unless: readonly string[]
  row: Row
}

/** What is known of one program. */
interface Known {
  patterns: readonly Pattern[]
  judges: readonly Judge[]
  notation: string
  dry: string
}

export interface Rules {
  of(program: string): Known
  /** Every program that something is known of. */
  programs(): string[]
}

/** Names can be made up; what is gathered of them must not fill the memory. */
const mostKnown = 2_000

/** Of a program, what is known is gathered when it is first met: most processes judge one command. */
export function compileRules(families: readonly Family[]): Rules {
  const known = new Map<string, Known>()
  return {
    of(program) {
      const found = known.get(program) ?? gather(families, program)
      if (known.size >= mostKnown) known.clear()
      known.set(program, found)
      return found
    },
    programs: () =>
      families.flatMap(({ rows = [], judges = {} }) => [
        ...rows.flatMap((row) => row.commands.flatMap((command) => programsOf(command).split('|'))),
        ...Object.keys(judges).flatMap((programs) => programs.split(' ')),
      ]),
  }
}

function gather(families: readonly Family[], program: string): Known {
  const commands = families.flatMap(({ rows = [] }) =>
    rows.flatMap((row) =>
      row.commands.filter((command) => names(programsOf(command), '|', program)).map((command) => ({ command, row })),
    ),
  )
  const isOf = ([programs]: readonly [string, unknown]) => names(programs, ' ', program)
  const lastOf = (table: (family: Family) => Readonly<Record<string, string>> | undefined) =>
    families.flatMap((family) => Object.entries(table(family) ?? {}).filter(isOf)).at(-1)?.[1] ?? ''
  return {
    patterns: commands.map(({ command, row }) => patternOf(command, row)),
    judges: families.flatMap(({ judges = {} }) =>
      Object.entries(judges)
        .filter(isOf)
        .map(([, judge]) => judge),
    ),
    notation: lastOf(({ options }) => options),
    dry: lastOf(({ dry }) => dry),
  }
}

function patternOf(command: string, row: Row): Pattern {
  const [, ...tokens] = command.split(' ')
  return {
    words: tokens.filter((token) => !/^!?-/.test(token)).map((token) => token.split('|')),
    flags: tokens.filter((token) => token.startsWith('-')).map(flagNames),
    unless: tokens.filter((token) => token.startsWith('!-')).map((token) => flagNames(token.slice(1))),
    row,
  }
}

function programsOf(command: string): string {
  const end = command.indexOf(' ')
  return end === -1 ? command : command.slice(0, end)
}

const names = (list: string, separator: string, program: string): boolean =>
  list.includes(program) && list.split(separator).includes(program)

export function judgeByRules(rules: Rules, call: Call): Danger[] {
  const dangers: Danger[] = []
  const { patterns, judges, notation, dry } = rules.of(call.name)
  if (patterns.length > 0) {
    const args = parseArguments(call.args, readOptions(notation))
    if (!isDry(args, dry)) for (const pattern of patterns) if (matches(pattern, args)) dangers.push(pattern.row)
  }
  for (const judge of judges) {
    const found = judge(call)
    if (found) dangers.push(...(Array.isArray(found) ? (found as readonly Danger[]) : [found as Danger]))
  }
  return dangers
}

/** Spelt out, not taken back, and not the value of another option. */
export function isDry(args: Arguments, names: string): boolean {
  const wanted = names.split('|')
  const taken = args.flags.some(({ name }) => wanted.includes(name.replace(/^--no-/, '--')) && name.startsWith('--no-'))
  const given = args.flags.filter(({ name }) => wanted.includes(name))
  return (
    names !== '' &&
    given.length > 0 &&
    !taken &&
    given.every(({ value }) => !/^(?:none|false|no|0|off)$/i.test(value?.text ?? ''))
  )
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
