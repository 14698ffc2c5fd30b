import type { Credential } from '../checks/credential-name.ts'
import { credentialOf } from '../checks/credential-name.ts'
import { entropy, looksRandom, unrest } from '../checks/entropy.ts'
import { isPlaceholder } from '../checks/placeholder.ts'
import { isInMarker } from '../marker.ts'
import type { Finder } from '../rule.ts'

const LONGEST_NAME = 48
const NAME_CHARACTER = /[\w.-]/
const NAME_REST = /[\w-]{0,48}/y

/**
 * Between a name and its value: `=`, `:`, `=>`, `:=`, the same percent-encoded, a comma between two strings, the `>` of an XML element,
 * `value="` of an XML attribute, the blank after a command-line flag.
 */
const SEPARATOR =
  /(?<close>\\{0,3}["'`])?\]?[ \t]{0,16}(?:(?<sign>:=|=>|={1,3}(?![=>~])|:(?![:/])|%3[ADad]|,(?=[ \t]{0,4}\\{0,3}["'])|>)|(?<value>value=(?=["']))|(?<=[ \t]))[ \t]{0,16}/y
/** What a separator begins with: most mentions of a credential end here. */
const SEPARATES = new Set('"\'`\\] \t:=%,>')
/** `password: string = "…"`: the type stands between the name and the value. */
const ANNOTATION = /[A-Za-z_][\w.<>[\]|?]{0,40}[ \t]{0,4}=[ \t]{0,4}(?=\\{0,3}["'`])/y
const OPENING_QUOTE = /(?:[bBrRfFuU]{1,2}(?=["']))?(?<quote>\\{0,3}["'`])/y
const QUOTED: Readonly<Record<string, RegExp>> = {
  '"': /(?:[^"\\\n]|\\[^\n]){0,1024}/y,
  // A double quote inside these may be the end of the JSON string around them.
  "'": /(?:[^'"\\\n]|\\'){0,1024}/y,
  '`': /(?:[^`"\\\n]|\\`){0,1024}/y,
}
const NESTED = /[^"'`\\\n]{0,1024}/y
// Few colons: a chain of names is no value, and must not be read again from each of them.
const PLAIN = '(?:[^\\s"\'`\\\\,;&<>(){}[\\]|=%:]|%(?!2[0267]|0[ADad]|3[BCEbce]|5[BDbd]|7[BDbd]))'
const UNQUOTED = new RegExp(`${PLAIN}{1,512}(?::${PLAIN}{1,512}){0,2}={0,2}`, 'y')

/** `password=…`, `"apiKey": "…"`, `--token …`: a value is a secret when its name says so and it looks like one. */
export const assignedSecret: Finder = {
  keywords: ['pass', 'pwd', 'secret', 'token', 'key', 'credential'],
  find({ text }, at) {
    const nameEnd = match(NAME_REST, text, at)?.end ?? at
    if (!SEPARATES.has(text[nameEnd]!)) return undefined
    let start = at
    while (start > 0 && at - start < LONGEST_NAME && NAME_CHARACTER.test(text[start - 1]!)) start--
    // `API key: …`, as people write it.
    if (start === at && text[at - 1] === ' ')
      while (start > 0 && at - start < 16 && /[\w ]/.test(text[start - 1]!)) start--
    if (text[start - 1] === ']' && isInMarker(text, start - 1)) return undefined
    const separator = match(SEPARATOR, text, nameEnd)
    if (separator === undefined || !isSeparator(text, start, separator.groups)) return undefined
    const credential = credentialOf(text.slice(start, nameEnd).replace(/^.* (?=\S+ \S+$)/, ''))
    if (credential === undefined) return undefined

    const annotated = separator.groups['sign'] === ':' ? match(ANNOTATION, text, separator.end) : undefined
    const from = annotated?.end ?? separator.end
    const opening = match(OPENING_QUOTE, text, from)
    const quote = opening?.groups['quote']
    // After a quoted name an unquoted value is a number, a literal or code.
    if (quote === undefined && (separator.groups['close'] !== undefined || separator.groups['sign'] === ','))
      return undefined
    const body = quote === undefined ? UNQUOTED : (QUOTED[quote] ?? NESTED)
    const value = match(body, text, opening?.end ?? from)
    if (value === undefined) return undefined
    // A quote followed by this closed a JSON string that ended in a separator.
    if (quote !== undefined && /^[,:\]}]/.test(value.text)) return undefined
    const secret = quote === undefined ? value.text.replace(/[.:]+$/, '') : value.text
    const end = value.end - value.text.length + secret.length
    const named: Named = {
      credential,
      quoted: quote !== undefined,
      literal: /^(?:[A-Z][A-Z0-9_]+$|-)/.test(text.slice(start, nameEnd)),
      calls: quote === undefined && /[([]/.test(text[value.end] ?? ''),
    }
    return isSecret(secret, named) ? { type: credential.type, start: end - secret.length, end } : undefined
  },
}

interface Named {
  readonly credential: Credential
  readonly quoted: boolean
  /** Named as an environment variable or a command-line flag: what follows is a value, not code. */
  readonly literal: boolean
  readonly calls: boolean
}

function isSeparator(text: string, nameStart: number, groups: Record<string, string | undefined>): boolean {
  if (groups['sign'] === '>') return /<\/?(?:\w+:)?$/.test(text.slice(Math.max(0, nameStart - 16), nameStart))
  if (groups['sign'] === ',') return groups['close'] !== undefined
  if (groups['sign'] !== undefined || groups['value'] !== undefined) return true
  return (
    groups['close'] === undefined &&
    /^--?[A-Za-z]/.test(text.slice(nameStart, nameStart + 3)) &&
    text[nameStart] === '-'
  )
}

function isSecret(value: string, named: Named): boolean {
  if (/\s/.test(value) || named.calls || isPlaceholder(value) || isElsewhere(value)) return false
  if (!named.quoted && isCode(value)) return false
  if (named.credential.kind === 'password') return isPassword(value, named)
  if (!looksRandom(value, named.credential.kind === 'secret' ? 8 : 10)) return false
  // A name that only ends in `key`, or goes on after its credential word, proves little.
  return named.credential.sure || (value.length >= 20 && entropy(value) >= 3.3 && unrest(value) >= 0.3)
}

/** People choose passwords, so randomness is not required of them: only that it is not a word, a name or a route. */
function isPassword(value: string, { credential, quoted, literal }: Named): boolean {
  if (value.length < 5) return false
  if (!credential.sure) return looksRandom(value, 8)
  if (/^[0-9]+$/.test(value)) return value.length >= 6
  if (/^[A-Za-z]+$/.test(value))
    return !/pass/i.test(value) && !CAMEL.test(value) && value.length >= (literal ? 8 : quoted ? 16 : Infinity)
  if (/^[A-Za-z]+(?:[-_./:][A-Za-z]+)*$/.test(value)) return literal && !/pass|secret/i.test(value)
  return quoted || literal || !NUMBERED_NAME.test(value)
}

const NUMBERED_NAME = /^[a-z]+(?:_[a-z]+|[A-Z][a-z]+)+_?\d{0,3}$/
const CAMEL = /^[A-Z]?[a-z]{2,}(?:[A-Z][a-z]{2,})+$/

/** A path or an address: the secret is there, not here. */
const isElsewhere = (value: string): boolean =>
  /^(?:[a-z][a-z0-9+.-]{1,16}:\/\/|~?\.{0,2}\/[\w.-]|[A-Za-z]:[\\/])/i.test(value) &&
  !(value.length >= 32 && unrest(value) >= 0.3)

/** Member access or a type of a program: every part is a word. */
const isCode = (value: string): boolean =>
  /^[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)+[!?]?$/.test(value) &&
  value.split(/[.:>?-]+/).every((part) => unrest(part) < 0.25)

interface Match {
  readonly text: string
  readonly end: number
  readonly groups: Record<string, string | undefined>
}

function match(pattern: RegExp, text: string, at: number): Match | undefined {
  pattern.lastIndex = at
  const result = pattern.exec(text)
  return result === null ? undefined : { text: result[0], end: pattern.lastIndex, groups: result.groups ?? {} }
}
