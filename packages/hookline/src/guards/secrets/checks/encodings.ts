/** Alphabets that tokens are written in, and the checksums they carry. */

/** CRC-32 (IEEE 802.3) of ASCII text. */
export function crc32(text: string): number {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return ~crc >>> 0
}

/** CRC-16/XMODEM, which Stellar and NATS put at the end of their keys. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff
  }
  return crc
}

export type Sha256 = (bytes: Uint8Array) => Uint8Array

let given: Sha256 | undefined

/** Hands in SHA-256, for platforms without `node:crypto`. */
export function useSha256(sha256: Sha256): void {
  given = sha256
}

/** undefined where the platform has none and nobody handed one in: a checksum that cannot be checked counts as right. */
export function sha256(bytes: Uint8Array): Uint8Array | undefined {
  given ??= platformSha256()
  return given?.(bytes)
}

/** Looked up when it is first needed, and not imported: the guards also run where there is no Node. */
function platformSha256(): Sha256 | undefined {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto')
  return crypto && ((bytes) => crypto.createHash('sha256').update(bytes).digest())
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'

/** Base58check (Bitcoin): the payload without its checksum, or undefined when the checksum is wrong. */
export function decodeBase58Check(text: string): Uint8Array | undefined {
  const bytes: number[] = []
  for (const character of text) {
    let carry = BASE58.indexOf(character)
    if (carry < 0) return undefined
    for (let i = 0; i < bytes.length; i++) {
      carry += bytes[i]! * 58
      bytes[i] = carry & 255
      carry >>= 8
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 255)
  }
  for (let i = 0; i < text.length && text[i] === '1'; i++) bytes.push(0)
  const decoded = Uint8Array.from(bytes.reverse())
  if (decoded.length < 5) return undefined
  const payload = decoded.subarray(0, -4)
  const once = sha256(payload)
  const checksum = once && sha256(once)?.subarray(0, 4)
  return !checksum || checksum.every((byte, i) => byte === decoded[payload.length + i]) ? payload : undefined
}

/** Base32 with a little-endian CRC-16 at the end: the keys of Stellar and NATS. */
export function isBase32Crc16(text: string): boolean {
  const bytes: number[] = []
  let held = 0
  let bits = 0
  for (const character of text) {
    const value = BASE32.indexOf(character)
    if (value < 0) return false
    held = (held << 5) | value
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((held >> bits) & 255)
    held &= (1 << bits) - 1
  }
  const body = Uint8Array.from(bytes.slice(0, -2))
  return crc16(body) === bytes.at(-2)! + bytes.at(-1)! * 256
}

/** GitHub and npm end their tokens with the CRC-32 of the rest, in six base62 digits. */
export function endsWithCrc32(body: string): boolean {
  let rest = crc32(body.slice(0, -6))
  let checksum = ''
  for (let i = 0; i < 6; i++) {
    checksum = BASE62[rest % 62] + checksum
    rest = Math.floor(rest / 62)
  }
  return checksum === body.slice(-6)
}

/** Bech32 (BIP-173) with a right checksum. */
export function isBech32(text: string): boolean {
  const lower = text.toLowerCase()
  const split = lower.lastIndexOf('1')
  if (split < 1) return false
  const prefix = [...lower.slice(0, split)].map((character) => character.charCodeAt(0))
  const values = [...lower.slice(split + 1)].map((character) => BECH32.indexOf(character))
  if (values.includes(-1)) return false
  let sum = 1
  for (const value of [...prefix.map((code) => code >> 5), 0, ...prefix.map((code) => code & 31), ...values]) {
    const top = sum >>> 25
    sum = ((sum & 0x1ffffff) << 5) ^ value
    BECH32_GENERATORS.forEach((generator, i) => {
      if ((top >>> i) & 1) sum ^= generator
    })
  }
  return sum === 1
}

const BECH32_GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]

const VALUES = new Int8Array(128).fill(-1)
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i
for (const plus of '+-') VALUES[plus.charCodeAt(0)] = 62
for (const slash of '/_') VALUES[slash.charCodeAt(0)] = 63

/** Decodes base64 or base64url, padded or not, one byte per character. Undefined when a character is outside both alphabets. */
export function decodeBase64(text: string): string | undefined {
  return decode(text, () => true)
}

/** As `decodeBase64`, but gives up at the first byte that is not printable ASCII or white space: random data costs a few steps. */
export function decodePrintable(text: string): string | undefined {
  return decode(text, (byte) => (byte >= 32 && byte < 127) || byte === 10 || byte === 13 || byte === 9)
}

function decode(text: string, allowed: (byte: number) => boolean): string | undefined {
  let decoded = ''
  let bits = 0
  let held = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 61) break
    const value = code < 128 ? VALUES[code]! : -1
    if (value < 0) return undefined
    held = (held << 6) | value
    bits += 6
    if (bits < 8) continue
    bits -= 8
    const byte = (held >> bits) & 255
    if (!allowed(byte)) return undefined
    decoded += String.fromCharCode(byte)
    held &= (1 << bits) - 1
  }
  return decoded
}
