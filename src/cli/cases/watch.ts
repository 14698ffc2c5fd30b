import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Often enough to feel immediate, seldom enough to cost nothing. */
const intervalMs = 250

/**
 * Waits until one of these files is written, replaced, made or removed. Looks at them instead of listening: that sees
 * every way in which editors save, on every file system. `list` is asked anew each time, for files that are new.
 */
export async function nextChange(list: () => readonly string[], signal: AbortSignal): Promise<boolean> {
  const before = stamp(list())
  while (!signal.aborted) {
    await sleep(intervalMs, undefined, { signal }).catch(() => {})
    if (!signal.aborted && stamp(list()) !== before) return true
  }
  return false
}

function stamp(files: readonly string[]): string {
  return [...new Set(files)]
    .sort()
    .map((file) => `${file}:${stampOf(file)}`)
    .join('\n')
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  return found ? `${found.mtimeMs}:${found.size}:${found.ino}` : 'gone'
}
