import {
  findNodeAtLocation,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { isRecord } from '../core/index.ts'
import type { Entry, Format } from '../hosts/index.ts'

/** What stands in a file of a host, read as strictly as the host reads it. */
export type Readable = { ok: true; value: Record<string, unknown> } | { ok: false; detail: string }

/** Whatever any host reads, for texts that were read as strictly as they must be before. */
export const anyFormat: Format = { comments: true, byteOrderMark: true, trailingCommas: true }

const bom = '\uFEFF'

export function readJson(text: string, { comments, byteOrderMark, trailingCommas = false }: Format): Readable {
  if (text.startsWith(bom) && !byteOrderMark) return { ok: false, detail: 'it begins with a byte-order mark' }
  const body = text.startsWith(bom) ? text.slice(1) : text
  if (body.trim() === '') return { ok: true, value: {} }
  const errors: ParseError[] = []
  const options = { disallowComments: !comments, allowTrailingComma: trailingCommas, allowEmptyContent: true }
  const value: unknown = parse(body, errors, options)
  const [first] = errors
  if (first) return { ok: false, detail: `${printParseErrorCode(first.error)} in line ${lineOf(body, first.offset)}` }
  const doubled = doubledKey(parseTree(body, [], options))
  if (doubled)
    return { ok: false, detail: `\`${doubled.name}\` stands there twice, in line ${lineOf(body, doubled.at)}` }
  return isRecord(value) ? { ok: true, value } : { ok: false, detail: 'it is not an object' }
}

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

/** Of a key that stands twice hosts read one, and which one nobody knows: at the places that we change it is a mistake. */
function doubledKey(root: Node | undefined): { name: string; at: number } | undefined {
  for (const object of [root, root && findNodeAtLocation(root, ['hooks'])]) {
    const seen = new Set<string>()
    for (const { children: [key] = [] } of object?.type === 'object' ? (object.children ?? []) : []) {
      if (!key) continue
      if (seen.has(String(key.value))) return { name: String(key.value), at: key.offset }
      seen.add(String(key.value))
    }
  }
  return undefined
}

/** A text that was put into another, whole and in one piece. */
export interface Piece {
  at: number
  text: string
}

/**
 * Puts each entry at the end of its list, and makes lists and objects where there are none. Only inserts: whatever was
 * there stays as it was written. A place that is taken by something else is a mistake that the caller finds before.
 */
export function addEntries(
  text: string,
  entries: readonly Entry[],
  also: Readonly<Record<string, unknown>> = {},
): { text: string; pieces: string[] } {
  const pieces: string[] = []
  let now = text
  const top = Object.entries(also).map(([key, value]): [JSONPath, unknown] => [[key], value])
  for (const [place, value] of [...top, ...missingTrees(text, entries)]) {
    const piece = insertion(now, place, value)
    now = now.slice(0, piece.at) + piece.text + now.slice(piece.at)
    pieces.push(piece.text)
  }
  return { text: now, pieces }
}

/** Each thing to insert, with its place: whole objects where a path does not exist yet, so that every piece is one piece. */
function missingTrees(text: string, entries: readonly Entry[]): [JSONPath, unknown][] {
  const body = text.startsWith(bom) ? text.slice(1) : text
  const root = parseTree(body, [], { allowEmptyContent: true })
  const wanted: [JSONPath, unknown][] = []
  const rest = [...entries]
  const below = (path: readonly string[]) => (root && path.length > 0 ? findNodeAtLocation(root, [...path]) : root)
  while (rest.length > 0) {
    const { path, value } = rest.shift()!
    const depth = path.findIndex((_, at) => !below(path.slice(0, at + 1)))
    if (depth === -1) {
      wanted.push([[...path], value])
      continue
    }
    // Everything below the first part that is missing goes in together.
    const stem = path.slice(0, depth + 1)
    const together = [{ path, value }]
    for (let at = 0; at < rest.length; ) {
      if (stem.every((part, index) => rest[at]!.path[index] === part)) together.push(...rest.splice(at, 1))
      else at++
    }
    wanted.push([stem, treeOf(together, stem.length)])
  }
  return wanted
}

function treeOf(entries: readonly { path: readonly string[]; value: unknown }[], depth: number): unknown {
  if (entries.every(({ path }) => path.length === depth)) return entries.map(({ value }) => value)
  const keys = [...new Set(entries.map(({ path }) => path[depth]!))]
  return Object.fromEntries(
    keys.map((key) => [
      key,
      treeOf(
        entries.filter(({ path }) => path[depth] === key),
        depth + 1,
      ),
    ]),
  )
}

/** Where a value goes, and its text with commas, blanks and line ends as the file has them. */
function insertion(text: string, place: JSONPath, value: unknown): Piece {
  const start = text.startsWith(bom) ? 1 : 0
  const body = text.slice(start)
  const eol = /\r\n/.test(text) ? '\r\n' : '\n'
  const root = parseTree(body, [], { allowEmptyContent: true })
  if (!root) return { at: start, text: `${written(nested(place, value), '', unitOf(body), eol)}${eol}` }
  const list = findNodeAtLocation(root, place)
  const [container, key] = list
    ? [list, undefined]
    : [findNodeAtLocation(root, place.slice(0, -1)) ?? root, place.at(-1)]
  const unit = unitOf(body)
  const outer = indentAt(body, container.offset)
  const inner = outer + unit
  const label = key === undefined ? '' : `${JSON.stringify(key)}: `
  const said = `${label}${written(value, inner, unit, eol)}`
  const last = container.children?.at(-1)
  if (last) {
    const at = last.offset + last.length
    const isOneLine = !/[\r\n]/.test(body.slice(container.offset, container.offset + container.length))
    const isFlat = isOneLine && container.offset > 0 && !/[\r\n]/.test(body.trim())
    return { at: start + at, text: isFlat ? `, ${label}${JSON.stringify(value)}` : `,${eol}${inner}${said}` }
  }
  // Empty, but for blanks and comments, which stay before the closing bracket.
  const at = container.offset + 1
  return { at: start + at, text: `${eol}${inner}${said}${eol}${outer}` }
}

const nested = (place: JSONPath, value: unknown): unknown =>
  place.reduceRight((inner, key) => ({ [key]: inner }), value)

function written(value: unknown, indent: string, unit: string, eol: string): string {
  return JSON.stringify(value, null, unit).split('\n').join(`${eol}${indent}`)
}

/** The blanks at the beginning of the line in which something stands. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return /^[ \t]*/.exec(line)![0]
}

