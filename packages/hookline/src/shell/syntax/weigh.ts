/**
 * What it would cost to parse a text, before anybody does. The parser cannot be interrupted, and its time grows with the
 * words and operators outside of quotes, and with the square of what is open at once. One pass, never more.
 *
 * Where quotes and here-documents end is told only where that is plain. Behind anything else every character counts, so
 * that a text can look dearer than it is, and not cheaper.
 */
export interface Weight {
  /** About the microseconds it takes. */
  cost: number
  /** More is open at once than anybody writes. */
  tooDeep: boolean
}

const WORD = 1
const OPERATOR = 2
const MOST_OPEN = 200
const MOST_SUMS = 40
const MOST_PENDING = 100

const BLANK = new Set(' \t\r\v\f')
/** Operators that stand inside of words. */
const INNER = new Set('{}[]=*?~!^')
const SPECIAL = new Set([...BLANK, ...INNER, ...';&|()<>'])

interface Heredoc {
  end: string
  quoted: boolean
  tabs: boolean
}

/** What closes the context: a bracket, or a quote. */
type Closer = ')' | '"'

/** Looks no further once the cost is above `enough`. */
export function weigh(source: string, enough = Number.POSITIVE_INFINITY): Weight {
  let cost = 0
  let [open, most, sums] = [0, 0, 0]
  let pending: Heredoc[] = []
  const stack: Closer[] = []
  let at = 0
  let tangled = false
  let inWord = false

  while (at < source.length) {
    const char = source[at]!
    if (!tangled && stack.at(-1) === '"') at = inQuotes(at)
    else if (char === '\\') {
      cost += OPERATOR
      inWord = true
      at += 2
    } else if (char === "'" && !tangled) at = skipTo("'", source[at - 1] === '$')
    else if (char === '"' && !tangled) {
      enter('"')
      at++
    } else if (char === '#' && !inWord && !tangled) at = lineEnd(source, at)
    else if (char === '$' || char === '`') at = expansion(at)
    else if (char === '<' && source[at + 1] === '<' && !tangled) at = heredoc(at)
    else if (char === '\n') {
      cost += OPERATOR
      inWord = false
      at = pending.length > 0 && !tangled ? bodies(at + 1) : at + 1
    } else {
      if (SPECIAL.has(char)) bracket(char)
      else if (!inWord) {
        cost += WORD
        inWord = true
      }
      // A pattern of `case` closes a bracket that nothing opened.
      if (char === 'c' && source.startsWith('case', at) && stack.length > 0) tangled = true
      at++
    }
    if (cost > enough) return { cost, tooDeep: false }
    if (most > MOST_OPEN || sums > MOST_SUMS || stack.length > MOST_OPEN) return { cost, tooDeep: true }
  }
  return { cost: cost + (source.length >> 9), tooDeep: false }

  function enter(closer: Closer): void {
    cost += OPERATOR
    stack.push(closer)
  }

  function bracket(char: string): void {
    if (BLANK.has(char)) {
      inWord = false
      return
    }
    cost += OPERATOR
    inWord = INNER.has(char)
    if (char === '(' || char === '{' || char === '[') most = Math.max(most, ++open)
    else if ((char === ')' || char === '}' || char === ']') && open > 0 && !tangled) open--
    if (char === '(' && stack.length > 0) stack.push(')')
    else if (char === ')' && stack.at(-1) === ')') stack.pop()
    if ((char === '(' || char === '[') && source[at - 1] === char) tangled = true
    if (char === '(' && /[@?*+!]/.test(source[at - 1] ?? '')) tangled = true
  }

  function inQuotes(from: number): number {
    const char = source[from]
    if (char === '\\') return from + 2
    if (char === '"') {
      stack.pop()
      inWord = true
      return from + 1
    }
    if (char === '\n' && pending.length > 0) tangled = true
    return char === '$' || char === '`' ? expansion(from) : from + 1
  }

  function expansion(from: number): number {
    cost += OPERATOR * 2
    inWord = true
    if (source[from] === '`') {
      tangled = true
      return from + 1
    }
    const next = source[from + 1]
    if (next === '[') sums++
    if (next === '(' && source[from + 2] !== '(' && !tangled) {
      enter(')')
      inWord = false
      return from + 2
    }
    const plain = PLAIN.exec(source.slice(from + 1, from + 140))
    if (plain) return from + 1 + plain[0].length
    if (next === '(' || next === '{' || next === '[') tangled = true
    return from + 1
  }

  function skipTo(quote: string, escapes: boolean): number {
    cost += OPERATOR
    inWord = true
    if (pending.length > 0) tangled = true
    for (let end = at + 1; end < source.length; end++) {
      if (escapes && source[end] === '\\') end++
      else if (source[end] === quote) return end + 1
    }
    return source.length
  }

  function heredoc(from: number): number {
    cost += OPERATOR * 2
    inWord = false
    if (source[from + 2] === '<') return from + 3
    const found = /^(-?)[ \t]*(?:'([^'\n]*)'|"([^"\n$`\\]*)"|\\?([\w.+-]+))(?=[\s;&|)<>]|$)/.exec(
      source.slice(from + 2, from + 160),
    )
    if (!found || pending.length >= MOST_PENDING) {
      tangled = true
      sums++
      return from + 2
    }
    const [whole, dash, single, double, bare] = found
    const quoted = bare === undefined || whole.includes('\\')
    pending.push({ end: single ?? double ?? bare!, quoted, tabs: dash === '-' })
    return from + 2 + whole.length
  }

  function bodies(from: number): number {
    let start = from
    for (const { end, quoted, tabs } of pending) {
      const begin = start
      for (; start < source.length; start++) {
        const stop = lineEnd(source, start)
        const line = source.slice(start, Math.min(stop, start + end.length + 64))
        start = stop
        if ((tabs ? line.replace(/^\t+/, '') : line) === end) break
      }
      if (!quoted) weighBody(begin, Math.min(start, source.length))
      start++
    }
    pending = []
    return Math.min(start, source.length)
  }

  /** In a body that is expanded, everything behind the first substitution counts as if it stood in one. */
  function weighBody(from: number, to: number): void {
    let [inside, braces] = [false, 0]
    for (let each = from; each < to; each++) {
      const char = source[each]!
      if (char === '\\') each++
      else if (char === '$' || char === '`') {
        cost += OPERATOR * 2
        if (source[each + 1] === '[') sums++
        const plain = PLAIN.exec(source.slice(each + 1, each + 140))
        if (plain) each += plain[0].length
        else inside ||= char === '`' || /[({[]/.test(source[each + 1] ?? '')
      } else if (inside && /[\s;&|()<>{}[\]=]/.test(char)) {
        cost += OPERATOR
        if (char === '{') most = Math.max(most, ++braces)
      }
    }
  }
}

/** `${name}`, `${name:-word}`: nothing in it opens or quotes anything. */
const PLAIN = /^\{[\w@*#!?-]*(?:[:%#/^,+=-]{0,2}[\w./,*@%+ -]{0,64})?\}/

function lineEnd(text: string, from: number): number {
  const found = text.indexOf('\n', from)
  return found < 0 ? text.length : found
}
