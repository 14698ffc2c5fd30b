import { isSilent } from '../core/index.ts'
import type { EntryInput } from './entry.ts'
import type { JournalOptions } from './journal.ts'
import { type Digest, makeDigest, maxBodyBytes, toBody } from './line.ts'
import { makeRedact } from './redact.ts'
import { shorten } from './shorten.ts'

/** An entry as it will be kept: without secrets, with as much of the payload as is wanted, and short enough for a line. */
export interface Prepared {
  entry: EntryInput
  body: string
}

export type Prepare = (entry: EntryInput) => Prepared

export async function makePrepare(
  { redact, payload = 'full' }: JournalOptions,
  digest: Digest,
  room = roomForEntry,
): Promise<Prepare> {
  const withoutSecrets = redact ?? (await secretsGuard())
  return (input) => {
    try {
      const entry = withoutSecrets(input)
      const kept = keep[payload](entry, digest)
      const { value, body } = shorten(kept, room)
      return { entry: value, body }
    } catch (error) {
      return bare(input, error)
    }
  }
}

/** What a journal file would keep of an entry. */
export async function prepareEntries(): Promise<(entry: EntryInput) => EntryInput> {
  const prepare = await makePrepare({}, makeDigest())
  return (entry) => prepare(entry).entry
}

/** Loaded only when needed: its rules take a while to read. */
async function secretsGuard(): Promise<(entry: EntryInput) => EntryInput> {
  const { redactValue } = await import('../guards/secrets/index.ts')
  return makeRedact(redactValue)
}

const keep = {
  full: (entry: EntryInput) => entry,
  digest: (entry: EntryInput, digest: Digest) => ({
    ...withoutTexts(entry),
    payload: { digest: digest(toBody({ value: entry.payload })) },
  }),
  none: ({ payload: _, ...entry }: EntryInput): EntryInput => withoutTexts(entry),
} as const

/** Rewrites and context are made of payloads: who does not want those keeps only what was ruled. */
function withoutTexts<E extends Omit<EntryInput, 'payload'>>({ rewrite: _, ...entry }: E): E {
  const hooks = entry.hooks.map(({ opinion: { decision, halt } = {}, ...hook }) => {
    const opinion = { ...(decision && { decision }), ...(halt && { halt }) }
    return isSilent(opinion) ? hook : { ...hook, opinion }
  })
  return { ...entry, hooks } as unknown as E
}

/** Beside the entry, a line has its kind and perhaps a count of lost entries. */
const roomForEntry = maxBodyBytes - 64

/** What cannot be redacted or serialised is not written; that it happened is. */
function bare({ time, event, dispatch, generation, synthetic, outcome }: EntryInput, error: unknown): Prepared {
  const detail = error instanceof Error ? error.name : 'Error'
  const entry: EntryInput = {
    ...{ time, event, dispatch, generation, synthetic, outcome },
    hooks: [],
    notes: [],
    payload: { omitted: `it could not be redacted or serialised (${detail})` },
  }
  return { entry, body: toBody(entry) }
}
