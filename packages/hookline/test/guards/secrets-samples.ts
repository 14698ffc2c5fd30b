/**
 * Samples made from the shapes of the rules at run time, so that no text that looks like a credential is stored in this repository.
 */
export type Random = () => number

export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'
export const ALNUM = LOWER + UPPER + DIGITS
export const HEX = '0123456789abcdef'
export const BASE64 = `${ALNUM}+/`
export const WORD = `${ALNUM}_-`
export const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

export const pick = (random: Random, length: number, alphabet = ALNUM): string =>
  Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')

/** One random text that matches the pattern. Knows the part of the syntax that the rules use. */
export function sample(pattern: RegExp, random: Random): string {
  const source = pattern.source
  let at = 0

  function alternatives(): string {
    const choices = [sequence()]
    while (source[at] === '|') {
      at++
      choices.push(sequence())
    }
    return choices[Math.floor(random() * choices.length)]!
  }

  function sequence(): string {
    let text = ''
    while (at < source.length && source[at] !== '|' && source[at] !== ')') {
      const start = at
      let piece = atom()
      const [least, most] = quantifier()
      const end = at
      const count = least + Math.floor(random() * (Math.min(most, least + 3) - least + 1))
      if (count === 0) piece = ''
      text += piece
      // Each repetition is drawn anew.
      for (let i = 1; i < count; i++) {
        at = start
        text += atom()
      }
      at = end
    }
    return text
  }

  function atom(): string {
    const character = source[at++]!
    if (character === '(') return group()
    if (character === '[') return oneOf(classOf())
    if (character === '\\') return oneOf(escaped(source[at++]!))
    if (character === '.') return oneOf(ALNUM)
    return character
  }

  function group(): string {
    const opening = /^\?(?::|=|!|<[=!]|<\w+>)/.exec(source.slice(at))?.[0] ?? ''
    at += opening.length
    const inner = alternatives()
    at++
    return opening === '?!' || opening.startsWith('?<!') ? '' : inner
  }

  function classOf(): string {
    const negated = source[at] === '^'
    if (negated) at++
    let members = ''
    while (source[at] !== ']') {
      const literal = source[at++]!
      const first = literal === '\\' ? escaped(source[at++]!) : literal
      if (source[at] === '-' && source[at + 1] !== ']' && first.length === 1) {
        const last = source[at + 1]!
        at += 2
        for (let code = first.charCodeAt(0); code <= last.charCodeAt(0); code++) members += String.fromCharCode(code)
      } else members += first
    }
    at++
    return negated ? [...ALNUM, ' ', ':'].filter((character) => !members.includes(character)).join('') : members
  }

  function escaped(character: string): string {
    if (character === 'w') return `${ALNUM}_`
    if (character === 'd') return DIGITS
    if (character === 's') return ' '
    if (character === 'n' || character === 't') return character === 'n' ? '\n' : '\t'
    return character
  }

  function quantifier(): [number, number] {
    const match = /^(?:\?|\*|\+|\{(\d+)(,)?(\d+)?\})\??/.exec(source.slice(at))
    if (match === null) return [1, 1]
    at += match[0].length
    if (match[0][0] === '?') return [0, 1]
    if (match[0][0] === '*') return [0, 3]
    if (match[0][0] === '+') return [1, 4]
    const least = Number(match[1])
    return [least, match[3] ? Number(match[3]) : match[2] ? least + 3 : least]
  }

  const oneOf = (members: string): string => members[Math.floor(random() * members.length)]!

  return alternatives()
}

/** Rules whose secret has a structure that no random text has: their samples are built. */
export const built: Readonly<Record<string, (random: Random) => string>> = {
  jwt: (random) => jwt(random),
  'basic-auth': (random) => `Authorization: Basic ${base64(`user:${pick(random, 14)}`)}`,
  'registry-auth': (random) => `{"auths":{"registry":{"auth":"${base64(`user:${pick(random, 14)}`)}"}}}`,
  'session-cookie': (random) => `Cookie: theme=dark; session=${pick(random, 40, HEX)}`,
  'url-token': (random) => `https://api.test/v1?signature=${pick(random, 40)}`,
  'azure-sas-signature': (random) => `https://a.test/c?sv=1&sig=${pick(random, 43)}%3D`,
  'jwk-private-key': (random) => `{"kty":"EC","x":"${pick(random, 43, WORD)}","d":"${pick(random, 43, WORD)}"}`,
  'intercom-token': (random) => base64(`tok:${pick(random, 8, HEX)}_${pick(random, 40, HEX)}_x`),
  'nostr-private-key': (random) => bech32('nsec', random, 52),
  'sui-private-key': (random) => bech32('suiprivkey', random, 53),
  'discord-bot-token': (random) =>
    `${base64(pick(random, 18, '123456789')).replace(/=+$/, '')}.${pick(random, 6, WORD)}.${pick(random, 38, WORD)}`,
  'bitcoin-private-key': (random) => `K${pick(random, 51, BASE58)}`,
  'stellar-secret-seed': (random) => base32Checked([144, ...bytes(random, 32)]),
  'nats-seed': (random) => base32Checked([149, 0, ...bytes(random, 32)]),
  'solana-private-key': (random) => `SOLANA_PRIVATE_KEY=${pick(random, 88, BASE58)}`,
  password: (random) => `machine host.test login bob password ${pick(random, 14)}`,
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64')
export const jwt = (random: Random, header: object = { alg: 'HS256', typ: 'JWT' }): string =>
  [base64(JSON.stringify(header)), base64(JSON.stringify({ sub: pick(random, 12) })), pick(random, 43, WORD)]
    .map((part) => part.replace(/=+$/, ''))
    .join('.')

export const pem = (random: Random, label = 'RSA PRIVATE KEY', lines = 4, lineEnd = '\n'): string =>
  [
    `-----BEGIN ${label}-----`,
    ...Array.from({ length: lines }, () => pick(random, 64, BASE64)),
    `-----END ${label}-----`,
  ].join(lineEnd)

const bytes = (random: Random, length: number): number[] => Array.from({ length }, () => Math.floor(random() * 256))

function base32Checked(body: number[]): string {
  let crc = 0
  for (const byte of body) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff
  }
  const bits = [...body, crc & 255, crc >> 8].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('')
}

function bech32(prefix: string, random: Random, length: number): string {
  const alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
  const data = Array.from({ length }, () => Math.floor(random() * 32))
  const codes = [...prefix].map((character) => character.charCodeAt(0))
  const expanded = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)]
  const sum = polymod([...expanded, ...data, 0, 0, 0, 0, 0, 0]) ^ 1
  const checksum = [25, 20, 15, 10, 5, 0].map((shift) => (sum >> shift) & 31)
  return `${prefix}1${[...data, ...checksum].map((value) => alphabet[value]).join('')}`
}

function polymod(values: number[]): number {
  let sum = 1
  for (const value of values) {
    const top = sum >>> 25
    sum = ((sum & 0x1ffffff) << 5) ^ value
    ;[0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3].forEach((generator, i) => {
      if ((top >>> i) & 1) sum ^= generator
    })
  }
  return sum
}
