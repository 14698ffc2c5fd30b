import { createHmac, hash } from 'node:crypto'
import { parseJson, stringifyJson } from '../core/index.ts'

/**
 * One line of a journal file:
 *
 *     {"seq":7,"prev":"<hash of line 6>","kind":"dispatch", … ,"hash":"<hash>"}
 *
 * The hash covers the bytes of the line up to the comma before `"hash"`, as they were written, so nothing has to be
 * parsed or brought into a canonical form to check it; and it covers `prev`, so each line proves all lines before it.
 * Without a key it is SHA-256, and `head -c … | sha256sum` can check it; with a key it is HMAC-SHA256, and only who has the
 * key can forge a line.
 */
export type Digest = (data: string | Buffer) => string

export const zeroHash = '0'.repeat(64)
/** No line is longer, so a reader needs no more memory than this. */
export const maxLineBytes = 256 * 1024

const seal = (digest: string) => `,"hash":"${digest}"}`
const sealBytes = seal(zeroHash).length

export function makeDigest(key?: string | Buffer): Digest {
  if (key === undefined) return sha256Hex
  return (data) => createHmac('sha256', key).update(data).digest('hex')
}

export const sha256Hex: Digest = (data) => hash('sha256', data, 'hex')

/** Shows whether two keys are the same without revealing the key. */
export const keyId = (key: string | Buffer) => makeDigest(key)('hookline journal key').slice(0, 16)

/** `body` is an object as JSON. The line comes without its newline. */
export function writeLine(seq: number, prev: string, body: string, digest: Digest): { line: string; hash: string } {
  const content = `${lineStart(seq, prev)}${body.slice(1, -1)}`
  const hash = digest(content)
  return { line: content + seal(hash), hash }
}

/** The body of an entry; `lost` before it could not be written. */
export const dispatchBody = (entry: string, lost = 0) =>
  `{"kind":"dispatch",${lost > 0 ? `"lost":${lost},` : ''}${entry.slice(1)}`

export const lineStart = (seq: number, prev: string) => `{"seq":${seq},"prev":"${prev}",`

/** The hash a line carries, if it is what its content hashes to. */
export function checkSeal(line: Buffer, digest: Digest): string | undefined {
  const end = line.length - sealBytes
  if (end <= 0) return undefined
  const hash = digest(line.subarray(0, end))
  return line.toString('latin1', end) === seal(hash) ? hash : undefined
}

/** Room that a body has, beside its place in the chain. */
export const maxBodyBytes = maxLineBytes - lineStart(Number.MAX_SAFE_INTEGER, zeroHash).length - sealBytes - 1

/**
 * JSON on one line. Control and direction-changing characters are escaped beyond what JSON asks for, so that a line
 * printed raw cannot steer a terminal.
 */
export function toBody(value: object): string {
  const text = stringifyJson(value)
  return unprintable.test(text) ? text.replace(unprintables, escapeCharacter) : text
}

const unprintable = /[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/
const unprintables = new RegExp(unprintable, 'g')
const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * What we wrote ourselves. Payloads may hold what would be refused from outside, such as a key named twice; that is no
 * reason not to show them. Only where numbers may be too large for a double is it read the careful way, which is slower.
 */
export function parseOwn(text: string): unknown {
  const careful = longDigits.test(text) ? parseJson(text) : undefined
  return careful?.ok ? careful.value : JSON.parse(text)
}

const longDigits = /(?<![\d.a-f])\d{16}/
