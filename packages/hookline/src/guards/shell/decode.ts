/** Decoders whose result can be known without running anything. undefined: not text, or not decodable. */
export function decodeBase64(text: string): string | undefined {
  const compact = text.replace(/[\s=]/g, '').replaceAll('-', '+').replaceAll('_', '/')
  if (!/^[A-Za-z0-9+/]*$/.test(compact)) return undefined
  return fromBits(compact, ALPHABET64, 6)
}

export function decodeBase32(text: string): string | undefined {
  return fromBits(text.replace(/[\s=]/g, '').toUpperCase(), ALPHABET32, 5)
}

export function decodeHex(text: string): string | undefined {
  const compact = text.replace(/^\s*[0-9a-f]+:/gim, '').replace(/\s/g, '')
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(compact)) return undefined
  return toText((compact.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)))
}

const ALPHABET64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const ALPHABET32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function fromBits(text: string, alphabet: string, width: number): string | undefined {
  const bytes: number[] = []
  let bits = 0
  let held = 0
  for (const char of text) {
    const value = alphabet.indexOf(char)
    if (value < 0) return undefined
    held = ((held << width) | value) & 0xffff
    bits += width
    if (bits >= 8) {
      bits -= 8
      bytes.push((held >> bits) & 0xff)
    }
  }
  return toText(bytes)
}

/** PowerShell encodes UTF-16: every other byte of plain text is then zero. */
function toText(bytes: readonly number[]): string | undefined {
  const wide = bytes.length > 1 && bytes.every((byte, index) => index % 2 === 0 || byte === 0)
  const kept = wide ? bytes.filter((_, index) => index % 2 === 0) : bytes
  return new TextDecoder().decode(Uint8Array.from(kept))
}
