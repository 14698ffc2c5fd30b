/** The strings of a program in another language, and the program without them. */
import { decodeEscapes } from './decode.ts'
import { clip } from './text.ts'

const OPENS = /"""|'''|["'`]|\bq[qw]?\s{0,9}[{(]/g

/** `pay` hears of the characters before they are looked at: a quote that nothing closes is looked for to the end. */
export function readLiterals(code: string, pay: (length: number) => void): { literals: string[]; bare: string } {
  const literals: string[] = []
  let [last, joins] = [-1, false]
  let bare = ''
  let copied = 0
  const opens = new RegExp(OPENS)
  pay(code.length)
  for (let found = opens.exec(code); found; found = opens.exec(code)) {
    const [mark] = found
    const start = found.index + mark.length
    const end = closeOf(mark, code, start)
    if (end === undefined) {
      pay(code.length - start)
      // Three quotes that nothing closes are an empty string and one more.
      if (mark.length === 3 && !mark.startsWith('q')) opens.lastIndex = found.index + 2
      continue
    }
    const text = decodeEscapes(code.slice(start, end).replace(/\\([$@'"`])/g, '$1'))
    const glue = last < 0 || found.index - last > WIDEST_GAP ? undefined : glueOf(code.slice(last, found.index), joins)
    if (glue === undefined) {
      literals.push(text)
      joins = /\b(?:join|Path)\s{0,4}\(\s{0,4}$/.test(code.slice(Math.max(0, found.index - 16), found.index))
    } else literals[literals.length - 1] = clip(literals.at(-1) + glue + text)
    last = end + (mark.startsWith('q') ? 1 : mark.length)
    bare += code.slice(copied, found.index) + (mark.startsWith('q') ? '""' : mark + mark)
    copied = end + (mark.startsWith('q') ? 1 : mark.length)
    opens.lastIndex = copied
  }
  return { literals: [...new Set(literals)], bare: bare + code.slice(copied) }
}

/** `'rm -rf ' + "/home"`, `"/home" / 'x'`, `join("/home", 'x')` are one literal: what stands between the two. */
function glueOf(gap: string, joins: boolean): string | undefined {
  const operator = gap.trim()
  if (/^(?:\+|\.\.?|<>|)$/.test(operator)) return ''
  return operator === '/' || (joins && operator === ',') ? '/' : undefined
}

const WIDEST_GAP = 40

function closeOf(mark: string, code: string, start: number): number | undefined {
  if (mark.startsWith('q')) {
    const length = code.slice(start).search(/[})]/)
    return length < 0 ? undefined : start + length
  }
  for (let at = start; at < code.length; at++) {
    if (code[at] === '\\') at++
    else if (code.startsWith(mark, at)) return at
  }
  return undefined
}
