import { credentialOf } from './checks/credential-name.ts'
import { entropy, looksRandom, unrest } from './checks/entropy.ts'
import { isPlaceholder } from './checks/placeholder.ts'
import type { KnownSecret } from './known.ts'
import { findSecrets } from './redact.ts'
import { standsOut } from './stands-out.ts'

/** More than a person keeps in one file: the rest of a longer list is left as it is. */
const mostSecrets = 128

/**
 * The values of a file that keeps secrets (`.env`, `.npmrc`, `.netrc`, a key) which give nothing else away when they are
 * masked wherever they stand. Anybody can write such a file, to hide what the model should read: what could be a
 * word, a sentence or a name of code is no secret here, whatever its key says.
 */
export function secretsInFile(text: string): KnownSecret[] {
  if (text.includes('\0')) return []
  const found = new Map<string, string>()
  const add = (value: string, type: string) => {
    if (found.size < mostSecrets && !found.has(value)) found.set(value, type)
  }
  for (const { type, start, end } of findSecrets(text))
    for (const piece of text.slice(start, end).split(/\r?\n|\\n/)) if (isUnmistakable(piece)) add(piece, type)
  for (const { name, value } of assignmentsIn(text)) {
    const isSecret = namesSecret(name) ? isUnmistakable(value) : !isPublic(name) && isRandomKey(value)
    if (isSecret) add(value, credentialOf(name)?.type ?? 'secret')
  }
  for (const [, written = ''] of text.matchAll(PASSWORD_IN_ADDRESS))
    for (const value of [written, decoded(written)]) if (isUnmistakable(value)) add(value, 'password')
  for (const [, value = ''] of text.matchAll(PASSWORD_OF_NETRC)) if (isUnmistakable(value)) add(value, 'password')
  const whole = text.trim()
  if (whole.length >= 16 && isUnmistakable(whole)) add(whole, 'secret')
  return [...found].map(([value, type]) => ({ text: value, type }))
}

/** `user:password@` of an address; a password may hold what an address should have escaped. */
const PASSWORD_IN_ADDRESS = /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/'"]{0,64}:([^\s@/'"]{8,512})@/gi
const PASSWORD_OF_NETRC = /(?:^|\s)password[ \t]+(\S{8,512})/g

interface Assignment {
  name: string
  value: string
}

/** `NAME=value`, `export NAME='value'`, `name: value`, `"name": "value",`, and `//registry/:_authToken=value`. */
const ASSIGNMENT = /^\s*(?:export\s+|\/\/\S{1,200}:(?=_))?["']?([\w.-]{1,80})["']?\s*[=:]\s*(\S.*)$/
const QUOTED = /^(["'`])(.*?)\1\s*(?:,|[#;].*)?$/

function assignmentsIn(text: string): Assignment[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, name, rest] = (line.length <= 8_192 && ASSIGNMENT.exec(line)) || []
    if (name === undefined || rest === undefined) return []
    return [{ name, value: QUOTED.exec(rest)?.[2] ?? rest.replace(/\s+#.*$/, '').trimEnd() }]
  })
}

const namesSecret = (name: string): boolean =>
  !isPublic(name) && (credentialOf(name) !== undefined || SECRET_WORD.test(name.replace(/([a-z0-9])([A-Z])/g, '$1_$2')))
const SECRET_WORD =
  /(?:key|token|secret|password|passwd|passphrase|pass|pwd|credentials?|auth|private|dsn|salt|pat)s?\d*(?:$|[_.-])/i
const isPublic = (name: string): boolean => /(?:^|[_.-])(?:public|publishable|anon)(?:$|[_.-])/i.test(name)

/** Nobody writes this but to mean the secret: no word, number, address, path or name of code. */
function isUnmistakable(value: string): boolean {
  // Only ASCII: in many scripts a sentence has no blanks.
  if (value.length < 8 || value.length > 4_096 || !/^[\x21-\x7e]+$/.test(value)) return false
  if (isPlaceholder(value) || isOrdinary(value)) return false
  const words = value.match(WORD_RUN)?.filter(isPronounceable) ?? []
  if (CODE.test(value) && words.some(({ length }) => length > 3)) return false
  const written = value.replace(/[^A-Za-z0-9]/g, '').length
  if (words.join('').length >= written * 0.7) return false
  return (looksRandom(value, 8) || hasAllKinds(value)) && standsOut(value)
}

/** A key by its looks alone, whatever it is called: no digest, no id. */
const isRandomKey = (value: string): boolean =>
  value.length >= 24 &&
  /^[\w+/=.~-]+$/.test(value) &&
  isUnmistakable(value) &&
  hasLettersOfBothCases(value) &&
  /[0-9]/.test(value) &&
  entropy(value) >= 3.7 &&
  unrest(value) >= 0.3

const WORD_RUN = /[A-Z]?[a-z]{2,}|[A-Z]{3,}/g
const CODE = /[(){}[\]<>;|`"'\\]/

const isPronounceable = (run: string): boolean =>
  run.length >= 3 && /[aeiouy]/i.test(run) && !/[^aeiouy]{4}/i.test(run) && !/[aeiou]{4}/i.test(run)

const hasLettersOfBothCases = (value: string): boolean => /[a-z]/.test(value) && /[A-Z]/.test(value)
const hasAllKinds = (value: string): boolean =>
  hasLettersOfBothCases(value) && /[0-9]/.test(value) && /[!@#$%^&*?~+=]/.test(value)

const isOrdinary = (value: string): boolean => ORDINARY.some((shape) => shape.test(value))
const ORDINARY = [
  // Numbers, dates, times, versions, addresses of machines.
  /^[\d.,:_+/-]+$/,
  /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-][\d:]+)?$/,
  /^[~^]?v?\d+(?:\.\d+)+(?:[-+.][\w.+-]+)?$/i,
  /^(?:[a-z0-9_-]+\.)+[a-z]{2,12}(?::\d+)?(?:\/\S*)?$/,
  /^[a-z][a-z0-9_-]*:\d{1,5}$/,
  // Addresses, whose password is looked at by itself, and people's.
  /^[a-z][a-z0-9+.-]{1,20}:\/\//i,
  /^[^@\s]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,12}$/i,
  // Paths.
  /^(?:~|\.{1,2}|[A-Za-z]:)?[\\/](?:[\w.@-]{1,24}[\\/])*[\w.@-]{1,24}$/,
]

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
