import type { Environment } from '../environment.ts'

/** A piece of a word: text as it stands, or a variable. */
type Piece = { text: string } | { variable: string; quoted: boolean }

const cache = new Map<string, Piece[][] | undefined>()
const piece =
  /(?<blank>[ \t]+)|'(?<single>[^']*)'|"(?<double>(?:[^"\\$`]|\$\{[a-z_]\w*\}|\$[a-z_]\w*)*)"|\$\{(?<braced>[a-z_]\w*)\}|\$(?<bare>[a-z_]\w*)|(?<tilde>(?<![^ \t])~(?=\/))|(?<plain>[\w@%+=:,./-]+)/iy
const variable = /\$\{(\w+)\}|\$(\w+)/g
/** Shells set these themselves, whatever the environment says. */
const ownVariables = new Set([
  'IFS',
  'PPID',
  'OPTIND',
  'OPTARG',
  'LINENO',
  'RANDOM',
  'SECONDS',
  'UID',
  'EUID',
  'SHLVL',
  '_',
])

/**
 * The words of a shell command that is nothing but a path and simple arguments, such as `"$DIR"/hooks/x.sh --fast`;
 * undefined for anything that needs a shell to be understood.
 */
export function simpleWords(command: string, environment: Environment): string[] | undefined {
  if (!cache.has(command)) {
    if (cache.size > 1_000) cache.clear()
    cache.set(command, parse(command))
  }
  const words = cache.get(command)
  return words && expand(words, environment)
}

function parse(command: string): Piece[][] | undefined {
  const source = command.trim()
  const words: Piece[][] = [[]]
  for (piece.lastIndex = 0; piece.lastIndex < source.length; ) {
    const { blank, single, double, braced, bare, tilde, plain } = piece.exec(source)?.groups ?? {}
    const word = words.at(-1) as Piece[]
    if (blank !== undefined) words.push([])
    else if (single !== undefined) word.push({ text: single })
    else if (double !== undefined) word.push(...quotedPieces(double))
    else if (braced ?? bare) word.push({ variable: (braced ?? bare) as string, quoted: false })
    else if (tilde !== undefined) word.push({ variable: 'HOME', quoted: true })
    else if (plain !== undefined) word.push({ text: plain })
    else return undefined
  }
  return words[0]?.some((part) => 'text' in part && part.text.includes('/')) && !isAssignment(words[0])
    ? words
    : undefined
}

function quotedPieces(source: string): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const match of source.matchAll(variable)) {
    pieces.push({ text: source.slice(from, match.index) })
    pieces.push({ variable: (match[1] ?? match[2]) as string, quoted: true })
    from = match.index + match[0].length
  }
  return [...pieces, { text: source.slice(from) }]
}

const isAssignment = (word: Piece[]): boolean => {
  const first = word[0]
  return first !== undefined && 'text' in first && /^\w+\+?=/.test(first.text)
}

function expand(words: Piece[][], environment: Environment): string[] | undefined {
  const expanded: string[] = []
  for (const word of words) {
    let text = ''
    for (const part of word) {
      const value = 'text' in part ? part.text : knownValue(part, environment)
      if (value === undefined) return undefined
      text += value
    }
    expanded.push(text)
  }
  return expanded
}

/** Undefined where the shell knows better: its own variables, and values it would split, drop or look for files by. */
function knownValue(
  { variable, quoted }: Extract<Piece, { variable: string }>,
  environment: Environment,
): string | undefined {
  const value = ownVariables.has(variable) ? undefined : environment[variable]
  return quoted || /^[\w@%+=:,./-]+$/.test(value ?? '') ? value : undefined
}
