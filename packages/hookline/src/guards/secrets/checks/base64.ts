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
