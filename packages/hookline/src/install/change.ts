import { isDeepStrictEqual } from 'node:util'
import { HooklineError, isRecord, note } from '../core/index.ts'
import { isEntryCommand, type WantedFile } from '../hosts/index.ts'
import { addEntries, anyFormat, isOurEntry, readJson, removeByMark, removePieces } from './edit-json.ts'
import { readText, removeFile, writeText } from './files.ts'
import { changeRecords, type Installed, readRecords } from './record.ts'

type Shared = Extract<WantedFile, { kind: 'shared' }>
type Own = Extract<WantedFile, { kind: 'own' }>

/** What became of a file. */
export interface Changed {
  path: string
  did: 'wrote' | 'kept' | 'removed' | 'none'
}

/** Throws where our entries cannot go into a file: something else is there, or its host could not read it. */
export function checkFile(wanted: WantedFile): void {
  const text = textOf(wanted.path)
  if (wanted.kind === 'shared') checked(wanted.path, text ?? '', wanted.format, wanted.entries)
  else if (text !== undefined && text !== wanted.content && !isOurOwn(text))
    throw new HooklineError(note('host-file-taken', { file: wanted.path }))
}

/** Puts our entries into a file of a host, or writes our own. What is there already stays as it is, byte for byte. */
export function installFile(wanted: WantedFile, owner: Pick<Installed, 'host' | 'scope'>): Changed {
  checkFile(wanted)
  return wanted.kind === 'own' ? installOwn(wanted, owner) : installShared(wanted, owner)
}

/** Takes out what was put in. */
export function uninstallFile(wanted: WantedFile): Changed {
  return wanted.kind === 'own' ? uninstallOwn(wanted) : uninstallShared(wanted)
}

function installOwn({ path, content, mode }: Own, owner: Pick<Installed, 'host' | 'scope'>): Changed {
  if (textOf(path) === content) return { path, did: 'kept' }
  const known = readRecords()[path]
  const made = writeText(path, content, mode)
  changeRecords((records) => {
    records[path] = { ...owner, created: true, made: known?.made ?? made }
  })
  return { path, did: 'wrote' }
}

function uninstallOwn({ path }: Own): Changed {
  const before = textOf(path)
  const known = readRecords()[path]
  if (before === undefined || !isOurOwn(before)) return { path, did: 'none' }
  removeFile(path, known?.made ?? [])
  forget(path)
  return { path, did: 'removed' }
}

