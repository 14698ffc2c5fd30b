import { mkdir, rm, stat, utimes } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { makeDirectory } from '../../platform/make-directory.ts'

/** A lock not touched for this long was left by a process that died. */
const staleMs = 5_000
const patienceMs = 30_000

/** Works under a lock that other processes see too: making a directory succeeds for exactly one of many. */
export async function exclusive<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`
  makeDirectory(dirname(lock))
  const start = performance.now()
  while (!(await take(lock))) {
    if (performance.now() - start > patienceMs) throw new Error(`another process holds ${lock}`)
    await delay(2 + Math.random() * 8)
  }
  const alive = setInterval(() => void touch(lock), staleMs / 4)
  try {
    return await work()
  } finally {
    clearInterval(alive)
    await rm(lock, { recursive: true, force: true })
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const held = await stat(lock).catch(() => undefined)
    if (held && Date.now() - held.mtimeMs > staleMs) await rm(lock, { recursive: true, force: true })
    return false
  }
}

async function touch(lock: string): Promise<void> {
  const now = new Date()
  await utimes(lock, now, now).catch(() => {})
}
