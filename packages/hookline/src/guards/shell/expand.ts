import { type ArithmeticExpression, parseShell, type Word, type WordPart } from '../../shell/syntax/index.ts'
import { calculate, evaluateArithmetic, type Surroundings } from './arithmetic.ts'
import { expandBraces } from './braces.ts'
import { spend, spendOnText } from './budget.ts'
import { report } from './findings.ts'
import { expandParameter, readParameter } from './parameters.ts'
import {
  clip,
  type Field,
  field,
  isCountable,
  MAYBE,
  mixTaints,
  onlyListed,
  SOME,
  type Stream,
  type Taint,
  UNTAINTED,
} from './text.ts'
import type { Run, Shell } from './types.ts'

interface Piece {
  text: string
  taints: readonly Taint[]
  quoted: boolean
  glob: boolean
  /** `"$@"`: every element is a word of its own. */
  words?: readonly Field[]
  content?: Stream
  listed?: string | undefined
  splits?: boolean
}

/** One word of source to the words the command receives: none, one or many. */
export function expandWord(word: Word, shell: Shell): Field[] {
  const parts = word.parts
  spend(shell.run, 1)
  if (!parts) return [field(expandTilde(word.text, word.value, shell))]
  if (parts.some((part) => part.type === 'BraceExpansion')) return expandBraced(word, shell)
  const pieces = parts.map((part, index) => {
    spend(shell.run, 1)
    const tilde = index === 0 && part.type === 'Literal'
    return expandPart(tilde ? { ...part, value: expandTilde(part.text, part.value, shell) } : part, shell)
  })
  return joinPieces(pieces, separators(shell), shell.run)
}

/** A word where no splitting happens: assignments, redirect targets, here-strings. */
export function expandSingle(word: Word | undefined, shell: Shell): Field {
  if (!word) return field('')
  const fields = word.parts
    ? joinPieces(expandParts(word.parts, word.text, shell), '', shell.run)
    : expandWord(word, shell)
  if (fields.length === 1) return fields[0] as Field
  return field(fields.map((each) => each.text).join(' '), mixTaints(...fields.map((each) => each.taints)))
}

/** The body of a here-document. */
export function expandBody(parts: readonly WordPart[] | undefined, text: string, shell: Shell): Stream {
  if (!parts) return { text, taints: UNTAINTED }
  const pieces = parts.map((part) => expandPart(part, shell))
  return { text: clip(pieces.map(pieceText).join('')), taints: mixTaints(...pieces.map((piece) => piece.taints)) }
}

function expandParts(parts: readonly WordPart[], text: string, shell: Shell): Piece[] {
  const pieces = parts.map((part) => expandPart(part, shell))
  const [first] = parts
  if (first?.type === 'Literal' && text.startsWith('~') && pieces[0])
    pieces[0].text = expandTilde(first.text, first.value, shell)
  return pieces
}

function expandPart(part: WordPart, shell: Shell): Piece {
  spend(shell.run, 1)
  switch (part.type) {
    case 'Literal':
      return piece(part.value, false)
    case 'Glob':
      expandWithin(part.text, shell)
      return { ...piece(part.text, false), glob: true }
    case 'ExtendedGlob':
      expandWithin(part.text, shell)
      if (!PLAIN_GLOB.test(part.text)) report(shell.run, 'unknown', RUN_BY_ZSH, part.text)
      return { ...piece('*', false), glob: true }
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return piece(part.value, true)
    case 'DoubleQuoted':
    case 'LocaleString':
      return expandQuoted(part.parts, shell)
    case 'SimpleExpansion':
      return fromFields(paid(readParameter(part.text.slice(1), shell), shell), part.text === '$@', separators(shell))
    case 'ParameterExpansion':
      if (part.text.startsWith('${(')) report(shell.run, 'unknown', RUN_BY_ZSH, part.text)
      return fromFields(
        paid(expandParameter(part, shell, expandSingle), shell),
        part.index?.text === '@',
        separators(shell),
      )
    case 'CommandExpansion': {
      const output = shell.evaluate(part.script, part.script?.source ?? shell.source)
      return {
        ...piece(output.text.replace(/\n+$/, ''), false),
        taints: output.taints,
        listed: onlyListed(output.listed),
      }
    }
    case 'ArithmeticExpansion':
      return piece(expandArithmetic(part.expression, shell), false)
    case 'ProcessSubstitution': {
      const stdin = part.operator === '>' ? { text: SOME, taints: UNTAINTED } : undefined
      const content = shell.evaluate(part.script, shell.source, stdin)
      return { ...piece('/dev/fd/63', true), taints: content.taints, content }
    }
    case 'BraceExpansion':
      expandWithin(part.text, shell)
      return piece(part.text, false)
  }
}

