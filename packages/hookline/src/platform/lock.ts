import {
  closeSync,
  lstatSync,
  lutimesSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { makeDirectory } from './paths.ts'
import { isAlive, processStart } from './processes.ts'

/**
 * Mutual exclusion between processes, by a name that only one of them can create. The name is a symbolic link whose
 * target says who holds it: creating a link is one atomic step, so a lock is never there without its holder, and a
 * holder that was killed is recognised at once by its process id and start time. Where nobody can tell whether the
 * holder lives (another machine, another container), a lock that was not renewed for a while is abandoned; ages are
 * measured on the clock of the file system, so clocks that differ do no harm.
 */
export interface LockOptions {
  /** How long to wait for other holders. */
  timeoutMs?: number
  signal?: AbortSignal
}

export interface FileLock {
  release(): void
}

/** The lock is held by somebody else, and was for as long as we waited. */
export class LockedError extends Error {
  readonly code = 'ELOCKED'
  constructor(
    readonly path: string,
    readonly pid: number | undefined,
    waitedMs: number,
  ) {
    const holder = pid === undefined ? 'another process' : `process ${pid}`
    super(`${holder} holds the lock ${path}; waited ${Math.round(waitedMs / 100) / 10} s`)
  }
}

const defaultTimeoutMs = 30_000
/** How often a waiting process checks whether the holder was killed, and whether it stopped renewing the lock. */
const checkHolderMs = 50
const checkRenewalMs = 1_000
/** A lock that was not renewed for this long is abandoned, if its holder cannot be checked. */
const unknownLeaseMs = 10_000
/** The same where a process of that id is there, but possibly a later one. */
const unsureLeaseMs = 60_000
/** The same for a lock file without content: its maker writes it in the next instant. */
const namelessLeaseMs = 2_000
const renewMs = unknownLeaseMs / 4

/**
 * Runs `work` while holding the lock at `path`, which is made, with its directory, and removed again. Rejects with
 * `LockedError` after the time-out, and at once with the error of the file system if the lock cannot be made.
 */
export async function withFileLock<T>(path: string, work: () => T | Promise<T>, options: LockOptions = {}): Promise<T> {
  const wait = waiting(path, options.timeoutMs)
  let own = create(path)
  while (own === undefined) {
    options.signal?.throwIfAborted()
    await delay(wait(), undefined, options.signal && { signal: options.signal })
    own = create(path)
  }
  const held = hold(path, own)
  try {
    const result = work()
    // Work without an await is over now; only longer work needs renewals.
    return isPromise(result) ? await held.renewedDuring(result) : result
  } finally {
    held.release()
  }
}

/** The same for the last moment of a process, when nothing can be awaited. */
export function withFileLockSync<T>(path: string, work: () => T, { timeoutMs }: LockOptions = {}): T {
  const wait = waiting(path, timeoutMs)
  let own = create(path)
  while (own === undefined) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait())
    own = create(path)
  }
  const held = hold(path, own)
  try {
    return work()
  } finally {
    held.release()
  }
}

/** Takes the lock for as long as the caller wants, without waiting. Throws `LockedError` if a living process holds it. */
export function takeFileLock(path: string): FileLock {
  const own = create(path) ?? (removeAbandoned(path, true) || namesNobody(path) ? create(path) : undefined)
  if (own === undefined) throw new LockedError(path, holderOf(path)?.pid, 0)
  const held = hold(path, own)
  held.renew()
  return held
}

/** A lock without a name is one in the instant of being made, or was left by a process that died in it: a moment tells. */
function namesNobody(path: string): boolean {
  const isNameless = () => {
    const holder = holderOf(path)
    return holder?.kind === 'file' && holder.text === ''
  }
  const until = performance.now() + namelessLeaseMs
  while (isNameless() && performance.now() < until + 500) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    if (removeAbandoned(path, true)) return true
  }
  return false
}

/** How long to sleep before the next attempt: at random, so that those who wait do not collide; oftener after a second, so that nobody starves. */
function waiting(path: string, timeoutMs = defaultTimeoutMs): () => number {
  const start = performance.now()
  let nextHolderCheck = start + checkHolderMs
  let nextRenewalCheck = start + checkRenewalMs
  return () => {
    const now = performance.now()
    if (now > nextHolderCheck) {
      const checksRenewal = now > nextRenewalCheck
      nextHolderCheck = now + checkHolderMs
      if (checksRenewal) nextRenewalCheck = now + checkRenewalMs
      if (removeAbandoned(path, checksRenewal)) return 0
    }
    if (now - start > timeoutMs) throw new LockedError(path, holderOf(path)?.pid, now - start)
    return 1 + Math.random() * (now - start < 1_000 ? 20 : 5)
  }
}

function hold(path: string, own: string) {
  const since = performance.now()
  let timer: NodeJS.Timeout | undefined
  const renew = () => {
    const clockDifference = (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) - Date.now()
    timer = setInterval(() => touch(path, own, clockDifference), renewMs).unref()
  }
  return {
    renew,
    renewedDuring<T>(work: Promise<T>): Promise<T> {
      renew()
      return work
    },
    release() {
      clearInterval(timer)
      // Nobody can have taken it from us so soon; later, somebody might have.
      if (performance.now() - since < namelessLeaseMs || holderOf(path)?.text === own) remove(path)
    },
  }
}

