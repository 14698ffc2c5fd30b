import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Often enough to feel immediate, seldom enough to cost nothing. */
const intervalMs = 250

/**
 * Waits until one of these files is written, replaced, made or removed; what was written since then counts at once.
 * Looks at them instead of listening: that sees every way in which editors save, on every file system. `list` is called
 * each time, to find new files.
 */
export async function nextChange(list: () => readonly string[], since: number, signal: AbortSignal): Promise<boolean> {
  const before = stamp(list())
  if (list().some((file) => wasWritten(file, since))) return true
  while (!signal.aborted) {
    await sleep(intervalMs, undefined, { signal }).catch(() => {})
    if (!signal.aborted && stamp(list()) !== before) return true
  }
  return false
}

/** A time in the future tells nothing, and would count for ever. */
function wasWritten(file: string, since: number): boolean {
  const at = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return at > since && at <= Date.now()
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
