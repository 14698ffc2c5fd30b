import { open, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { HooklineError, note } from 'hookline/internal'
import type { SessionRecord } from '../core/index.ts'
import { extension, isSessionId, sessionFile } from './log.ts'
import { recordOf, sessionRecords } from './read.ts'

export interface SessionSummary {
  id: string
  started: string
  /** When something was last added. */
  updated: string
  cwd: string
  agent: string
  /** The agent file. */
  team?: string
  /** Its own, or the beginning of the first prompt. */
  title: string
  /** The session that this one is a sub-agent's of. */
  parent?: string
  /** Why it ended; absent while it is open, or when its process was killed. */
  ended?: string
  bytes: number
}

export interface ListOptions {
  /** At most so many. Default: all. */
  limit?: number
  /** Sub-agents' sessions, too. */
  children?: boolean
  /** Only those that worked here. */
  cwd?: string
}

/** A title is found in this much of a file, or not at all. */
const headBytes = 64 * 1024
const tailBytes = 4 * 1024
const atOnce = 32

/** Latest first. Of each file only the beginning and the end are read. */
export async function listSessions(directory: string, options: ListOptions = {}): Promise<SessionSummary[]> {
  const { limit = Number.POSITIVE_INFINITY, children = false, cwd } = options
  const files = await latestFirst(directory)
  const found: SessionSummary[] = []
  for (let at = 0; at < files.length && found.length < limit; at += atOnce) {
    const some = await Promise.all(files.slice(at, at + atOnce).map(summarise))
    for (const each of some)
      if (each && (children || each.parent === undefined) && (cwd === undefined || each.cwd === cwd)) found.push(each)
  }
  return found.slice(0, limit)
}

/** The session of this id, or the only one whose id begins with this, or has it as its last part. */
export async function findSession(directory: string, id: string): Promise<string> {
  const ids = (await latestFirst(directory)).map(({ file }) => basename(file, extension))
  if (ids.includes(id)) return id
  const fitting = id === '' ? [] : ids.filter((each) => each.startsWith(id) || each.endsWith(`-${id}`))
  if (fitting.length === 1) return fitting[0]!
  if (fitting.length === 0) throw new HooklineError(note('session-unknown', { id }))
  throw new HooklineError(note('session-ambiguous', { id, found: fitting.slice(0, 5).join(', ') }))
}

export async function removeSession(directory: string, id: string): Promise<void> {
  await rm(sessionFile(directory, id))
}

interface Found {
  file: string
  bytes: number
  updated: Date
}

async function latestFirst(directory: string): Promise<Found[]> {
  const names = await readdir(directory).catch(() => [])
  const files = names.filter((name) => name.endsWith(extension) && isSessionId(basename(name, extension)))
  const found = await Promise.all(
    files.map(async (name) => {
      const file = join(directory, name)
      const known = await stat(file).catch(() => undefined)
      return known?.isFile() ? [{ file, bytes: known.size, updated: known.mtime }] : []
    }),
  )
  return found.flat().sort((one, other) => other.updated.getTime() - one.updated.getTime())
}

/** Undefined for a file that does not begin like a session. */
async function summarise({ file, bytes, updated }: Found): Promise<SessionSummary | undefined> {
  let session: Extract<SessionRecord, { type: 'session' }> | undefined
  let title = ''
  for await (const record of sessionRecords(file, headBytes)) {
    if (record.type === 'session') session ??= record
    if (record.type === 'message' && record.message.role === 'user') title = record.message.content
    if (title !== '') break
  }
  if (!session) return undefined
  const { id, started, cwd, agent, team, parent } = session
  const ended = await endOf(file, bytes)
  return {
    id,
    started,
    updated: updated.toISOString(),
    cwd,
    agent,
    ...(team === undefined ? {} : { team }),
    title: shortened(session.title ?? title),
    ...(parent === undefined ? {} : { parent }),
    ...(ended === undefined ? {} : { ended }),
    bytes,
  }
}

/** The reason of the last record, if that is an end. */
async function endOf(file: string, bytes: number): Promise<string | undefined> {
  const handle = await open(file)
  try {
    const size = Math.min(bytes, tailBytes)
    const { buffer } = await handle.read(Buffer.alloc(size), 0, size, bytes - size)
    const last = recordOf(buffer.toString('utf8').trimEnd().split('\n').at(-1) ?? '')
    return last?.type === 'ended' ? last.reason : undefined
  } finally {
    await handle.close()
  }
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
