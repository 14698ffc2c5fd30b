const counts = new Uint16Array(128)

/** Shannon entropy in bits per character. Characters outside ASCII count as one symbol. */
export function entropy(text: string): number {
  if (text.length === 0) return 0
  counts.fill(0)
  for (let i = 0; i < text.length; i++) counts[Math.min(text.charCodeAt(i), 127)]!++
  let bits = 0
  for (const count of counts) {
    if (count === 0) continue
    const share = count / text.length
    bits -= share * Math.log2(share)
  }
  return bits
}

const LOWER = 1
const UPPER = 2
const DIGIT = 4
const OTHER = 8
const SEPARATORS = new Set('-_./:'.split('').map((separator) => separator.charCodeAt(0)))

function classOf(code: number): number {
  if (code >= 97 && code <= 122) return LOWER
  if (code >= 65 && code <= 90) return UPPER
  if (code >= 48 && code <= 57) return DIGIT
  return OTHER
}

/**
 * How often neighbouring characters differ in kind, per character. Words and identifiers change kind rarely (a capital that begins a
 * word does not count twice, a separator not at all); random strings change it about every second character.
 */
export function unrest(text: string): number {
  let changes = 0
  let before = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const now = SEPARATORS.has(code) ? 0 : classOf(code)
    if (before !== 0 && now !== 0 && now !== before && !(before === UPPER && now === LOWER)) changes++
    before = now
  }
  return text.length === 0 ? 0 : changes / text.length
}

/** Made by a machine rather than by a person: mixed letters and digits, no visible words, enough entropy for its length. */
export function looksRandom(text: string, shortest: number): boolean {
  if (text.length < shortest) return false
  const digits = /[0-9]/.test(text)
  const mixedCase = /[a-z]/.test(text) && /[A-Z]/.test(text)
  if (!/[A-Za-z]/.test(text)) return false
  if (!digits && !(mixedCase && text.length >= 16 && unrest(text) >= 0.2)) return false
  return entropy(text) >= (text.length >= 20 ? 3 : 2.5) && unrest(text) >= 0.2
}
