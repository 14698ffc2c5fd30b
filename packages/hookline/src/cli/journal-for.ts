import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Note, Settings } from '../core/index.ts'
import { nameJournal } from '../fleet/named-journals.ts'
import { type JournalOptions, partsOf } from '../journal/index.ts'
import { homeDirectory, stateDirectory } from '../platform/index.ts'
import { type Invocation, text } from './command.ts'

/** Where dispatches are recorded by default. */
export const usualJournal = (): string => join(stateDirectory(), 'journal.jsonl')

/**
 * Where and how a run of the command line records what happens: as its options say, else the settings of the user and of
 * the administrator, else the usual journal. A journal that must not be missed (`on_failure: block`) cannot be evaded by
 * an option.
 */
export function journalFor(
  values: Invocation['values'],
  { journal }: Settings,
  onNote: (note: Note) => void,
): JournalOptions | false {
  const { on_failure, max_bytes, durability, record, payload, keep } = journal || {}
  const mustBe = on_failure === 'block'
  const named = mustBe ? undefined : text(values['journal'])
  const isOff = journal === false ? named === undefined : values['no-journal'] === true
  if (isOff && !mustBe) return false
  const file = named === undefined ? fileIn(journal) : resolve(named)
  nameJournal(file)
  return {
    file,
    opens: 'later',
    onNote,
    ...(on_failure !== undefined && { onFailure: on_failure }),
    ...(max_bytes !== undefined && { maxBytes: max_bytes }),
    ...(durability !== undefined && { durability }),
    ...(record !== undefined && { record }),
    ...(payload !== undefined && { payload }),
    ...(keep !== undefined && { keep }),
  }
}

function fileIn(journal: Settings['journal']): string {
  const file = journal ? journal.file : undefined
  return file === undefined ? usualJournal() : atHome(file)
}

/** Where the journal of somebody else on this machine is: as the administrator and the fleet have it, else the usual place. */
export async function journalOfOthers(): Promise<(home: string) => string> {
  const { journal } = await settingsHere(['managed', 'fleet'])
  const file = journal ? journal.file : undefined
  return (home) => (file === undefined ? join(stateDirectory(home, {}), 'journal.jsonl') : atHome(file, home))
}

/** A relative path begins in the home directory: a journal must not move with the directory one happens to be in. */
const atHome = (file: string, home = homeDirectory()): string =>
  resolve(home, file.startsWith('~/') ? file.slice(2) : file)

/** The journal that a command reads: the one that is named, else where dispatches are recorded. */
export async function journalToRead(
  { values }: Pick<Invocation, 'values'>,
  named = text(values['journal']),
): Promise<string> {
  return named === undefined ? fileIn((await settingsHere()).journal) : resolve(named)
}

/** The files of a journal that are there, oldest first. */
export const partsToRead = (file: string): string[] => partsOf(file).filter((part) => existsSync(part))

export const sizeOf = (parts: readonly string[]): number => parts.reduce((sum, part) => sum + statSync(part).size, 0)

async function settingsHere(layers?: readonly string[]): Promise<Settings> {
  const [{ discover }, { readSettings }, { untrustedWriter, userLayerKnown }] = await Promise.all([
    import('../config/index.ts'),
    import('../config/index.ts'),
    import('../trust/index.ts'),
  ])
  const home = homeDirectory()
  const files = discover({ cwd: process.cwd(), home, ...userLayerKnown(home), untrustedWriter })
  return readSettings(layers ? files.filter(({ layer }) => layers.includes(layer)) : files)
}
