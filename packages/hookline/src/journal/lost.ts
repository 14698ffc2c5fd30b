import { closeSync, constants, ftruncateSync, openSync, statSync, writeSync } from 'node:fs'

/**
 * How many entries no process could write since the last that could be. One byte stands for each, behind a first that is
 * always there: the file has its block while there is room, so it grows on a full disk too, and several processes may add to
 * it at once. The next entry that is written says the number, and only then is it forgotten.
 */
export interface LostMarks {
  count(): number
  /** Whether they were marked. Never throws: what loses entries must not lose the verdict. */
  add(entries: number): boolean
  /** They stand in an entry now. Needs the lock. */
  clear(counted: number): void
}

/** More would need another block. */
const most = 4095

export function lostMarks(journal: string): LostMarks {
  const file = `${journal}.lost`
  const sizeNow = () => statSync(file, { throwIfNoEntry: false })?.size
  return {
    count: () => quietly(() => Math.max(0, (sizeNow() ?? 0) - 1)) ?? 0,
    add: (entries) =>
      quietly(() => {
        const size = sizeNow() ?? 0
        const room = Math.max(0, most + 1 - size)
        writeTo(file, (fd) => writeSync(fd, '.'.repeat(Math.min(room, size === 0 ? entries + 1 : entries))))
        return true
      }) ?? false,
    clear(counted) {
      if (counted === 0 && sizeNow() !== undefined) return
      quietly(() =>
        writeTo(file, (fd) => {
          if (counted > 0) ftruncateSync(fd, 1)
          else writeSync(fd, '.')
        }),
      )
    },
  }
}

const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_WRONLY } = constants

function writeTo(file: string, work: (fd: number) => void): void {
  const fd = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
  try {
    work(fd)
  } finally {
    closeSync(fd)
  }
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
