import type { Bash, Command } from 'just-bash'

/**
 * The `length` of a string in jq is its number of code points; the one of just-bash counts UTF-16 units, so that a
 * script that bounds a length bounds another one. Its functions cannot be defined anew: filters name ours instead.
 */
export function countCodePoints(bash: Bash): void {
  const { commands } = bash as unknown as { commands: Map<string, Command> }
  const jq = commands.get('jq')
  if (jq) commands.set('jq', { ...jq, execute: (args, context) => jq.execute(withOurLength(args), context) })
}

const ours = '_length_in_code_points'
const definition = `def ${ours}: if type == "string" then (explode | length) else length end; `

function withOurLength(args: readonly string[]): string[] {
  const at = filterAt(args)
  return args.map((arg, index) => (index === at ? renameLength(arg) : arg))
}

/** Options that take words of their own: how many. */
const words: Readonly<Record<string, number>> = {
  ...{ '--arg': 2, '--argjson': 2, '--slurpfile': 2, '--rawfile': 2 },
  '--indent': 1,
}

/** The filter is the first word that is neither an option nor belongs to one. */
function filterAt(args: readonly string[]): number {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    if (arg === '--') return at + 1
    if (!arg.startsWith('-') || arg === '-') return at
    at += words[arg] ?? 0
  }
  return -1
}

/** A piece of a filter: a comment, a name with what stands before it, or any other character. */
const inCode = /#[^\n]*|(?:\.\s*|[$@])?[A-Za-z_]\w*|\s+|[\s\S]/y
/** In text, only its end and what is filled in count: `\(…)` is code again. */
const inText = /\\[\s\S]|[^"\\]+|[\s\S]/y

/** Names our function wherever the filter calls `length`: not a field, a variable, a key of an object, or text. */
export function renameLength(filter: string): string {
  if (!/\blength\b/.test(filter) || /\bdef\s+length\b/.test(filter)) return filter
  const open: string[] = []
  let written = ''
  let before = ''
  for (let at = 0; at < filter.length; ) {
    const inside = open.at(-1)
    const each = next(inside === '"' ? inText : inCode, filter, at)
    at += each.length
    const isCall = each === 'length' && !(inside === '{' && (before === '{' || before === ','))
    written += isCall && inside !== '"' ? ours : each
    if (inside === '"' ? each === '"' : closing.includes(each)) open.pop()
    else if (inside === '"' ? each === '\\(' : opening.includes(each)) open.push(each)
    if (inside !== '"' && each.trim() !== '' && !each.startsWith('#')) before = each
  }
  return written === filter ? filter : definition + written
}

const opening = ['"', '{', '[', '(']
const closing = ['}', ']', ')']

function next(piece: RegExp, text: string, at: number): string {
  piece.lastIndex = at
  return piece.exec(text)?.[0] ?? text.slice(at)
}
