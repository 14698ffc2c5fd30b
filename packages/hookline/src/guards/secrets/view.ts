/**
 * The text as a finder should see it: without the colour codes, invisible characters and needless escapes that would split a token, and
 * with a way back to the offsets of the original.
 */
export interface View {
  readonly text: string
  /** Offsets of the view before which something was left out. A token may begin or end there whatever its neighbour is. */
  readonly joints: ReadonlySet<number>
  /** Length of the original that this view covers. */
  readonly covers: number
  rawStart(offset: number): number
  rawEnd(offset: number): number
}

/** Percent, backslash and entity escapes are undone for the unreserved characters of RFC 3986: nobody needs to escape those. */
const UNRESERVED = '(?:2[de]|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])'
const ITEM = new RegExp(
  [
    // Terminal colour and cursor codes, also as JSON, C and shell write the escape character.
    '(?:\\x1b|\\\\u001b|\\\\x1b|\\\\033|\\\\e)\\[[0-9;?]{0,16}[@-~]',
    // Soft hyphen, zero-width and direction characters, plain or as JSON escapes.
    '[\\u00ad\\u180e\\u200b-\\u200f\\u2060-\\u2064\\ufeff]|\\\\u(?:00ad|180e|200[b-f]|206[0-4]|feff)',
    `%(?<percent>${UNRESERVED})|\\\\(?:u00|x)(?<escaped>${UNRESERVED})|&#x(?<entity>${UNRESERVED});|&#(?<decimal>4[56]|4[89]|5[0-7]|6[5-9]|[78][0-9]|90|95|9[7-9]|1[01][0-9]|12[0126]);`,
    // A string continued by quoting it in pieces: ab""cd, "ab" + "cd" (a marker is a piece too), and a line continued in a shell.
    '(?<=[\\w\\]])(?:\'\'|""|"[ \\t]{0,4}\\+[ \\t]{0,4}"|\'[ \\t]{0,4}\\+[ \\t]{0,4}\')(?=[\\w[])|\\\\\\r?\\n',
  ].join('|'),
  'iy',
)

/** Whether there could be an item at all. Most texts have none, and a class of characters is searched for at native speed. */
const MAY_HOLD = /[\x1b\\%&"'\u00ad\u180e-\uffff]/

/** What an item may begin with, and what must then follow: a look at two characters spares the pattern. */
const STARTS = new Uint8Array(128)
for (const start of '\x1b\\%&"\'') STARTS[start.charCodeAt(0)] = 1
const FOLLOWS: Readonly<Record<string, RegExp>> = {
  '\x1b': /\[/,
  '\\': /[ux0e\r\n]/i,
  '%': /[2-7]/,
  '&': /#/,
  '"': /["+ \t]/,
  "'": /['+ \t]/,
}

function nextItem(source: string, from: number): RegExpExecArray | null {
  for (let i = from; i < source.length; i++) {
    const code = source.charCodeAt(i)
    if (code < 128 ? STARTS[code] === 0 : code < 0xad || (code > 0xad && code < 0x180e)) continue
    const follows = FOLLOWS[source[i]!]
    if (follows && !follows.test(source[i + 1] ?? '')) continue
    ITEM.lastIndex = i
    const item = ITEM.exec(source)
    if (item !== null) return item
  }
  return null
}
/** No item is longer, nor looks further. */
export const LONGEST_ITEM = 32

const NO_JOINTS: ReadonlySet<number> = new Set()

/**
 * `before` is the character that precedes `raw` in a stream. While `complete` is false the last characters are left to the next view,
 * because an item may have begun in them.
 */
export function viewOf(raw: string, complete = true, before = ''): View {
  const source = before + raw
  const base = before.length
  // No item goes on behind the end of a line.
  let limit = complete || raw.endsWith('\n') ? raw.length : Math.max(0, raw.length - LONGEST_ITEM)

  const at: number[] = []
  const shift: number[] = []
  const dropped: boolean[] = []
  const pieces: string[] = []
  let copied = 0
  let removed = 0
  const first = MAY_HOLD.test(source) ? nextItem(source, base) : null
  for (let item = first; item !== null; item = nextItem(source, item.index + item[0].length)) {
    const start = item.index - base
    if (start >= limit) break
    const end = start + item[0].length
    limit = Math.max(limit, end)
    const groups = item.groups ?? {}
    const hex = groups['percent'] ?? groups['escaped'] ?? groups['entity']
    const shown =
      hex !== undefined
        ? fromCode(Number.parseInt(hex, 16))
        : groups['decimal']
          ? fromCode(Number(groups['decimal']))
          : ''
    at.push(start - removed)
    removed += item[0].length - shown.length
    shift.push(removed)
    dropped.push(shown === '')
    pieces.push(raw.slice(copied, start), shown)
    copied = end
  }

  if (at.length === 0) {
    const text = limit === raw.length ? raw : raw.slice(0, limit)
    return { text, joints: NO_JOINTS, covers: limit, rawStart: (offset) => offset, rawEnd: (offset) => offset }
  }
  pieces.push(raw.slice(copied, limit))
  const joints = new Set(at.filter((_, i) => dropped[i]))
  const itemsBefore = (offset: number): number => {
    let low = 0
    let high = at.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (at[middle]! < offset) low = middle + 1
      else high = middle
    }
    return low
  }
  return {
    text: pieces.join(''),
    joints,
    covers: limit,
    rawStart(offset) {
      let items = itemsBefore(offset)
      while (at[items] === offset && dropped[items]) items++
      return offset + (shift[items - 1] ?? 0)
    },
    rawEnd: (offset) => offset + (shift[itemsBefore(offset) - 1] ?? 0),
  }
}

const fromCode = (code: number): string => String.fromCharCode(code)
