import { appendFileSync, closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { makeDirectory } from 'hookline/internal'
import type { SessionLog, SessionRecord } from '../session-record.ts'
import { sessionFile } from './place.ts'

export interface SessionLogOptions {
  /** Hears once that records could not be kept; the agent works on. */
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

  /** To the disk, for what no process survives. It costs milliseconds, so it is done when somebody waits anyway. */
  async function flush(): Promise<void> {
    if (!begun) return
    const handle = await open(file, 'r+').catch(() => undefined)
    await handle?.datasync().catch(() => {})
    await handle?.close()
  }

  return {
    append(record) {
      try {
        write(record)
      } catch (error) {
        begun = false
        if (!broken) onError?.(error as Error)
        broken = true
      }
    },
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
