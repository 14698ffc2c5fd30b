import { crc16, crc32, sha256 } from './digests.ts'

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
  const checksum = sha256(sha256(payload)).subarray(0, 4)
  return checksum.every((byte, i) => byte === decoded[payload.length + i]) ? payload : undefined
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
