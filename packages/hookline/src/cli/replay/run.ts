import { resolve } from 'node:path'
import type { ConfigFile } from '../../config/index.ts'
import type { Hook, Note } from '../../core/index.ts'
import { createHooks, type Hooks, type HooksOptions, loadHooks } from '../../hooks/index.ts'
import { type Entry, type JournalFilter, prepareEntries } from '../../journal/index.ts'
import { newestEntries } from '../log/filters.ts'
import { rehearse } from './rehearsal.ts'
import { type Replayed, replay } from './replay.ts'

export type Replaying = Tried & (Recorded | { entries: AsyncIterable<Entry> })

/** The files of the journal, and which of their entries are meant: the last so many. */
interface Recorded {
  parts: readonly string[]
  filter: JournalFilter
  limit: number
}

interface Tried {
  /** The config that is tried. */
  files: readonly ConfigFile[]
  cwd: string
  /** How many changes of one kind are kept. */
  most: number
  /** Hooks that really run, if they may. */
  runs?(hook: Hook): boolean
  trust?: HooksOptions['trust']
  onNote?(note: Note): void
  onRead?(bytes: number): void
  /** Called for each entry; what it throws ends the replay. */
  onEntry?(): void
  /** Called once, with the hooks that are tried. */
  onHooks?(hooks: Hooks): void
}

const trusted = () => ({ trusted: true }) as const

/** What would change with this config, from what the journal has; nothing happens again. */
export async function replayFiles(given: Replaying): Promise<Replayed> {
  const { cwd, most, runs = () => false, trust = trusted, onNote = () => {}, onRead } = given
  const files = given.files.map((each) => (each.text === undefined ? { ...each, file: resolve(each.file) } : each))
  const loaded = await loadHooks({ files })
  await Promise.all(Object.values(loaded.executors).map((executor) => executor.close?.()))
  const rehearsal = await rehearse(Object.keys(loaded.executors), runs)
  const hooks = await createHooks({
    ...{ files, cwd, journal: false, executors: rehearsal.executors, onNote },
    trust: (hook, ...rest) => (runs(hook) ? trust(hook, ...rest) : trusted()),
  })
  try {
    given.onHooks?.(hooks)
    const entries =
      'entries' in given
        ? given.entries
        : newestEntries(given.parts, given.filter, given.limit, onRead ? { onRead } : {})
    const { onEntry } = given
    return await replay(entries, { hooks, rehearsal, keep: await prepareEntries(), most, ...(onEntry && { onEntry }) })
  } finally {
    await hooks.close()
  }
}