/** Alternatives, as bash has them. In zsh, what stands in the brackets may be code: `*(e:'…':)`, `*(+name)`. */
const PLAIN_GLOB = /^[@?*+!]\([\w.*?|-]*\)$/
const RUN_BY_ZSH = {
  category: 'unresolved',
  radius: 'unknown',
  reason: 'In zsh, this may run code.',
} as const

function paid(fields: readonly Field[], { run }: Shell): readonly Field[] {
  spend(run, fields.length)
  return fields
}

/** Arithmetic evaluates the text of variables again, subscripts and the substitutions in them included. */
export const expandArithmetic = (expression: ArithmeticExpression | undefined, shell: Shell): string =>
  evaluateArithmetic(expression, surroundings(shell))

/** Text that is a number for whoever reads it: `[[ $x -eq 1 ]]`, `a[x]=1`, `let`. */
export const calculateText = (text: string, shell: Shell): string => calculate(text, surroundings(shell))

const surroundings = (shell: Shell): Surroundings => ({
  spend: () => spend(shell.run, 1),
  word: (word) => (word.parts ? expandBody(word.parts, word.value, shell).text : word.value),
  command: (node) => shell.evaluate(node.script, shell.source).text.trim(),
  variable: (name) => {
    const known = (/^\d/.test(name) ? readParameter(name, shell) : shell.state.variables.get(name))?.[0]?.text
    if (known === undefined) report(shell.run, 'unknown', UNKNOWN_NUMBER, name)
    return known
  },
  assign: (name, text) => void shell.state.variables.set(name, [field(text)]),
  again: (text) => shell.evaluateText(text),
  unread: (text) => report(shell.run, 'unknown', UNKNOWN_NUMBER, text),
})

const UNKNOWN_NUMBER = {
  category: 'unresolved',
  radius: 'unknown',
  reason: 'It calculates with a value that is only known when it runs.',
} as const

function expandQuoted(parts: readonly WordPart[], shell: Shell): Piece {
  const pieces = parts.map((part) => expandPart(part, shell))
  const only = pieces.length === 1 ? pieces[0] : undefined
  if (only?.words) return { ...only, quoted: true }
  return {
    text: clip(pieces.map(pieceText).join('')),
    taints: mixTaints(...pieces.map((each) => each.taints)),
    quoted: true,
    glob: false,
    listed: listedIn(pieces),
  }
}

