import { isPlain } from '../words.ts'
import type {
  ArithmeticCommandExpansion,
  Command,
  CommandArgument,
  CommandExpansionPart,
  ProcessSubstitutionPart,
  Redirect,
  Redirection,
  Script,
  SyntaxNode,
  Word,
  WordPart,
} from './parse.ts'
import { forEachChild, parseShell } from './parse.ts'

/** What a variable holds; undefined when that is not known. */
export type Lookup = (name: string) => string | undefined

/** A piece of a word: text, a variable, or what is known only when it runs. `bare` text stands outside all quotes. */
export type Piece = { text: string; bare?: true } | { variable: string; quoted: boolean } | 'unknown'

export interface ShellWord {
  /** As it is written. */
  raw: string
  pieces: readonly Piece[]
  /** Where it stands in the whole text; absent where the text that runs is not the text that is written. */
  span?: readonly [start: number, end: number]
}

/** One simple command. */
export interface ShellCommand {
  /** `NAME=value` in front of it. */
  assignments: readonly ShellWord[]
  words: readonly ShellWord[]
  /** The file behind its `<`. */
  input?: ShellWord
  /** It stands inside a substitution. */
  substituted: boolean
}

export interface ShellReading {
  /** Every simple command, those inside substitutions before the command that needs their output. */
  commands: readonly ShellCommand[]
  /** Functions that the text defines. */
  functions: ReadonlySet<string>
  /** The text is one simple command and nothing else: no assignment, redirection, operator, comment. */
  single: boolean
  /** Not well-formed, or too deep to be read: there may be more commands. */
  broken: boolean
}

const readings = new Map<string, ShellReading>()
const mostKept = 1_000
const longestKept = 16_384

/** The simple commands of a shell text. What it cannot read becomes a command that is known only when it runs. */
export function readShell(source: string): ShellReading {
  const known = readings.get(source)
  if (known) return known
  const reading = readQuickly(source) ?? readGrammar(source)
  if (source.length > longestKept) return reading
  if (readings.size >= mostKept) readings.clear()
  readings.set(source, reading)
  return reading
}

/**
 * The value of a word, where that is certain. An unquoted variable counts only when its value is plain: the shell
 * would split any other, and look for files by it.
 */
export function textOf({ pieces }: Pick<ShellWord, 'pieces'>, lookup: Lookup): string | undefined {
  let text = ''
  for (const piece of pieces) {
    const value = piece === 'unknown' ? undefined : 'text' in piece ? piece.text : lookup(piece.variable)
    if (value === undefined) return undefined
    if (piece !== 'unknown' && 'variable' in piece && !piece.quoted && !isPlain(value)) return undefined
    text += value
  }
  return text
}

/** Shells set these themselves, whatever the environment says. */
const ownVariables = new Set('IFS PPID OPTIND OPTARG LINENO RANDOM SECONDS UID EUID SHLVL _'.split(' '))

/**
 * The words of a command that is nothing but a path and simple arguments, such as `"$DIR"/hooks/x.sh --fast`, as
 * every shell reads them; undefined for anything that needs a shell to be understood.
 */
export function simpleWords(command: string, variables: Readonly<Record<string, string>>): string[] | undefined {
  const { single, commands } = readShell(command.trim())
  const words = commands.at(-1)?.words ?? []
  const isPath = words[0]?.pieces.some((piece) => piece !== 'unknown' && 'text' in piece && piece.text.includes('/'))
  if (!single || !isPath) return undefined
  const known: Lookup = (name) =>
    ownVariables.has(name) || !Object.hasOwn(variables, name) ? undefined : variables[name]
  const values = words.map((word) => (word.pieces.every(isPortable) ? textOf(word, known) : undefined))
  return values.every((value) => value !== undefined) ? values : undefined
}

/** Shells do not agree on what other bare text means: `{a,b}`, `x=~/y`, `a!b`. */
const isPortable = (piece: Piece): boolean =>
  piece === 'unknown' || !('bare' in piece) || piece.text === '' || isPlain(piece.text)

/** Words without anything that means more to a shell than itself, one blank between them: read without its grammar. */
const justWords = /^[\w./-]+(?: [\w./:,=@%+-]+)*$/
const reserved = /^(?:case|coproc|do|done|elif|else|esac|fi|for|function|if|in|select|then|time|until|while)(?: |$)/

function readQuickly(source: string): ShellReading | undefined {
  if (!justWords.test(source) || reserved.test(source)) return undefined
  let at = 0
  const words = source.split(' ').map((raw): ShellWord => {
    const start = at
    at += raw.length + 1
    return { raw, pieces: [{ text: raw, bare: true }], span: [start, start + raw.length] }
  })
  return {
    commands: [{ assignments: [], words, substituted: false }],
    functions: new Set(),
    single: true,
    broken: false,
  }
}