/** How one level is indented here: by the first line that is. */
const unitOf = (text: string): string => /^([ \t]+)["\]}[{]/m.exec(text)?.[1] ?? '  '

/** Takes out pieces that were put in, as they were put in; undefined where one is not there any more, or there twice. */
export function removePieces(text: string, pieces: readonly string[]): string | undefined {
  let now = text
  for (const piece of pieces.toReversed()) {
    const at = now.indexOf(piece)
    if (at === -1 || now.includes(piece, at + 1)) return undefined
    now = now.slice(0, at) + now.slice(at + piece.length)
  }
  return now
}

/**
 * Takes entries out by what they are: groups in lists of `hooks` all of whose handlers are ours, and handlers of ours in
 * groups of others; then lists and objects that are left empty by that. For files that were written anew since.
 */
export function removeByMark(text: string, isOurs: (handler: unknown) => boolean): string {
  const start = text.startsWith(bom) ? bom : ''
  let now = text.slice(start.length)
  for (let at = 0; at < 1000; at++) {
    const place = firstOurs(parse(now) as unknown, isOurs)
    if (!place) break
    for (const edit of modify(now, place, undefined, {}))
      now = now.slice(0, edit.offset) + edit.content + now.slice(edit.offset + edit.length)
  }
  return start + now
}

/** The largest thing that holds nothing but ours: in lists of entries at the top, or one level below. */
function firstOurs(document: unknown, isOurs: (handler: unknown) => boolean): JSONPath | undefined {
  for (const [key, value] of isRecord(document) ? Object.entries(document) : []) {
    const found = Array.isArray(value) ? inList(value, isOurs) : isRecord(value) ? inLists(value, isOurs) : undefined
    if (found) return [key, ...found]
  }
  return undefined
}

function inLists(lists: Record<string, unknown>, isOurs: (handler: unknown) => boolean): JSONPath | undefined {
  const events = Object.entries(lists)
  const allOurs = (list: unknown) => Array.isArray(list) && inList(list, isOurs)?.length === 0
  if (events.length > 0 && events.every(([, list]) => allOurs(list))) return []
  for (const [event, list] of events) {
    const found = Array.isArray(list) ? inList(list, isOurs) : undefined
    if (found) return [event, ...found]
  }
  return undefined
}

function inList(list: readonly unknown[], isOurs: (handler: unknown) => boolean): JSONPath | undefined {
  if (list.length > 0 && list.every((entry) => isOurEntry(entry, isOurs))) return []
  for (const [at, entry] of list.entries()) {
    if (isOurEntry(entry, isOurs)) return [at]
    const own = isRecord(entry) && Array.isArray(entry['hooks']) ? entry['hooks'].findIndex(isOurs) : -1
    if (own !== -1) return [at, 'hooks', own]
  }
  return undefined
}

/** A handler of ours, or a group of nothing else. */
export const isOurEntry = (entry: unknown, isOurs: (handler: unknown) => boolean): boolean =>
  isOurs(entry) ||
  (isRecord(entry) && Array.isArray(entry['hooks']) && entry['hooks'].length > 0 && entry['hooks'].every(isOurs))
