import { isRecord, isSilent } from '../core/index.ts'
import { shorten } from './clip.ts'
import type { EntryInput } from './entry.ts'
import type { JournalOptions } from './journal.ts'
import { type Digest, makeDigest, maxBodyBytes, toBody } from './line.ts'

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

/** Rewrites, context and actions are made of payloads: who does not want those keeps only what was ruled. */
function withoutTexts<E extends Omit<EntryInput, 'payload'>>({ rewrite: _, actions: _words, ...entry }: E): E {
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

type RedactValue = <T>(value: T) => { value: T; found: number }

/** Fields that the engine fills in itself; nothing from outside gets into them. */
const ownFields: ReadonlySet<string> = new Set<keyof EntryInput>(['time', 'event', 'dispatch', 'outcome'])

/** Names that nearly every entry has, and that neither are nor announce a secret: only what stands under them is looked at. */
export const plainNames: ReadonlySet<string> = new Set(
  `session_id turn_id agent_name tool_name tool_use_id generation synthetic decision ruling reason halt rewrite mode value
  metadata context messages duration_ms hooks id stage asked skipped opinion failure kind detail times exit bytes stdin stdout
  stderr shadow background unchecked definition notes code hook payload ts cwd project_dir permission_mode transcript_path
  tool_input command file_path host name version project rules actions call_id rerun`.split(/\s+/),
)

/**
 * The secrets guard, for entries. Most of an entry has been in others before: the session, the directory, the tool, the
 * names of fields and hooks. What was found clean once is remembered, and only what is new is looked at; when anything
 * is not clean, the guard redacts the whole. The guard reads each field by itself, under its name, so looking field
 * by field finds what looking at the whole finds. Nothing that is a secret is remembered.
 */
export function makeRedact(redactValue: RedactValue): (entry: EntryInput) => EntryInput {
  const clean = makeMemory()
  return (entry) => (isClean(entry, 0) ? entry : redactValue(entry).value)

  function isClean(record: object, depth: number): boolean {
    if (depth > maxDepth) return false
    for (const [name, value] of Object.entries(record)) {
      if (depth === 0 && ownFields.has(name)) continue
      if (!isCleanField(name, value, depth)) return false
    }
    return true
  }

  function isCleanField(name: string, value: unknown, depth: number): boolean {
    if (isPlain(value)) return isCleanLeaf(name, '') && isClean(value, depth + 1)
    if (Array.isArray(value) && depth < maxDepth && !value.some(isNumber)) {
      return isCleanLeaf(name, '') && value.every((item) => isCleanField(name, item, depth + 1))
    }
    return typeof value === 'object' && value !== null ? look(name, value) : isCleanLeaf(name, value)
  }

  /** Numbers and flags hold no secrets; their names might. */
  function isCleanLeaf(name: string, value: unknown): boolean {
    const text = typeof value === 'string' ? value : ''
    if ((text === '' && plainNames.has(name)) || clean.has(name, text)) return true
    if (!look(name, text)) return false
    if (name.length + text.length <= longestRemembered) clean.add(name, text)
    return true
  }

  function look(name: string, value: unknown): boolean {
    return redactValue(plainNames.has(name) ? value : { [name]: value }).found === 0
  }
}

/** Numbers in a row may be the bytes of a key, which the guard recognises only as a whole. */
const isNumber = (value: unknown) => typeof value === 'number'

const maxDepth = 32
const longestRemembered = 256
const maxRemembered = 4096

/** Texts by name. Two generations, so that what is met again and again outlives what is met once. */
function makeMemory() {
  let young = new Map<string, Set<string>>()
  let old = new Map<string, Set<string>>()
  let size = 0
  return { has, add }

  function has(name: string, text: string): boolean {
    if (young.get(name)?.has(text)) return true
    if (!old.get(name)?.has(text)) return false
    add(name, text)
    return true
  }

  function add(name: string, text: string): void {
    if (++size > maxRemembered) {
      old = young
      young = new Map()
      size = 1
    }
    const texts = young.get(name)
    if (texts) texts.add(text)
    else young.set(name, new Set([text]))
  }
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
