import { statSync } from 'node:fs'
import { packageFile } from '../platform/index.ts'

/**
 * Calls once the package that this process runs from was replaced, and lies still again: what is not loaded yet is gone
 * then, or of another version. Gives back what ends the watch.
 */
export function whenReplaced(
  onReplaced: () => void,
  { file = packageFile('dist', 'cli.js'), everyMs = 5_000 }: { file?: string; everyMs?: number } = {},
): () => void {
  const first = stampOf(file)
  let last = first
  const timer = setInterval(() => {
    const now = stampOf(file)
    const isOther = first !== undefined && now !== undefined && now !== first && now === last
    last = now
    if (!isOther) return
    clearInterval(timer)
    onReplaced()
  }, everyMs).unref()
  return () => clearInterval(timer)
}

function stampOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs}`
}
