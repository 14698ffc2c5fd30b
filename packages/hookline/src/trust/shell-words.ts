/** A word of a shell command: `text` when its value is certain, else only how it is written. */
export interface Word {
  raw: string
  text?: string
  /** Where it stands in the whole text, for putting another in its place. */
  span?: readonly [start: number, end: number]
}

/** One simple command; `input` is the file behind its `<`. */
export interface SimpleCommand {
  words: Word[]
  input?: Word
}

/** What a variable holds; undefined when that is not known. */
export type Lookup = (name: string) => string | undefined

/**
 * The simple commands of a shell text, those inside substitutions too, in the order of the text. It leans towards
 * seeing too many commands: this finds files to pin, and one too many does no harm.
 */
export function shellCommands(source: string, lookup: Lookup): SimpleCommand[] {
  const commands: SimpleCommand[] = []
  const moves = /\b(?:cd|pushd|popd)\b/.test(source)
  const known: Lookup = (name) => (isAssignedIn(source, name) || (moves && name === 'PWD') ? undefined : lookup(name))
  scan(source, known, commands, { depth: 0, offset: 0 })
  return commands.filter(({ words, input }) => words.length > 0 || input)
}

const blanks = /[ \t]|\\\n/y
const comment = /#[^\n]*/y
const hereDocument = /<<-?[ \t]*(['"]?)([\w.-]+)\1/y
const separator = /[;&|\n(){}]+/y
const processSubstitution = /[<>]\(/y
const redirect = /\d*(?:<<<|<>|>>|>\||>&|<&|&>>|&>|<|>)[ \t]*/y

/** Deeper than this, nobody writes; what is there is taken for a program that is known only when it runs. */
const deepest = 30

/** How far inside substitutions a text is, and where in the whole text it begins. */
interface Level {
  depth: number
  offset: number
}

function scan(source: string, lookup: Lookup, commands: SimpleCommand[], level: Level): void {
  if (level.depth > deepest) {
    commands.push({ words: [{ raw: source.slice(0, 80) }] })
    return
  }
  let command: SimpleCommand = { words: [] }
  const finish = () => {
    commands.push(command)
    command = { words: [] }
  }
  for (let at = 0; at < source.length; ) {
    const take = (pattern: RegExp): RegExpExecArray | null => {
      pattern.lastIndex = at
      const found = pattern.exec(source)
      if (found) at += found[0].length
      return found
    }
    if (take(blanks) || take(comment)) continue
    const here = take(hereDocument)
    if (here) {
      // The text of a here-document is part of the definition and no command; blanks keep what follows in its place.
      const end = new RegExp(`\\n[ \\t]*${escaped(here[2]!)}[ \\t]*(?=\\n|$)`).exec(source.slice(at))
      const line = source.indexOf('\n', at)
      if (end && line >= 0) {
        const rest = at + end.index + end[0].length
        source = source.slice(0, line) + ' '.repeat(rest - line) + source.slice(rest)
      }
      continue
    }
    if (take(processSubstitution)) {
      const end = closing(source, at - 1)
      command.words.push({ raw: source.slice(at - 2, end + 1) })
      scan(source.slice(at, end), lookup, commands, inside(level, at))
      at = end + 1
      continue
    }
    const sign = take(redirect)?.[0]
    if (sign === undefined && take(separator)) {
      finish()
      continue
    }
    const { word, end } = readWord(source, at, lookup, commands, level)
    if (end === at) at++
    else at = end
    if (sign === undefined) command.words.push(word)
    else if (sign.includes('<') && !sign.includes('<<<') && !sign.includes('&')) command.input = word
  }
  finish()
}

/** One word from `at`: quotes removed and variables filled in where that is certain. */
function readWord(
  source: string,
  start: number,
  lookup: Lookup,
  commands: SimpleCommand[],
  level: Level,
): { word: Word; end: number } {
  let text: string | undefined = ''
  let at = start
  const add = (more: string | undefined) => {
    text = text === undefined || more === undefined ? undefined : text + more
  }
  const home = /~(?=\/|[\s;&|]|$)/y
  home.lastIndex = at
  if (home.test(source)) {
    add(lookup('HOME'))
    at++
  }
  let quoted = false
  for (; at < source.length; ) {
    const character = source[at]!
    if (!quoted && /[\s;&|<>()]/.test(character)) break
    if (character === '"') {
      quoted = !quoted
      at++
    } else if (character === "'" && !quoted) {
      const end = source.indexOf("'", at + 1)
      add(source.slice(at + 1, end < 0 ? undefined : end))
      at = end < 0 ? source.length : end + 1
    } else if (character === '\\') {
      const next = source[at + 1] ?? ''
      add(quoted && !/["\\$`\n]/.test(next) ? `\\${next}` : next === '\n' ? '' : next)
      at += 2
    } else if (character === '`') {
      const end = source.indexOf('`', at + 1)
      scan(source.slice(at + 1, end < 0 ? undefined : end), lookup, commands, inside(level, at + 1))
      add(undefined)
      at = end < 0 ? source.length : end + 1
    } else if (source.startsWith('$(', at)) {
      const end = closing(source, at + 1)
      if (source[at + 2] !== '(') scan(source.slice(at + 2, end), lookup, commands, inside(level, at + 2))
      add(undefined)
      at = end + 1
    } else if (character === '$') {
      const variable = /\$(?:\{(\w+)\}|([A-Za-z_]\w*)|\{[^}]*\}|.)?/y
      variable.lastIndex = at
      const found = variable.exec(source)!
      const name = found[1] ?? found[2]
      const value = name === undefined ? undefined : lookup(name)
      // Without quotes the shell splits a value and looks for files by it.
      add(found[0] === '$' ? '$' : quoted || /^[\w@%+=:,./-]+$/.test(value ?? '') ? value : undefined)
      at += found[0].length
    } else {
      add(!quoted && /[*?[{}]/.test(character) ? undefined : character)
      at++
    }
  }
  const raw = source.slice(start, at)
  if (raw === '[') text = raw
  const span = [level.offset + start, level.offset + at] as const
  return { word: text === undefined ? { raw, span } : { raw, text, span }, end: at }
}

const inside = ({ depth, offset }: Level, at: number): Level => ({ depth: depth + 1, offset: offset + at })

/** The parenthesis that closes the one at `open`. */
function closing(source: string, open: number): number {
  let depth = 0
  for (let at = open; at < source.length; at++) {
    const character = source[at]
    if (character === '\\') at++
    else if (character === "'") at = Math.max(at, source.indexOf("'", at + 1))
    else if (character === '(') depth++
    else if (character === ')' && --depth === 0) return at
  }
  return source.length
}

/** A name that stands anywhere without a `$` may be given another value on the way. */
function isAssignedIn(source: string, name: string): boolean {
  return new RegExp(`(?<![\\w$]|\\$\\{)${escaped(name)}(?!\\w)|\\$\\{${escaped(name)}:?=`).test(source)
}

const escaped = (text: string): string => text.replace(/[^\w]/g, '\\$&')
