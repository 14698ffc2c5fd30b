import { hash } from 'node:crypto'
import type { Event, EventRow, Hook, Opinion, Verdict } from '../core/index.ts'
import { eventRow, note, stringifyJson, uniqueName } from '../core/index.ts'
import { combine, type EngineServices, type HookIndex } from '../engine/index.ts'
import {
  type EntryInput,
  entryOf,
  isAnsweredByPerson,
  isJournalStore,
  type Journal,
  type JournalOptions,
  type JournalStore,
  openJournal,
} from '../journal/index.ts'
import { projectAt } from './project-at.ts'

export interface Recorder {
  journal: Journal
  record: EngineServices['record']
}

/** Keeps verdicts in a journal. Dispatches in which no hook ran are kept only where a person answered, or when the options ask for all. */
export async function openRecorder(given: JournalOptions | JournalStore | false): Promise<Recorder> {
  if (given === false) return { journal: noJournal, record: (verdict) => verdict }
  const options: JournalOptions = isJournalStore(given) ? { store: given } : given
  const journal = await openJournal(options)
  let instance: string | undefined
  let dispatches = 0
  return {
    journal,
    record(verdict, { synthetic, payload, raisedBy }, index, durationMs) {
      if (durationMs === undefined && options.record !== 'all' && !isAnsweredByPerson(payload)) return verdict
      instance ??= uniqueName()
      const [at, dispatch] = [Date.now(), `${instance}-${++dispatches}`]
      return appended(journal, verdict, () =>
        entryOf(verdict, {
          time: new Date(at).toISOString(),
          dispatch,
          generation: index.generation,
          synthetic,
          payload,
          host: raisedBy,
          project: projectOf(payload),
          durationMs,
          definitionOf: (hook) => definitionIn(index, hook),
        }),
      )
    },
  }
}

const projectOf = ({ cwd, project_dir }: Event['payload']): string | undefined =>
  [cwd, project_dir].map((each) => (typeof each === 'string' ? projectAt(each) : undefined)).find(Boolean)

/** For programs that keep no record. */
const noJournal: Journal = {
  append: () => {},
  subscribe: () => () => {},
  async *entries() {},
  flush: async () => {},
  checkpoint: () => ({ log: 'none', count: 0, head: '' }),
  state: () => ({ healthy: true, lost: 0 }),
  close: async () => {},
}

/** A journal that must not be missed turns a verdict it could not keep into a refusal. */
function appended(journal: Journal, verdict: Verdict, entry: () => EntryInput): Verdict | Promise<Verdict> {
  const written = journal.append(entry)
  if (!written) return verdict
  return written.then(
    () => verdict,
    (error: Error) => {
      const failed = note('journal-failed', { detail: error.message, lost: journal.state().lost })
      const { event, payload, reports, notes, ...opinion } = verdict
      const refused = combine([opinion, refusal(eventRow(event), failed.message)])
      return { event, payload, reports, notes: [...notes, failed], ...refused }
    },
  )
}

const refusal = (row: EventRow, reason: string): Opinion =>
  row.deny ? { decision: { ruling: 'deny', reason } } : { halt: { reason } }

/**
 * A short name for how a hook answers: what it runs, where, and in which dialect; not when it runs, nor what it is called.
 * It tells two definitions of one id apart, in the journal and when the journal is replayed.
 */
export function definitionOf({ dialect, run, env, workingDir }: Hook): string {
  return hash('sha256', stringifyJson([dialect, run, env, workingDir ?? null]), 'hex').slice(0, 12)
}

const known = new WeakMap<HookIndex, Map<string, string | undefined>>()

/** The same by id, made once for each hook of a generation. */
function definitionIn(index: HookIndex, id: string): string | undefined {
  const definitions = known.get(index) ?? new Map<string, string | undefined>()
  known.set(index, definitions)
  if (!definitions.has(id)) {
    const ready = index.hooks.find(({ hook }) => hook.id === id)
    definitions.set(id, ready && definitionOf(ready.hook))
  }
  return definitions.get(id)
}
