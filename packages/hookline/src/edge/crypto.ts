import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { useSha256 } from '../guards/index.ts'

useSha256(sha256)

/** SHA-256, as `hash` of `node:crypto` gives it. */
export const hash = (_algorithm: 'sha256', data: string | Uint8Array, _encoding: 'hex'): string =>
  bytesToHex(sha256(typeof data === 'string' ? utf8ToBytes(data) : data))

/** Only journals with a key need it, and those are files. */
export function createHmac(): never {
  throw new Error('A journal with a key needs a file.')
}