function expandBraced(word: Word, shell: Shell): Field[] {
  if (word.text.includes('..')) expandWithin(word.text, shell)
  return expandBraces(word.text, shell.run).flatMap((alternative) => {
    const source = `: ${alternative}`
    const command = parseShell(source, (cost) => spend(shell.run, 2 + cost)).scripts[0]?.script.commands[0]?.command
    const inner = command?.type === 'Command' ? command.args : []
    return inner.flatMap((each) => {
      if (each.type !== 'Word') return [field(each.text)]
      const literal = each.parts?.some((part) => part.type === 'BraceExpansion')
      return literal ? [field(/[$`]/.test(each.text) ? SOME : each.value)] : expandWord(each, { ...shell, source })
    })
  })
}

/** `[$(…)]` is a pattern and `{1..$(…)}` no list: what stands in them is expanded all the same. */
function expandWithin(text: string, shell: Shell): void {
  if (/\$\(\(|\$\[/.test(text)) report(shell.run, 'unknown', UNKNOWN_NUMBER, text)
  if (/[$`]/.test(text)) shell.evaluateText(text)
}

/** `$*` puts the first separator between its words. */
function fromFields(fields: readonly Field[], separate: boolean, ifs: string): Piece {
  const taints = mixTaints(...fields.map((each) => each.taints))
  const text = clip(fields.map((each) => each.text).join(ifs[0] ?? ''))
  const glob = fields.some((each) => each.glob)
  const plain: Piece = {
    text,
    taints,
    quoted: false,
    glob,
    listed: fields.length === 1 ? fields[0]?.listed : undefined,
  }
  return separate ? { ...plain, words: fields } : plain
}

const piece = (text: string, quoted: boolean): Piece => ({ text, quoted, taints: UNTAINTED, glob: false })
/** What is known of the whole, where that is another thing than its text. */
const listedIn = (pieces: readonly Piece[]): string | undefined =>
  pieces.some((each) => each.listed !== undefined)
    ? clip(pieces.map((each) => each.listed ?? each.text).join(''))
    : undefined

const pieceText = (each: Piece) => each.text

/** Joins pieces into words; unquoted expansions break at the characters of `$IFS`. */
function joinPieces(pieces: readonly Piece[], ifs: string, run: Run): Field[] {
  const fields: Field[] = []
  let current: Field | undefined
  const append = (text: string, from: Piece) => {
    current ??= field('')
    spend(run, 1)
    spendOnText(run, text.length + current.text.length, 256)
    const splits = current.splits || from.splits || (!from.quoted && !isCountable(text))
    const listed = current.listed ?? (from.listed === undefined ? undefined : current.text)
    current = {
      ...(listed === undefined ? {} : { listed: clip(listed + (from.listed ?? text)) }),
      text: clip(current.text + text),
      taints: mixTaints(current.taints, from.taints),
      glob: current.glob || from.glob || (!from.quoted && /[*?]/.test(text)),
    }
    if (from.content) current.content = from.content
    if (splits) current.splits = true
  }
  const finish = () => {
    if (current) fields.push(current)
    current = undefined
  }
  for (const each of pieces) {
    if (each.words && each.quoted) {
      for (const [index, word] of each.words.entries()) {
        if (index > 0) finish()
        const splits = !isCountable(word.text)
        append(word.text, { ...each, taints: word.taints, glob: false, listed: word.listed, splits })
      }
    } else if (each.quoted || ifs === '' || (each.listed !== undefined && each.text !== '')) append(each.text, each)
    else {
      spendOnText(run, each.text.length, 32)
      for (const [index, part] of splitBy(each.text, ifs).entries()) {
        if (index > 0) finish()
        if (part !== '') append(part, each)
      }
    }
  }
  finish()
  return fields
}

function splitBy(text: string, ifs: string): string[] {
  const runs: string[] = []
  let run = ''
  for (const char of text) {
    if (!ifs.includes(char)) run += char
    else {
      runs.push(run)
      run = ''
    }
  }
  return [...runs, run]
}

function separators(shell: Shell): string {
  const ifs = shell.state.variables.get('IFS')?.[0]?.text
  return ifs === undefined ? ' \t\n' : ifs
}

function expandTilde(text: string, value: string, shell: Shell): string {
  // Bash expands it in every word that looks like an assignment: `dd of=~/x`.
  const [, name] = /^([A-Za-z_]\w*=)~/.exec(text) ?? []
  if (name !== undefined && value.startsWith(name))
    return name + expandTilde(text.slice(name.length), value.slice(name.length), shell)
  if (!text.startsWith('~')) return value
  const [head = ''] = value.split('/')
  if (head === '~') return shell.state.home + value.slice(1)
  if (head === '~+') return (shell.state.cwd ?? '.') + value.slice(2)
  if (head === '~-') return MAYBE + value.slice(2)
  return head === '~root' ? `/root${value.slice(5)}` : `/home/${value.slice(1)}`
}
