import { hasFlag, lookup, type Options, parseArguments, readOptions } from '../../../shell/index.ts'
import { fileWords } from '../outputs.ts'
import { resolvePath } from '../places.ts'
import { isRevealing, isSecret, isSensitive } from '../sensitive.ts'
import { CUT, type Field, isKnown, MAYBE } from '../text.ts'
import type { Arguments, Call } from '../types.ts'
import { SPECIAL, VETOES } from './special.ts'
import {
  HELPS_BY_WORD,
  OWN_WORDS,
  PRINTS_VERSION,
  READ_ONLY_FILES,
  READ_ONLY_SERVICES,
  READ_ONLY_TOOLS,
} from './table.ts'
import { readsCredentialTree } from './trees.ts'

interface RowOptions extends Options {
  /** Those of `ATTACHED` that the row lists with a value. */
  attached?: ReadonlySet<string>
}

interface Row {
  /** Sub-commands, in order. */
  words: readonly (readonly string[])[]
  options: RowOptions
  /** How many operands it may have. */
  most: number
  needs: string | undefined
}

let compiled: Map<string, Row[]> | undefined

/** Whether everything about the call is on the list of what only reads. */
export function isReadOnly(call: Call): boolean {
  if (!call.args.every((word) => isKnown(word.text)))
    return call.args.every(isHarmless) && lookup(TAKES_ANY_WORD, call.name)?.(call.args) === true
  if (!METADATA.has(call.name) && fileWords(call).some((word) => reveals(word, call))) return false
  if (call.args.some((word) => lookup(VETOES, call.name)?.test(word.text))) return false
  if (mayBecomeOption(call) || readsCredentialTree(call)) return false
  const special = lookup(SPECIAL, call.name)
  if (special) return special(call)
  const rows = table().get(call.name) ?? []
  return rows.some((row) => allows(row, rows, call.args)) && (call.name !== 'git' || staysInRepository(call))
}

/** What they do with a word, they do with any. Not `printf`, if it may be an option: `-v name` runs what stands in a subscript of the name. */
const TAKES_ANY_WORD: Readonly<Record<string, (args: readonly Field[]) => boolean>> = {
  echo: () => true,
  printf: ([format]) => format !== undefined && /^(?!-)[^\uE000-\uE005]/.test(format.text),
  test: () => true,
  '[': () => true,
}

/**
 * An unknown variable may hold a credential; what other commands of the line print, they may print. Outside of quotes that is any number of
 * words, and patterns that list directories: `echo $(cat list)`.
 */
const isHarmless = ({ text, taints, splits }: Field): boolean =>
  !splits &&
  !text.includes(MAYBE) &&
  !text.includes(CUT) &&
  taints.every((taint) => taint === 'decoded' || taint === 'listed')

/** None of their options does more than read: a file named like one does no harm. */
const HARMLESS_OPTIONS = new Set(
  (
    'ls gls cat gcat wc gwc head tail grep egrep fgrep file stat du echo nl od cut tac rev basename dirname ' +
    'realpath readlink md5sum sha1sum sha256sum sha512sum cksum'
  ).split(' '),
)

