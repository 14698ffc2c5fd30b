import { compilePattern } from '../../core/regex.ts'

/** Chooses one of this many; 0 is the plainest. */
type Pick = (choices: number) => number
type Piece = (pick: Pick) => string

/** More tries than this find nothing new in a pattern that a person wrote. */
const tries = 60

/**
 * Texts that match a pattern, the plainest first. Every one was put to the pattern itself, so what this reader of
 * patterns gets wrong costs a sample and never makes a false one. Empty: none was found.
 */
export function* samplesOf(source: string, whole: boolean): Generator<string> {
  const compiled = compilePattern(source, whole)
  const piece = compiled.ok ? readPattern(source) : undefined
  if (!compiled.ok || !piece) return
  const seen = new Set<string>()
  for (let attempt = 0; attempt < tries; attempt++) {
    const text = piece(attempt === 0 ? () => 0 : picker(attempt))
    if (seen.has(text) || !compiled.pattern.test(text)) continue
    seen.add(text)
    yield text
  }
}

/** Draws anew for every attempt, and the same in every run. */
function picker(seed: number): Pick {
  let state = seed
  return (choices) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 16) % choices
  }
}

/** Reads a pattern into something that writes texts like it; undefined when it uses what is not known here. */
function readPattern(source: string): Piece | undefined {
  let at = 0
  const piece = alternatives()
  return at === source.length ? piece : undefined

  function alternatives(): Piece {
    const branches = [sequence()]
    while (source[at] === '|') {
      at++
      branches.push(sequence())
    }
    return (pick) => branches[pick(branches.length)]!(pick)
  }

  function sequence(): Piece {
    const parts: Piece[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(repeated(single()))
    return (pick) => parts.map((part) => part(pick)).join('')
  }

  function repeated(piece: Piece): Piece {
    const [written, low, comma, high] = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(source.slice(at)) ?? []
    if (written === undefined) return piece
    at += written.length
    if (source[at] === '?') at++
    const least = written === '+' ? 1 : Number(low ?? 0)
    const exact = low !== undefined && (comma === '' || high === low)
    return (pick) => Array.from({ length: least + (exact ? 0 : pick(2)) }, () => piece(pick)).join('')
  }

  function single(): Piece {
    const character = source[at]!
    if (character === '(') return group()
    if (character === '^' || character === '$') return skip(1)
    if (character === '.') return one('.')
    if (character === '[') return one(classAt(at))
    if (character !== '\\') return literal(character)
    const escaped = /^\\(?:[pP](?:\{[^}]*\}|.)|x(?:\{[0-9a-fA-F]+\}|[0-9a-fA-F]{2})|.)/s.exec(source.slice(at))?.[0]
    if (escaped === undefined) return literal(character)
    if (/^\\[bBAz]$/.test(escaped)) return skip(2)
    return /^\\[^\w\s]$/.test(escaped) ? literal(escaped[1]!, 2) : one(escaped)
  }

  function group(): Piece {
    const [opening = '('] = /^\((?:\?(?:P?<\w+>|[imsU-]*[:)]))?/.exec(source.slice(at)) ?? []
    at += opening.length
    if (opening.length > 1 && opening.endsWith(')')) return () => ''
    const inner = alternatives()
    at++
    return inner
  }

  function skip(length: number): Piece {
    at += length
    return () => ''
  }

  function literal(text: string, length = text.length): Piece {
    at += length
    return () => text
  }

  /** One character of a class: asked of the engine, so that no class needs to be understood here. */
  function one(written: string): Piece {
    at += written.length
    const compiled = compilePattern(written, true)
    const fitting = compiled.ok ? characters.filter((character) => compiled.pattern.test(character)) : []
    return (pick) => fitting[pick(Math.max(1, fitting.length))] ?? ''
  }

  function classAt(start: number): string {
    return /^\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]/s.exec(source.slice(start))?.[0] ?? source.slice(start)
  }
}

const characters = [
  ...'aA0 x/-_.=:,;@#%&+*!?|<>()[]{}"\'\\^$~`éßλ中',
  '\t',
  '\n',
  ...'bcdefghijklmnopqrstuvwyzBCDEFGHIJKLMNOPQRSTUVWXYZ123456789',
]
