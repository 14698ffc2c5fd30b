import { closeSync, existsSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { uniqueName } from '../core/index.ts'
import { isAlive } from '../platform/alive.ts'
import { makeDirectory } from '../platform/make-directory.ts'

/**
 * Mutual exclusion between processes by a file that only one can create. It is held for the time of one write, without
 * an `await` in between, and so for milliseconds; whoever finds it left behind by a dead process removes it. The
 * directory is made when there is none.
 */
export interface Lock {
  /** Runs `work` while holding the lock, waiting for it as long as `patienceMs`. */
  hold<T>(work: () => T): Promise<T>
  /** The same for the last moment of a process, when nothing can be awaited. */
  holdSync<T>(work: () => T): T
  /** The same without waiting; undefined when someone else holds it. */
  tryHold<T>(work: () => T): { value: T } | undefined
}

const patienceMs = 30_000
const lastPatienceMs = 2000
/** Whoever waits this long looks whether the holder is still there, now and every so often again. */
const suspicionMs = 50
/** A holder that has not finished by now is stopped, or is another process that was given the same pid. */
const abandonedAfterMs = 60_000
/** A holder writes its name at once: a lock without one was left by a process that was killed in between. */
const namelessAfterMs = 2_000

export function makeLock(file: string): Lock {
  const path = `${file}.lock`
  return {
    async hold(work) {
      if (!create(path)) await waitFor(path)
      return release(path, work)
    },
    holdSync(work) {
      const wait = makeWait(path, lastPatienceMs)
      while (!create(path)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait())
      return release(path, work)
    },
    tryHold: (work) => (create(path) ? { value: release(path, work) } : undefined),
  }
}

async function waitFor(path: string): Promise<void> {
  const wait = makeWait(path, patienceMs)
  do await delay(wait())
  while (!create(path))
}

function release<T>(path: string, work: () => T): T {
  try {
    return work()
  } finally {
    remove(path)
  }
}

/** How long to wait before each attempt: at random, lest those who wait meet again, and soon less eagerly, lest many wake. */
function makeWait(path: string, patience: number): () => number {
  const start = performance.now()
  let suspicious = start + suspicionMs
  return () => {
    const now = performance.now()
    if (now - start > patience) throw new Error(`another process holds ${path}`)
    if (now > suspicious) {
      suspicious = now + suspicionMs
      if (isAbandoned(path) && removeAbandoned(path)) return 0
    }
    return 1 + Math.random() * (now - start < suspicionMs ? 3 : 24)
  }
}

function create(path: string): boolean {
  const fd = openNew(path)
  if (fd === undefined) return false
  try {
    writeSync(fd, `${process.pid} ${hostname()} ${uniqueName()}`)
  } catch {
    // On a full disk the lock has no owner's name; it is one all the same.
  } finally {
    closeSync(fd)
  }
  return true
}

function openNew(path: string): number | undefined {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return undefined
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error
    makeDirectory(dirname(path))
    return openNew(path)
  }
}

function isAbandoned(path: string): boolean {
  try {
    const stats = statSync(path)
    const age = Date.now() - stats.mtimeMs
    // Who reads a pipe waits for ever.
    if (age > abandonedAfterMs || !stats.isFile()) return true
    const [pid, host] = readFileSync(path, 'utf8').split(' ')
    if (host === undefined) return age > namelessAfterMs
    return host === hostname() && !isAlive(Number(pid))
  } catch {
    return false
  }
}

/**
 * Two processes may find the same abandoned lock; one of them could remove it, take it anew, and have it removed by the
 * other. So removing needs a lock of its own, and looks again: nobody else can then replace what is found.
 */
function removeAbandoned(path: string): boolean {
  const breaker = `${path}.breaking`
  if (!create(breaker)) {
    if (isAbandoned(breaker)) remove(breaker)
    return false
  }
  try {
    if (!isAbandoned(path)) return false
    remove(path)
    return true
  } finally {
    remove(breaker)
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Someone else removed it: it is gone, which is what was wanted.
  }
}
