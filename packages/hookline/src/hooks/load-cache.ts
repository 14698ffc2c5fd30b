import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import type { ConfigFile, LoadedConfig } from '../config/index.ts'
import type { Hook, Note, Settings, ToolRow } from '../core/index.ts'
import { sameJson, settingLayers } from '../core/index.ts'
import { buildId, callerDirectory, homeDirectory } from '../platform/index.ts'
import { isRedirected, readPrivate, writePrivate } from '../trust/index.ts'

/** What files without problems amount to. */
export interface CachedLoad {
  hooks: Hook[]
  notes: Note[]
  settings: Settings
  tools: Readonly<Record<string, ToolRow>>
}

export interface LoadCache<A> {
  recall(): A | undefined
  keep(amount: A, read: readonly Pick<LoadedConfig, 'file' | 'text' | 'lasting'>[]): void
}

/** All that it depends on. Texts are kept whole and compared whole. */
interface Kept<A> {
  build: string
  files: (Pick<ConfigFile, 'file' | 'layer' | 'dialect' | 'likely'> & { text: string })[]
  amount: A
}

const mostKept = 100
const build = buildId()

/**
 * What config files amounted to when they were last read, for processes that live for one event. Whoever could write
 * it could take every guard away: it lies with the approvals, in a directory of its own, for the user alone, and is read
 * with the same distrust. Anything unusual, and the files are read as if there were no cache.
 */
export function openLoadCache<A = CachedLoad>(
  directory: string,
  files: readonly ConfigFile[],
): LoadCache<A> | undefined {
  const usual = files.every(
    ({ file, text, layer, refused, remark }) =>
      // What a fleet has signed is verified at every load.
      layer !== 'fleet' && isAbsolute(file) && text === undefined && refused === undefined && remark === undefined,
  )
  if (build === undefined || !usual || isWithin(files, dirname(directory))) return undefined
  const file = join(directory, `${build}-${nameOf(files)}.json`)
  return {
    recall() {
      try {
        const kept = JSON.parse(readPrivate(file) ?? 'null') as Kept<A> | null
        return kept?.build === build && isOf(kept, files) ? kept.amount : undefined
      } catch {
        return undefined
      }
    },
    keep(amount, read) {
      if (!read.every(({ lasting }) => lasting)) return
      try {
        const texts = new Map(read.map((each) => [each.file, each.text]))
        const kept: Kept<A> = {
          build,
          files: files.map(({ file, layer, dialect, likely }) => ({
            file,
            layer,
            ...(dialect !== undefined && { dialect }),
            ...(likely !== undefined && { likely }),
            text: texts.get(file)!,
          })),
          amount,
        }
        const written = JSON.stringify(kept)
        if (!sameJson(JSON.parse(written), kept)) return
        writePrivate(directory, file, written)
        tidy(directory, file)
      } catch {
        // Without it every start is slower, and nothing else changes.
      }
    },
  }
}

/** Whether somebody has put it where the agent works. */
function isWithin(files: readonly ConfigFile[], state: string): boolean {
  const projects = files.filter(({ layer }) => !settingLayers.has(layer)).map(({ file }) => dirname(file))
  return [callerDirectory(), ...new Set(projects)].some((each) => isRedirected(state, each, homeDirectory()))
}

function isOf(kept: Kept<unknown>, files: readonly ConfigFile[]): boolean {
  return (
    kept.files.length === files.length &&
    kept.files.every(
      ({ file, layer, dialect, likely, text }, at) =>
        file === files[at]!.file &&
        layer === files[at]!.layer &&
        dialect === files[at]!.dialect &&
        likely === files[at]!.likely &&
        holds(file, text),
    )
  )
}

/** Whether the file has exactly this text, now. */
function holds(file: string, text: string): boolean {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const expected = Buffer.from(text)
    const stats = fstatSync(descriptor)
    return stats.isFile() && stats.size === expected.length && readFileSync(descriptor).equals(expected)
  } finally {
    closeSync(descriptor)
  }
}

/** Leaves nothing of other versions, and does not grow for ever. */
function tidy(directory: string, latest: string): void {
  const files = readdirSync(directory).map((name) => join(directory, name))
  const old = files.filter((file) => !file.startsWith(join(directory, `${build}-`)))
  for (const file of files.length > mostKept ? files : old) if (file !== latest) rmSync(file, { force: true })
}

/** Short and good enough: two lists of files with the same name only take turns. */
function nameOf(files: readonly ConfigFile[]): string {
  let [one, other] = [0x811c9dc5, 0]
  for (const character of files.map(({ file, layer }) => `${layer} ${file}`).join('\n')) {
    one = Math.imul(one ^ character.charCodeAt(0), 0x01000193)
    other = (Math.imul(other, 31) + character.charCodeAt(0)) | 0
  }
  return [one, other].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('')
}
