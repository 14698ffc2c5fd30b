import { randomBytes } from 'node:crypto'
import { appendFileSync, closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { dataDirectory, HooklineError, LockedError, makeDirectory, note, takeFileLock } from 'hookline/internal'
import type { SessionLog, SessionRecord } from '../core/index.ts'

/** The file of a session in the directory of all of them. */
export function sessionFile(directory: string, id: string): string {
  if (!isSessionId(id)) throw new HooklineError(note('session-id', { id }))
  return join(directory, `${id}${extension}`)
}

/** Nothing that could lead out of the directory, or be hidden in it. */
export const isSessionId = (id: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/.test(id)

export const extension = '.jsonl'

/** Where the agent's sessions are kept, for this person. */
export const sessionsDirectory = (): string => join(dataDirectory(), 'sessions')

/** When it began, so that people and file lists can sort it; and a part that is short enough to type. */
export function newSessionId(now = new Date()): string {
  const [date = '', time = ''] = now.toISOString().split('T')
  return `${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${randomBytes(3).toString('hex')}`
}

export interface SessionLogOptions {
  /** Called once when records cannot be written; the agent continues. */
  onError?(error: Error): void
}

/**
 * Appends the records of one session to its file, readable by its owner alone. A record is with the operating system when
 * `append` returns, so that a killed process loses none; and no file stays open, so that idle sessions cost nothing.
 */
export function openSessionLog(directory: string, id: string, { onError }: SessionLogOptions = {}): SessionLog {
  const file = sessionFile(directory, id)
  let [begun, broken] = [false, false]

  function write(record: SessionRecord): void {
    const line = `${JSON.stringify(record)}\n`
    if (!begun) makeDirectory(directory)
    // What a killed process has left unfinished stays a line of its own.
    appendFileSync(file, !begun && endsInside(file) ? `\n${line}` : line, { mode: 0o600 })
    begun = true
  }

  /** Flushes to disk, for what no process survives. It takes milliseconds, so it runs when the agent waits anyway. */
  async function flush(): Promise<void> {
    if (!begun) return
    const handle = await open(file, 'r+').catch(() => undefined)
    await handle?.datasync().catch(() => {})
    await handle?.close()
  }

  return {
    path: file,
    append(record) {
      try {
        write(record)
      } catch (error) {
        begun = false
        if (!broken) onError?.(error as Error)
        broken = true
      }
    },
    // Whoever runs a session from its log goes on behind it: no step is run again.
    step: (_boundary, run) => run(),
    flush,
    close: flush,
  }
}

/** Whether the last line lacks its end. */
function endsInside(file: string): boolean {
  try {
    const handle = openSync(file, 'r')
    try {
      const { size } = fstatSync(handle)
      const last = Buffer.alloc(1)
      return size > 0 && readSync(handle, last, 0, 1, size - 1) === 1 && last[0] !== newline
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

const newline = 0x0a

/** Locks a session for this process: two processes must not append to one file. Returns the release. */
export function holdSession(directory: string, id: string): () => void {
  const file = `${sessionFile(directory, id)}.lock`
  try {
    return takeFileLock(file).release
  } catch (error) {
    if (!(error instanceof LockedError)) throw error
    throw new HooklineError(note('session-in-use', { id, pid: error.pid ?? 0, file }))
  }
}
