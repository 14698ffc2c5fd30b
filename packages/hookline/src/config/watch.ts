import { type FSWatcher, statSync, watch } from 'node:fs'
import { dirname } from 'node:path'

export interface Watch {
  /** Looks anew for the directories: some may have come, others gone. */
  aim(directories: readonly string[]): void
  close(): void
}

/** Where the system does not tell (a network drive, too many watches), looking now and then does. */
const pollMs = 2_000

/**
 * Calls when something in these directories may have changed; too often rather than too seldom. Where a directory is
 * not there yet, the nearest one above it is watched. Keeps no process alive.
 */
export function watchDirectories(changed: () => void): Watch {
  const open = new Map<string, FSWatcher>()
  const poll = setInterval(changed, pollMs)
  poll.unref()

  function start(directory: string): void {
    try {
      const watcher = watch(directory, { persistent: false }, changed)
      watcher.on('error', () => stop(directory))
      open.set(directory, watcher)
    } catch {
      // The poll remains.
    }
  }

  function stop(directory: string): void {
    open.get(directory)?.close()
    open.delete(directory)
  }

  return {
    aim(directories) {
      const wanted = new Set(directories.map(nearest))
      for (const directory of [...open.keys()]) if (!wanted.has(directory)) stop(directory)
      for (const directory of wanted) if (!open.has(directory)) start(directory)
    },
    close() {
      clearInterval(poll)
      for (const directory of [...open.keys()]) stop(directory)
    },
  }
}

function nearest(directory: string): string {
  const above = dirname(directory)
  return above === directory || statSync(directory, { throwIfNoEntry: false })?.isDirectory()
    ? directory
    : nearest(above)
}