/** `rg x *`: a file that is called `--pre=./x` would be an option. */
function mayBecomeOption({ name, args }: Call): boolean {
  if (HARMLESS_OPTIONS.has(name)) return false
  const dashes = args.findIndex(({ text }) => text === '--')
  const open = dashes < 0 ? args : args.slice(0, dashes)
  return open.some(({ glob, text }) => glob && /^[*?[]/.test(text))
}

/**
 * The settings of a repository name programs, and git runs them. Those of the project itself are the user's: a clone brings
 * none. A directory further down may be a repository that came with the clone, so whoever can look must look there.
 */
function staysInRepository(call: Call): boolean {
  const { operands, flags } = parseArguments(call.args, readOptions('-C: --git-dir= --work-tree='), true)
  const folders = flags.filter(({ name }) => name === 'C').map(({ value }) => value?.text ?? '')
  const whole = folders.reduce<string | undefined>(
    (cwd, folder) => (cwd === undefined ? undefined : resolvePath(folder, { ...call.state, cwd })),
    call.state.cwd,
  )
  // A path outside of the working tree is no business of the repository, and not every command needs one.
  if (operands.length === 0) return true
  if (whole === undefined) return false
  call.run.repositories.add(whole)
  return true
}

/** Programs that describe a file without showing what is in it. */
const METADATA = new Set(
  'ls stat test [ echo printf file find wc du basename dirname realpath readlink which type'.split(' '),
)

/** `.env`, `HEAD:.env`, `--file=.env`. */
function reveals(word: Field, call: Call): boolean {
  return word.text.split(/[:=@]/).some((part) => {
    const each = { ...word, text: part }
    if (HOLDS_TOKENS.test(part)) return true
    return part !== '' && (isSecret(each, call.state) || isRevealing(each, call.state) || isSensitive(each, call.state))
  })
}

/** No files of credentials, and yet people and programs leave some in them. */
const HOLDS_TOKENS = /(?:^|\/)(?:\.git\/config|\.gitconfig|[^/]*\.tfvars(?:\.json)?|wp-config\.php|\.htpasswd)$/i

function allows(row: Row, rows: readonly Row[], words: readonly Field[]): boolean {
  if (row.words.length === 0) return fits(row, parseArguments(words, row.options), 0, words)
  // Options in front of the sub-command belong to the program itself.
  const program = rows.find((each) => each.words.length === 0 && each.needs === undefined)
  const before = parseArguments(words, program?.options ?? readOptions(''), true)
  if (
    !before.flags.every(
      (flag) => program && isListed(flag.name, flag.value, program.options) && !swallows(flag.value, words),
    )
  )
    return false
  const args = parseArguments(before.operands, row.options)
  const matched = row.words.every((choices, index) => isOneOf(choices, args.operands[index]))
  return matched && fits(row, args, row.words.length, words)
}

function isOneOf(choices: readonly string[], operand: Field | undefined): boolean {
  const text = operand?.text ?? ''
  return choices.some((choice) => (choice === '*' ? text !== '' : choice === text))
}

function fits(row: Row, args: Arguments, named: number, words: readonly Field[]): boolean {
  return (
    args.flags.every((flag) => isListed(flag.name, flag.value, row.options) && !swallows(flag.value, words)) &&
    args.operands.length - named <= row.most &&
    (row.needs === undefined || hasFlag(args, row.needs))
  )
}

/**
 * Options whose value can only be attached: without one, the next word is a word of its own. `git branch --color topic`
 * makes a branch.
 */
const ATTACHED = new Set(
  (
    '--color --colour --color-words --word-diff --stat --dirstat --decorate --abbrev --abbrev-ref --short --porcelain --column ' +
    '--untracked-files --ignored --submodule --find-renames --find-copies --relative --notes --branches --tags --remotes --dirty ' +
    '--hash --total --json --human --boot --merged --no-merged'
  ).split(' '),
)

function isListed(name: string, value: Field | undefined, options: RowOptions): boolean {
  if (name.startsWith('-')) return options.names.has(name) && (value === undefined || takesValue(name, options))
  return options.letters.has(name) || (options.numbers && /^\d$/.test(name) && value === undefined)
}

/** An option where the value should be: the program may read the line in another way than we do. */
const swallows = (value: Field | undefined, words: readonly Field[]): boolean =>
  value !== undefined && /^-[^\d]/.test(value.text) && words.includes(value)

const takesValue = (name: string, options: RowOptions): boolean =>
  options.names.get(name) === true || (ATTACHED.has(name) && options.attached?.has(name) === true)

/**
 * `--help` and `--version` end a program before it does anything only where its grammar takes them for flags: alone, and
 * behind nothing but sub-commands. Anywhere else the word may be the value of an option, or belong to what is run.
 */
export function asksForHelp({ name, args }: Call): boolean {
  const texts = args.map(({ text }) => text)
  const last = texts.at(-1) ?? ''
  if (texts.length === 1)
    return PRINTS.has(name) && (last === '--help' || last === '--version' || isShortVersion(name, last))
  if (last !== '--help' || !HELPS.has(name) || texts.length > 4) return false
  const [first = '', ...more] = texts.slice(0, -1)
  const isWord = (text: string) => /^[a-z][a-z0-9-]*$/.test(text) && !RUNS_OTHERS.test(text)
  if (lookup(OWN_WORDS, name)?.includes(first) === false) return false
  return isWord(first) && (more.every(isWord) || /^--(?:hard|soft|mixed|all)$/.test(more.join(' ')))
}

const PRINTS = new Set(PRINTS_VERSION)
const HELPS = new Set(HELPS_BY_WORD)

const isShortVersion = (name: string, word: string): boolean =>
  (word === '-version' && /^javac?$/.test(name)) ||
  (word === '-v' && /^(?:node|nodejs|npm|ruby|perl|php|gem|lua|nginx|bun)$/.test(name)) ||
  (word === '-V' && /^(?:python|python2|ssh|tmux|pip|pip3|perl|awk|gawk|bash|curl|wget|psql|mysql)$/.test(name))

/** Sub-commands that hand the rest of the line to another program. */
const RUNS_OTHERS =
  /^(?:run|run-script|rum|exec|x|dlx|ssh|shell|sh|foreach|attach|debug|create|start|env|plugin|alias|extension)$/

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
      options: withAttached(rest.filter((token) => token.startsWith('-'))),
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

function withAttached(tokens: readonly string[]): RowOptions {
  const isAttached = (token: string) => token.endsWith('=') && ATTACHED.has(token.slice(0, -1))
  const attached = new Set(tokens.filter(isAttached).map((token) => token.slice(0, -1)))
  const options = readOptions(tokens.map((token) => (isAttached(token) ? token.slice(0, -1) : token)).join(' '))
  return { ...options, attached }
}
