import { viewOf } from './view.ts'

/**
 * Whether anything in a text could be a value of a secrets file (`isUnmistakable` in file.ts): characters of several kinds,
 * close together, without a blank. One pass, and most texts have nothing like it: a quick no spares a look at the files.
 */
export function standsOut(text: string): boolean {
  const { text: seen } = viewOf(text)
  if (!MAY_STAND_OUT.test(seen) && !seen.includes('\\')) return false
  let kinds = 0
  let before = 0
  let isClose = false
  // Where the kind changed, the last times, and where it did so often enough for a value without digits.
  let last = -far
  let second = -far
  let third = -far
  let isDense = false
  for (let at = 0; at < seen.length; at++) {
    const kind = kindOf(seen.charCodeAt(at))
    if (kind === blank) {
      kinds = before = 0
      isClose = isDense = false
      last = second = third = -far
      continue
    }
    // What is escaped may be stretched.
    if (kind === backslash) return true
    kinds |= kind
    const now = kind === separator ? 0 : Math.min(kind, other)
    if (before !== 0 && now !== 0 && now !== before && !(before === upper && now === lower)) {
      isClose ||= at - last < 10 || at - second < 15
      isDense ||= at - third < 32
      third = second
      second = last
      last = at
    }
    before = now
    if (isClose && kinds & digit && kinds & (lower | upper)) return true
    if (isDense && kinds & lower && kinds & upper) return true
    if ((kinds & everyKind) === everyKind) return true
  }
  return false
}

/**
 * What every text that stands out has beside escapes: a digit behind or before a letter, at most punctuation between them; a
 * capital behind something else; or punctuation twice in a word. Most prose has none of it, and a pattern says so five times sooner.
 */
const MAY_STAND_OUT =
  /[!-/:-~][0-9]|[!-@[-~][A-Z]|[0-9][!-/:-@[-`{-~]*[A-Za-z]|[!-,;-@[\]^`{-~][-\w./:]+[!-,;-@[\]^`{-~]/

const lower = 1
const upper = 2
const digit = 4
const other = 8
const symbol = 16
const separator = 32
const backslash = 64
const blank = 128
const everyKind = lower | upper | digit | symbol
const far = 1_000

/** The kinds of checks/entropy.ts, and the symbols that file.ts counts as one of a password's. */
const kinds = new Uint8Array(128).fill(blank)
const assign = (characters: string, kind: number) => {
  for (const character of characters) kinds[character.charCodeAt(0)] = kind
}
for (let code = 0x21; code <= 0x7e; code++) kinds[code] = other
assign('abcdefghijklmnopqrstuvwxyz', lower)
assign('ABCDEFGHIJKLMNOPQRSTUVWXYZ', upper)
assign('0123456789', digit)
assign('!@#$%^&*?~+=', symbol)
assign('-_./:', separator)
assign('\\', backslash)

const kindOf = (code: number): number => (code < 128 ? kinds[code]! : blank)