function readGrammar(source: string): ShellReading {
  const { scripts, broken, tooDeep } = parseShell(source)
  const commands: ShellCommand[] = []
  const functions = new Set<string>()
  if (tooDeep) commands.push(unreadable(source))
  for (const { script, source: part } of scripts)
    visit(script, { offset: source.length - part.length, substituted: false }, commands, functions)
  return { commands, functions, single: !broken && isSingle(scripts[0]?.script, source), broken }
}

interface Place {
  /** What positions count from in the whole text; undefined in backquotes that hold backslashes, which go before it runs. */
  offset: number | undefined
  substituted: boolean
}

function visit(node: SyntaxNode, place: Place, commands: ShellCommand[], functions: Set<string>): void {
  if (node.type === 'Function') functions.add(node.name.value)
  if (isSubstitution(node) && !node.script && /\w/.test(node.text)) commands.push(unreadable(node.text))
  const inner = {
    offset: node.type === 'Script' && node.source !== undefined ? undefined : place.offset,
    substituted: place.substituted || isSubstitution(node),
  }
  forEachChild(node, (child) => visit(child, inner, commands, functions))
  if (node.type !== 'Command') return
  const command = commandOf(node, place)
  if (command.words.length > 0 || command.assignments.length > 0 || command.input) commands.push(command)
}

const isSubstitution = (node: SyntaxNode): node is SubstitutionNode =>
  ['CommandExpansion', 'ProcessSubstitution', 'ArithmeticCommandExpansion'].includes(node.type)

type SubstitutionNode = CommandExpansionPart | ProcessSubstitutionPart | ArithmeticCommandExpansion

function commandOf(node: Command, { offset, substituted }: Place): ShellCommand {
  const input = node.redirects.flatMap((each) => (isInput(each) && each.target ? [each.target] : [])).at(-1)
  const words: readonly CommandArgument[] = node.name ? [node.name, ...node.args] : []
  return {
    assignments: node.prefix.flatMap((each) => (each.type === 'Assignment' ? [wordOf(each, offset)] : [])),
    words: words.map((each) => wordOf(each, offset)),
    ...(input && { input: wordOf(input, offset) }),
    substituted,
  }
}

const isInput = (redirect: Redirection): redirect is Redirect =>
  redirect.type === 'Redirect' && (redirect.operator === '<' || redirect.operator === '<>')

function wordOf(node: CommandArgument, offset: number | undefined): ShellWord {
  const span = offset === undefined ? undefined : ([offset + node.pos, offset + node.end] as const)
  return { raw: node.text, pieces: piecesOf(node), ...(span && { span }) }
}

function piecesOf(node: CommandArgument): Piece[] {
  if (node.type === 'Word') return wordPieces(node)
  if (node.value.type !== 'Word') return ['unknown']
  const { text, value } = node
  return [{ text: text.slice(0, text.length - value.text.length), bare: true }, ...wordPieces(value)]
}

function wordPieces({ parts, text, value }: Word): Piece[] {
  if (!parts) return bareText(text, value, true)
  return parts.flatMap((part, at) =>
    part.type === 'Literal' && at === 0 ? bareText(part.text, part.value, parts.length === 1) : pieceOf(part, false),
  )
}

/** `~` is the home directory in front of a slash, or as a whole word. */
function bareText(text: string, value: string, whole: boolean): Piece[] {
  const isHome = text.startsWith('~/') || (whole && text === '~')
  if (!isHome) return [{ text: value, bare: true }]
  return [
    { variable: 'HOME', quoted: true },
    { text: value.slice(1), bare: true },
  ]
}

function pieceOf(part: WordPart, quoted: boolean): Piece[] {
  switch (part.type) {
    case 'Literal':
      return [quoted ? { text: part.value } : { text: part.value, bare: true }]
    case 'SingleQuoted':
      return [{ text: part.value }]
    case 'DoubleQuoted':
      return [{ text: '' }, ...part.parts.flatMap((inner) => pieceOf(inner, true))]
    case 'SimpleExpansion':
    case 'ParameterExpansion': {
      const variable = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))$/.exec(part.text)
      return variable ? [{ variable: (variable[1] ?? variable[2])!, quoted }] : ['unknown']
    }
    default:
      return ['unknown']
  }
}

function isSingle(script: Script | undefined, source: string): boolean {
  const [statement, more] = script?.commands ?? []
  const command = statement?.command
  if (!command || more || statement.background || command.type !== 'Command' || !command.name) return false
  const words = [command.name, ...command.args]
  // The parser forgives what no shell does: `x.sh (a`.
  const isBlank = (start: number, end: number) => /^(?:[ \t]|\\\n)*$/.test(source.slice(start, end))
  return (
    command.prefix.length + command.redirects.length === 0 &&
    words.every(({ pos }, at) => isBlank(words[at - 1]?.end ?? 0, pos)) &&
    isBlank(words.at(-1)!.end, source.length)
  )
}

const unreadable = (text: string): ShellCommand => ({
  assignments: [],
  words: [{ raw: text.slice(0, 80), pieces: ['unknown'] }],
  substituted: true,
})
