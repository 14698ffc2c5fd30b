import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod/mini'
import { HooklineError, note, parseJson } from '../core/index.ts'
import { contentAt, installedUserDirectory, makeDirectory, stateDirectory, withFileLock } from '../platform/index.ts'
import type { Subject } from './digest.ts'
import { stampOf, untrustedWriter } from './files.ts'

const approval = z.strictObject({
  digest: z.string(),
  id: z.string(),
  at: z.string(),
  by: z.optional(z.enum(['person', 'token', 'self'])),
  subject: z.looseObject({
    version: z.number(),
    scope: z.string(),
    file: z.nullable(z.string()),
    hook: z.record(z.string(), z.unknown()),
    files: z.array(z.unknown()),
    programs: z.array(z.unknown()),
  }),
})
const document = z.strictObject({ version: z.literal(1), approvals: z.array(approval) })

/** A person at a terminal, whoever has the token, or a program without either (`trust.self_approve`). */
export type ApprovedBy = 'person' | 'token' | 'self'

/** One hook that was approved: the digest binds, the rest is for showing what has changed since. */
export interface Approval {
  digest: string
  id: string
  at: string
  by?: ApprovedBy | undefined
  subject: Subject
}

export interface Approvals {
  readonly directory: string
  readonly file: string
  /** As they are now; read again only when the file has changed. Throws when they cannot be relied on. */
  read(): readonly Approval[]
  /** The same as before means that they have not changed since; undefined while that is not certain yet. */
  stamp(): string | undefined
  /** Changes them under a lock, so that two who approve at once both count. */
  update(change: (approvals: readonly Approval[]) => readonly Approval[]): Promise<void>
  /** Sets damaged approvals aside and starts with none. Gives back where they are. */
  reset(): Promise<string | undefined>
  /** The bytes of an approved file, kept to show what has changed. */
  keep(sha256: string, bytes: Uint8Array): void
  kept(sha256: string): string | undefined
}

export function openApprovals(directory: string): Approvals {
  const file = join(directory, 'approvals.json')
  let known: { stamp: string; approvals: readonly Approval[] } | undefined

  function read(): readonly Approval[] {
    const text = readPrivate(file)
    if (text === undefined) return []
    if (known?.stamp !== text) known = { stamp: text, approvals: decode(text, file) }
    return known.approvals
  }

  return {
    directory,
    file,
    read,
    stamp() {
      const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
      return stats ? stampOf(stats) : 'none'
    },
    update: (change) =>
      locked(directory, () => {
        const approvals = change(read())
        writePrivate(directory, file, `${JSON.stringify({ version: 1, approvals }, null, 2)}\n`)
      }),
    reset: () =>
      locked(directory, () => {
        if (!statSync(file, { throwIfNoEntry: false })) return undefined
        const aside = `${file}.broken-${Date.now()}`
        renameSync(file, aside)
        return aside
      }),
    keep(sha256, bytes) {
      const copies = join(directory, 'approved')
      makePrivate(copies)
      writePrivate(copies, join(copies, sha256), bytes)
    },
    kept(sha256) {
      try {
        return readFileSync(join(directory, 'approved', sha256), 'utf8')
      } catch {
        return undefined
      }
    },
  }
}

function decode(text: string, file: string): readonly Approval[] {
  const parsed = parseJson(text)
  if (!parsed.ok) throw damaged(file, `it is not valid JSON: ${parsed.detail}`)
  const checked = document.safeParse(parsed.value)
  if (!checked.success) throw damaged(file, 'it does not have the shape of approvals')
  return checked.data.approvals as unknown as Approval[]
}

/** The text of a file that is ours alone; undefined when there is none. */
export function readPrivate(file: string): string | undefined {
  let descriptor: number
  try {
    // Mostly there is none, and an error that nobody reads costs more than a look.
    if (!contentAt(file)) return undefined
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw damaged(file, (error as Error).message)
  }
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw damaged(file, 'it is not a regular file')
    const own = process.getuid?.()
    if (own !== undefined && stats.uid !== own) throw unsafe(file, `it belongs to another user (uid ${stats.uid})`)
    if (stats.mode & 0o022) throw unsafe(file, 'others can change it')
    const hand = untrustedWriter(file)
    if (hand !== undefined) throw unsafe(file, hand)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** All or nothing: a reader sees the old file or the new one, also after a crash. */
export function writePrivate(directory: string, file: string, content: string | Uint8Array): void {
  makePrivate(directory)
  const draft = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`
  try {
    const descriptor = openSync(draft, 'wx', 0o600)
    try {
      writeFileSync(descriptor, content)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

export function makePrivate(directory: string): void {
  makeDirectory(directory)
  if (statSync(directory).mode & 0o077) chmodSync(directory, 0o700)
}

/** Changes are made by one process at a time. */
async function locked<T>(directory: string, work: () => T): Promise<T> {
  try {
    makePrivate(directory)
    return await withFileLock(join(directory, 'approvals.lock'), work)
  } catch (error) {
    if (error instanceof HooklineError) throw error
    throw new HooklineError(note('approvals-unwritable', { directory, detail: (error as Error).message }))
  }
}

/** What is known of a person's own layer, whatever variables and files say now. */
export interface KnownUserLayer {
  userDirectories: string[]
  /** Files of which hooks are approved. */
  userFiles: string[]
}

/** Where a person's own hooks were when they approved them, by this directory of approvals or that at its usual place; and when they installed us for agents. */
export function userLayerKnown(home: string): KnownUserLayer {
  const stores = new Set([stateDirectory(home), stateDirectory(home, {})])
  const files = [...stores].flatMap((store) => {
    try {
      const approvals = openApprovals(store)
      // Most people have none, and every event asks: then nothing is parsed.
      if (!/"scope":\s*"user"/.test(readPrivate(approvals.file) ?? '')) return []
      return approvals
        .read()
        .flatMap(({ subject }) => (subject.scope === 'user' && subject.file !== null ? [subject.file] : []))
    } catch {
      return []
    }
  })
  const directories = files.map((file) => dirname(file).replace(/[\\/]hooks\.d$/, ''))
  return {
    userDirectories: [...new Set([...directories, installedUserDirectory() ?? []].flat())],
    userFiles: [...new Set(files)],
  }
}

const damaged = (file: string, detail: string) => new HooklineError(note('approvals-damaged', { file, detail }))
const unsafe = (file: string, detail: string) => new HooklineError(note('approvals-unsafe', { file, detail }))

/** For approving where there is no terminal. Only its hash is kept, so that reading the file is not enough to approve. */
export function makeToken(directory: string): string {
  const token = randomBytes(24).toString('base64url')
  writePrivate(directory, fileIn(directory), `${hashed(token).toString('hex')}\n`)
  return token
}

export function isToken(directory: string, token: string | undefined): boolean {
  const kept = readPrivate(fileIn(directory))?.trim()
  if (!token || !kept || !/^[0-9a-f]{64}$/.test(kept)) return false
  return timingSafeEqual(Buffer.from(kept, 'hex'), hashed(token))
}

const fileIn = (directory: string): string => join(directory, 'approve-token')
const hashed = (token: string): Buffer => createHash('sha256').update(token).digest()
