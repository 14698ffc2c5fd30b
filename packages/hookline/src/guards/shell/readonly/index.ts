import { hasFlag, interpreterNames, lookup, type Options, parseArguments, readOptions } from '../../../shell/index.ts'
import { fileWords } from '../outputs.ts'
import { knownPrograms } from '../programs/index.ts'
import { isRevealing, isSecret } from '../sensitive.ts'
import { type Field, isKnown } from '../text.ts'
import type { Arguments, Call } from '../types.ts'
import { isWrapping } from '../wrappers.ts'
import { SPECIAL, VETOES } from './special.ts'
import { READ_ONLY_FILES, READ_ONLY_SERVICES, READ_ONLY_TOOLS } from './table.ts'

interface Row {
  /** Sub-commands, in order. */
  words: readonly (readonly string[])[]
  options: Options
  /** How many operands it may have. */
  most: number
  needs: string | undefined
}

let compiled: Map<string, Row[]> | undefined

/** Whether everything about the call is on the list of what only reads. */
export function isReadOnly(call: Call): boolean {
  if (!call.args.every((word) => isKnown(word.text))) return false
  if (!METADATA.has(call.name) && fileWords(call).some((word) => reveals(word, call))) return false
  if (call.args.some((word) => lookup(VETOES, call.name)?.test(word.text))) return false
  const special = lookup(SPECIAL, call.name)
  if (special) return special(call)
  const rows = table().get(call.name) ?? []
  return rows.some((row) => allows(row, rows, call.args))
}

/** Programs that describe a file without showing what is in it. */
const METADATA = new Set(
  'ls stat test [ echo printf file find wc du basename dirname realpath readlink which type'.split(' '),
)

/** `.env`, `HEAD:.env`, `--file=.env`. */
function reveals(word: Field, call: Call): boolean {
  return word.text.split(/[:=@]/).some((part) => {
    const each = { ...word, text: part }
    return part !== '' && (isSecret(each, call.state) || isRevealing(each, call.state))
  })
}

function allows(row: Row, rows: readonly Row[], words: readonly Field[]): boolean {
  if (row.words.length === 0) return fits(row, parseArguments(words, row.options), 0)
  // Options in front of the sub-command belong to the program itself.
  const program = rows.find((each) => each.words.length === 0 && each.needs === undefined)
  const before = parseArguments(words, program?.options ?? readOptions(''), true)
  if (!before.flags.every((flag) => program && isListed(flag.name, flag.value, program.options))) return false
  const args = parseArguments(before.operands, row.options)
  const matched = row.words.every((choices, index) => isOneOf(choices, args.operands[index]))
  return matched && fits(row, args, row.words.length)
}

function isOneOf(choices: readonly string[], operand: Field | undefined): boolean {
  const text = operand?.text ?? ''
  return choices.some((choice) => (choice === '*' ? text !== '' : choice === text))
}

function fits(row: Row, args: Arguments, named: number): boolean {
  return (
    args.flags.every((flag) => isListed(flag.name, flag.value, row.options)) &&
    args.operands.length - named <= row.most &&
    (row.needs === undefined || hasFlag(args, row.needs))
  )
}

function isListed(name: string, value: Field | undefined, options: Options): boolean {
  if (name.startsWith('-')) return options.names.has(name)
  return options.letters.has(name) || (options.numbers && /^\d$/.test(name) && value === undefined)
}

/**
 * In front, `--help` and `--version` end every program we know before it does anything. Further on, `--version` is often
 * an option with a value, and BSD programs take `--help` for a file; only programs with sub-commands look for it there.
 */
export function asksForHelp(call: Call): boolean {
  const [first] = call.args
  if (first?.text === '--help' || first?.text === '--version') return isFamiliar(call.name)
  const at = call.args.findIndex((word) => word.text === '--help')
  if (at < 0 || !hasSubCommands(call.name)) return false
  const before = call.args.slice(0, at).map((word) => word.text)
  // The word may be the value of the option before it: git commit -m --help.
  const value = /^-.$|^--(?:message|file|output|exec|author|body|title)$/.test(before.at(-1) ?? '')
  if (value || before.some((word) => word === '--' || RUNS_OTHERS.test(word))) return false
  return isFamiliar(call.name) && !interpreterNames().includes(call.name) && !isWrapping(call)
}

/** Sub-commands that hand the rest of the line to another program. */
const RUNS_OTHERS = /^(?:run|run-script|exec|x|dlx|ssh|shell)$/

/** Those that run a script of the project by its bare name pass `--help` on to it. */
const hasSubCommands = (name: string) =>
  !/^(?:yarn|pnpm|bun|deno)$/.test(name) && (table().get(name) ?? []).some((row) => row.words.length > 0)

const FEEDERS = new Set([
  'find',
  'gfind',
  'fd',
  'fdfind',
  'xargs',
  'gxargs',
  'parallel',
  'eval',
  'exec',
  'command',
  'source',
])

function isFamiliar(name: string): boolean {
  familiar ??= new Set([...knownPrograms(), ...table().keys()])
  return !FEEDERS.has(name) && familiar.has(name)
}

let familiar: Set<string> | undefined

function table(): Map<string, Row[]> {
  if (compiled) return compiled
  compiled = new Map()
  const lines = [READ_ONLY_FILES, READ_ONLY_TOOLS, READ_ONLY_SERVICES].join('\n').split('\n').filter(Boolean)
  for (const line of lines) {
    const tokens = line.split(' ')
    const end = tokens.findIndex((token) => /^-|^max=|^needs=/.test(token))
    const [programs = '', ...words] = end < 0 ? tokens : tokens.slice(0, end)
    const rest = end < 0 ? [] : tokens.slice(end)
    const most = rest.find((token) => token.startsWith('max='))?.slice(4)
    const row: Row = {
      words: words.map((word) => word.split('|')),
      options: readOptions(rest.filter((token) => token.startsWith('-')).join(' ')),
      most: most === undefined ? Number.POSITIVE_INFINITY : Number(most),
      needs: rest.find((token) => token.startsWith('needs='))?.slice(6),
    }
    for (const program of programs.split('|')) compiled.set(program, [...(compiled.get(program) ?? []), row])
  }
  // The bare row of a program with sub-commands is about its own options: alone, it reads nothing but its help.
  for (const rows of compiled.values())
    if (rows.some((row) => row.words.length > 0)) for (const row of rows) if (row.words.length === 0) row.most = 0
  return compiled
}
