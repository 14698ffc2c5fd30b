/** printf and `echo -e` as the shell does them. */
import { SOME } from './text.ts'

const SIMPLE: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\x1b',
  '\\': '\\',
}

export function decodeEscapes(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|([\s\S]))/g,
    (whole, hex, short, long, octal, simple) => {
      const code = hex ?? short ?? long
      if (code !== undefined) return fromCode(Number.parseInt(code, 16))
      if (octal !== undefined) return fromCode(Number.parseInt(octal, 8) & 0xff)
      return SIMPLE[simple] ?? whole
    },
  )
}

const fromCode = (code: number) => (code <= 0x10ffff ? String.fromCodePoint(code) : SOME)

export function formatPrintf(format: string, values: readonly string[]): string {
  const template = decodeEscapes(format)
  const queue = [...values]
  let text = ''
  do {
    const before = queue.length
    text += template.replace(/%(?:%|[-+ #0]*(\*|\d+)?(?:\.(?:\*|\d+))?([a-zA-Z]))/g, (whole, _width, kind) => {
      if (whole === '%%') return '%'
      const value = queue.shift() ?? ''
      return convert(kind, value)
    })
    if (queue.length === before) break
  } while (queue.length > 0)
  return text
}

function convert(kind: string, value: string): string {
  const number = value.startsWith("'") ? (value.codePointAt(1) ?? 0) : Number(value || 0)
  switch (kind) {
    case 's':
      return value
    case 'b':
      return decodeEscapes(value)
    case 'c':
      return value.slice(0, 1)
    case 'd':
    case 'i':
    case 'u':
      return Number.isNaN(number) ? SOME : String(Math.trunc(number))
    case 'x':
      return Number.isNaN(number) ? SOME : Math.trunc(number).toString(16)
    case 'o':
      return Number.isNaN(number) ? SOME : Math.trunc(number).toString(8)
    default:
      return SOME
  }
}