function touch(path: string, own: string, clockDifference: number): void {
  try {
    const time = (Date.now() + clockDifference) / 1000
    if (holderOf(path)?.text === own) lutimesSync(path, time, time)
  } catch {
    // It was removed meanwhile, or this file system keeps no times.
  }
}

/** Makes the lock, and gives back its text; undefined if it is there already. */
function create(path: string): string | undefined {
  const text = ownName()
  try {
    return createNamed(path, text)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unmakeable(path, error)
  }
  try {
    makeDirectory(dirname(path))
    return createNamed(path, text)
  } catch (error) {
    throw unmakeable(path, error)
  }
}

function createNamed(path: string, text: string): string | undefined {
  try {
    symlinkSync(text, path)
    return text
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    // A network file system may report the success of a repeated request as this.
    if (code === 'EEXIST') return holderOf(path)?.text === text ? text : undefined
    if (!withoutLinks.has(code)) throw error
    return createFile(path, text)
  }
}

/** What file systems answer that have no symbolic links, and Windows to users who may not make any. */
const withoutLinks = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'UNKNOWN'])

function createFile(path: string, text: string): string | undefined {
  let fd: number
  try {
    fd = openSync(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  }
  try {
    writeSync(fd, text)
    return text
  } catch (error) {
    remove(path)
    throw error
  } finally {
    closeSync(fd)
  }
}

function unmakeable(path: string, cause: unknown): Error {
  const { code, message } = cause as NodeJS.ErrnoException
  const reason = message.replace(/, (?:symlink|open|write|mkdir)\b.*$/s, '')
  return Object.assign(new Error(`cannot make the lock ${path}: ${reason}`, { cause }), code && { code })
}

interface Holder {
  text: string
  /** Tells this lock from the next one at the same path. */
  id: string
  kind: 'link' | 'file' | 'directory' | 'other'
  pid?: number
  machine?: string
  start?: string
  modifiedMs: number
}

/** Who holds the lock; undefined if nobody does. Earlier versions wrote files (`pid`, `pid host id`) and made directories. */
function holderOf(path: string): Holder | undefined {
  try {
    const stats = lstatSync(path)
    const kind = stats.isSymbolicLink() ? 'link' : stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other'
    const text = kind === 'link' ? readlinkSync(path) : kind === 'file' ? readFileSync(path, 'utf8') : ''
    const [pid, machine, third, fourth] = text.split(' ')
    return {
      text,
      kind,
      id: fourth ?? `${stats.ino}-${Math.trunc(stats.mtimeMs)}`,
      modifiedMs: stats.mtimeMs,
      ...(Number(pid) > 0 && { pid: Number(pid) }),
      ...(machine !== undefined && { machine }),
      ...(fourth !== undefined && third !== undefined && { start: third }),
    }
  } catch {
    return undefined
  }
}

/**
 * Removes the lock if its holder is gone. Several processes may find the same abandoned lock, and one that is slow must
 * not remove the lock that somebody took after it: so only who made the name `<lock>.<id>` may remove the lock with that
 * id. One that is killed in between leaves that name, which is a lock like any other.
 */
function removeAbandoned(path: string, checksRenewal: boolean): boolean {
  const found = holderOf(path)
  if (!found) return true
  const lease = leaseOf(found)
  if (lease > 0 && !(checksRenewal && lease < Number.POSITIVE_INFINITY)) return false
  const claim = `${path}.${found.id}`
  if (create(claim) === undefined) {
    removeAbandoned(claim, checksRenewal)
    return false
  }
  try {
    const holder = holderOf(path)
    if (holder?.id !== found.id) return holder === undefined
    const now = lstatSync(claim).mtimeMs
    // A clock that was set back makes the past the future.
    if (Math.abs(now - holder.modifiedMs) < leaseOf(holder)) return false
    remove(path)
    return true
  } finally {
    remove(claim)
  }
}

/** For how long without renewal the lock is its holder's: for ever while it lives, no longer when it is gone. */
function leaseOf({ kind, text, pid, machine, start }: Holder): number {
  if (kind === 'other') return 0
  if (kind === 'file' && text === '') return namelessLeaseMs
  const isHere = machine === undefined || machine === thisMachine() || machine === hostname()
  if (pid === undefined || !isHere) return unknownLeaseMs
  if (!isAlive(pid)) return 0
  const startNow = processStart(pid)
  if (start === undefined || start === '-' || startNow === undefined) return unsureLeaseMs
  return start === startNow ? Number.POSITIVE_INFINITY : 0
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    try {
      rmdirSync(path)
    } catch {
      // Somebody else removed it.
    }
  }
}

let ownStart: string | undefined
let made = 0

/** Short enough (below 60 bytes) for file systems to keep it in the directory itself. */
function ownName(): string {
  ownStart ??= processStart(process.pid) ?? '-'
  const unique = `${(made++).toString(36)}${Math.random().toString(36).slice(2, 10)}`
  return `${process.pid} ${thisMachine()} ${ownStart} ${unique}`
}

let machine: string | undefined

/** Where process ids mean the same: this boot of this machine and, on Linux, this container. */
function thisMachine(): string {
  machine ??= bootAndContainer() ?? hostname()
  return machine
}

function bootAndContainer(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8)
    const container = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]
    return container && `${boot}:${container}`
  } catch {
    return undefined
  }
}

const isPromise = <T>(value: T | Promise<T>): value is Promise<T> => value instanceof Promise
