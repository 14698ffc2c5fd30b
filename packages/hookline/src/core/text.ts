import { closest, distance } from 'fastest-levenshtein'

/** ` Did you mean "x"?` when a known name is near enough, else nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = closest(name.toLowerCase(), [...known])
  if (!nearest || distance(name.toLowerCase(), nearest.toLowerCase()) > Math.max(2, name.length / 3)) return ''
  return ` Did you mean \`${nearest}\`?`
}

/**
 * Whether a pattern in which `*` stands for anything matches all of a text. Projects write both, so it takes no longer for
 * one pattern than for another: no regular expression, and no way back beyond the last star.
 */
export function matchesStars(pattern: string, text: string): boolean {
  let [at, from, star, resume] = [0, 0, -1, 0]
  while (at < text.length) {
    if (pattern[from] === '*') {
      star = from++
      resume = at
    } else if (pattern[from] === text[at]) {
      at++
      from++
    } else if (star >= 0) {
      from = star + 1
      at = ++resume
    } else return false
  }
  while (pattern[from] === '*') from++
  return from === pattern.length
}

/** A message and the name that `didYouMean` has put at its end. */
export function splitHint(message: string): { message: string; meant?: string } {
  const [hint, meant] = / Did you mean `([^`]+)`\?$/.exec(message) ?? []
  return hint === undefined || meant === undefined ? { message } : { message: message.slice(0, -hint.length), meant }
}

/**
 * What a project has written must not be able to hide itself: what a terminal would act on is shown in escapes. Between two
 * pictures a joiner hides nothing: it makes one of them.
 */
export function printable(text: string): string {
  return text.replace(hiding, (found, joiner: string | undefined) =>
    found === '\t' || joiner ? found : `\\u{${found.codePointAt(0)!.toString(16)}}`,
  )
}

const hiding =
  /(\u200d)(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?\u200d)(?=\p{Extended_Pictographic})|[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu

/**
 * Text that people and models read must not be able to move a cursor, retitle a terminal, or show something else than
 * it says: escape sequences, control characters and direction overrides are taken out. Newlines and tabs stay.
 * What is left holds none of them, so taking out again changes nothing.
 */
export function sanitise(text: string): string {
  return suspicious.test(text) ? text.replace(carriageReturns, '\n').replace(sequences, '').replace(controls, '') : text
}

const suspicious = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/
const carriageReturns = /\r\n/g
// ECMA-48: CSI with its parameters, the strings OSC/DCS/SOS/PM/APC up to their terminator, then two-byte
// escapes. No part runs past the next control character, so that time stays linear.
const sequences =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0000-\u001f\u007f-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** What a hook gave as reason, made ready for a person: a sentence, and apart from it the thing it is about. */
export interface ReadableReason {
  explanation: string
  /** The command, path or text that was objected to; shown in a box of its own. */
  payload?: string
}

/** Tails up to this long that have no space, as in `done: yes`, belong to the sentence. */
const longestWord = 12

/** How our own guards name the command, after sentences that may hold colons. */
const ofGuards = ' The command: '

/** A tail that ends as sentences do goes on with the sentence. */
const isProse = /\p{L}\.$/u

/**
 * The same for every surface. A tag in front (`[security] …`) is for grep and not for people. What follows the first
 * `: ` is a payload when it looks like one; an ordinary sentence with a colon stays whole.
 * The convention is Starchild's ("Writing a readable reason").
 */
export function readableReason(reason: string): ReadableReason {
  const sentence = withoutTag(reason)
  const own = sentence.indexOf(ofGuards)
  if (own > 0)
    return { explanation: capitalised(sentence.slice(0, own)), payload: sentence.slice(own + ofGuards.length).trim() }
  const colon = sentence.indexOf(': ')
  const tail = colon === -1 ? '' : sentence.slice(colon + 2).trim()
  const splits = colon > 0 && (/\s/.test(tail) || tail.length > longestWord) && !isProse.test(tail)
  if (!splits) return { explanation: capitalised(sentence) }
  return { explanation: capitalised(sentence.slice(0, colon).trimEnd()), payload: tail }
}

/** A tag in front of a reason (`[security] …`) is for searching, and not for people. */
export const withoutTag = (reason: string): string => reason.trim().replace(/^(?:\[[^\][\n]*\]\s*)+(?=\S)/, '')

function capitalised(sentence: string): string {
  const [first = ''] = sentence
  return first.toUpperCase() + sentence.slice(first.length)
}

/** A name that nobody else makes, in the shape of a UUID. Not a secret: those come from `node:crypto`, which takes a start three milliseconds to load. */
export function uniqueName(): string {
  const digits = Array.from({ length: 30 }, () => Math.floor(Math.random() * 16).toString(16)).join('')
  const variant = '89ab'[Math.floor(Math.random() * 4)]
  const [a, b, c, d, e] = [0, 8, 12, 15, 18].map((at, index) => digits.slice(at, at + [8, 4, 3, 3, 12][index]!))
  return `${a}-${b}-4${c}-${variant}${d}-${e}`
}