/** By the mark in its text: whoever has put something else there keeps it. */
const isOurOwn = (text: string): boolean =>
  isEntryCommand(text) || /Rules that hold every time, by Hookline|Written by `hookline install/.test(text)

function installShared(
  { path, format, entries, also = {} }: Shared,
  owner: Pick<Installed, 'host' | 'scope'>,
): Changed {
  const text = textOf(path)
  if (text !== undefined && hasAll(text, format, entries)) return { path, did: 'kept' }
  const known = readRecords()[path]
  const base = text === undefined ? '' : withoutOurs(text, known)
  const there = readJson(base, anyFormat)
  const missing = Object.entries(also).filter(([key]) => !(there.ok && Object.hasOwn(there.value, key)))
  const { text: next, pieces } = addEntries(base, entries, Object.fromEntries(missing))
  const proved = readJson(next, format)
  if (!proved.ok || !hasAll(next, format, entries))
    throw new HooklineError(
      note('host-file-unreadable', { file: path, detail: proved.ok ? 'our entries do not fit in' : proved.detail }),
    )
  const made = writeText(path, next)
  const wasOurs = known?.created === true && base.trim() === ''
  changeRecords((records) => {
    records[path] = {
      ...{ ...owner, pieces, created: text === undefined || wasOurs, made: known?.made ?? made },
      ...(missing.length > 0 && { also: missing.map(([key]) => key) }),
    }
  })
  return { path, did: 'wrote' }
}

function uninstallShared({ path, format }: Shared): Changed {
  const text = textOf(path)
  const known = readRecords()[path]
  if (text === undefined || !hasAny(text)) {
    forget(path)
    return { path, did: 'none' }
  }
  const read = readJson(text, format)
  if (!read.ok && !known) throw new HooklineError(note('host-file-unreadable', { file: path, detail: read.detail }))
  const next = withoutOurs(text, known)
  if (known?.created && next.trim() === '') removeFile(path, known.made)
  else writeText(path, next)
  forget(path)
  return { path, did: 'removed' }
}

function forget(path: string): void {
  if (readRecords()[path] === undefined) return
  changeRecords((records) => {
    delete records[path]
  })
}

/** As it was before, where what we put in is still there as we put it in; else with our entries taken out by their mark. */
export function withoutOurs(text: string, known: Installed | undefined): string {
  if (!hasAny(text)) return text
  const exact = known?.pieces && removePieces(text, known.pieces)
  if (exact !== undefined && !hasAny(exact) && isSame(exact, text, known?.also)) return exact
  const next = removeByMark(text, isOurs)
  return known?.created && isBare(next, known.also) ? '' : next
}

/** Nothing is left in a file that was not there before. */
function isBare(text: string, also: readonly string[] = []): boolean {
  const left = readJson(text, anyFormat)
  return left.ok && Object.keys(left.value).every((key) => also.includes(key)) && !/\/[/*]/.test(text)
}

/** What is left is what was there without our entries, and nothing else. */
function isSame(exact: string, text: string, also: readonly string[] = []): boolean {
  const [left, right] = [readJson(exact, anyFormat), readJson(text, anyFormat)]
  if (!left.ok || !right.ok) return false
  const added = also.filter((key) => !Object.hasOwn(left.value, key))
  const rest = Object.fromEntries(Object.entries(right.value).filter(([key]) => !added.includes(key)))
  return isDeepStrictEqual(stripped(left.value), stripped(rest))
}

/** Without our entries, and without what is empty once they are gone. */
function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((entry) => !isOurEntry(entry, isOurs)).map(stripped)
  if (!isRecord(value)) return value
  const kept = Object.entries(value).map(([key, inner]): [string, unknown] => [key, stripped(inner)])
  return Object.fromEntries(kept.filter(([, inner]) => !isEmpty(inner)))
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0

const isOurs = (handler: unknown): boolean => isRecord(handler) && isEntryCommand(handler['command'])

export const hasAny = (text: string): boolean => isEntryCommand(text)

/** Whether every entry stands there as it should, and no other of ours. */
export function hasAll(text: string, format: Shared['format'], entries: Shared['entries']): boolean {
  const read = readJson(text, format)
  if (!read.ok) return false
  const found = listsIn(read.value).flatMap(({ path, list }) =>
    list.filter((entry) => isRecord(entry) && hasAny(JSON.stringify(entry))).map((value) => ({ path, value })),
  )
  const key = (each: { path: readonly string[]; value: unknown }) => JSON.stringify([each.path, each.value])
  return isDeepStrictEqual(found.map(key).sort(), entries.map(key).sort())
}

/** Lists at the top of a document, and one level below. */
const listsIn = (document: Record<string, unknown>, above: readonly string[] = []): Listed[] =>
  Object.entries(document).flatMap(([key, value]) => {
    if (Array.isArray(value)) return [{ path: [...above, key], list: value as unknown[] }]
    return isRecord(value) && above.length === 0 ? listsIn(value, [key]) : []
  })

interface Listed {
  path: readonly string[]
  list: readonly unknown[]
}

/** A host that cannot read its file runs no hook at all, and says nothing: such a file is left alone. */
function checked(path: string, text: string, format: Shared['format'], entries: Shared['entries']): void {
  const read = readJson(text, format)
  if (!read.ok) throw new HooklineError(note('host-file-unreadable', { file: path, detail: read.detail }))
  for (const { path: place } of entries) {
    let at: unknown = read.value
    for (const [depth, key] of place.entries()) {
      at = (at as Record<string, unknown>)[key]
      if (at === undefined) break
      const isList = depth === place.length - 1
      if (isList ? Array.isArray(at) : isRecord(at)) continue
      const detail = `\`${place.slice(0, depth + 1).join('.')}\` is not ${isList ? 'a list' : 'an object'}`
      throw new HooklineError(note('host-file-unreadable', { file: path, detail }))
    }
  }
}

function textOf(path: string): string | undefined {
  try {
    return readText(path)
  } catch (error) {
    const detail = error instanceof TypeError ? 'it is not text in UTF-8' : (error as Error).message
    throw new HooklineError(note('host-file-unreadable', { file: path, detail }))
  }
}
