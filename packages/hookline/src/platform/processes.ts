import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Whether a process with this id runs, ours or somebody else's. One that ended and was not collected does not run. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return processStatus(pid)?.[0] !== 'Z'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** When a process started, which tells it from a later one with the same id. Undefined where the system does not say. */
export const processStart = (pid: number): string | undefined => processStatus(pid)?.[19]

/** The fields of /proc/<pid>/stat after the name, which may itself contain spaces and parentheses. */
function processStatus(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/**
 * Every hook process leads a process group of its own, so that all it starts can be ended with it. What has left the
 * group (setsid) is found again by a mark in its environment, where the system lets us look.
 */
export const markVariable = 'HOOKLINE_CALL'

export interface Survivor {
  pid: number
  name: string
}

export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch {
    // Nobody is left.
  }
}

/** Whether anyone is left in the group. Zombies count, so a yes only says: look closer. */
export function groupRemains(leader: number): boolean {
  // Nearly always nobody is, and then it throws: without a stack, which would cost more than the question.
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    process.kill(-leader, 0)
    return true
  } catch {
    return false
  } finally {
    Error.stackTraceLimit = limit
  }
}

/** Ends what is left of a hook: its group, and what escaped from it but still carries the mark. */
export function sweep(leader: number, mark: string): Survivor[] {
  const found = findMarked(`${mark}\0`)
  signalGroup(leader, 'SIGKILL')
  killAll(found)
  // One that was just being started while we looked is seen now.
  if (found.length > 0) killAll(findMarked(`${mark}\0`))
  return found
}

/** More processes than this since the hook began: then all of them are looked at. */
const mostSince = 4_096

/**
 * A second mark, for processes that throw their environment away: which pages a core dump holds. On Linux every child
 * inherits it, and no program looks at it. We have it ourselves while the hook is started, so that it has it from its first
 * moment. Anonymous memory and ELF headers (0x33, the default) stay; the other bits tell hooks that run side by side apart.
 */
export function startBranded<T>(mark: string, start: () => T): T {
  const own = readOr(ownFilter).trim()
  if (own === '') return start()
  setFilter(brandOf(mark))
  try {
    return start()
  } finally {
    setFilter(`0x${own}`)
  }
}

const ownFilter = '/proc/self/coredump_filter'

function setFilter(bits: string): void {
  try {
    writeFileSync(ownFilter, bits)
  } catch {
    // The system does not let us: then only the mark in the environment tells.
  }
}

const dumpBits = [0x04, 0x08, 0x40, 0x80, 0x100]

function brandOf(mark: string): string {
  const sum = [...mark].reduce((total, char) => (total * 31 + char.charCodeAt(0)) % 1_000_003, 7)
  const chosen = (sum % (2 ** dumpBits.length - 1)) + 1
  return String(dumpBits.reduce((total, bit, at) => total + (chosen & (1 << at) ? bit : 0), 0x33))
}

/**
 * What a hook left behind that has left its group and closed its output: a daemon. Looked for among the processes that
 * were started since, which are mostly none. `strays` have its mark in their environment and are ended; `suspects` have only
 * the second mark, which other hooks may have too: they are looked at again, by `endSuspects`.
 */
export function findStrays(leader: number, mark: string): { strays: Survivor[]; suspects: readonly number[] } {
  const last = Number(readOr('/proc/loadavg').split(' ').at(-1))
  if (!Number.isInteger(last) || last === leader) return { strays: [], suspects: [] }
  const running = startedSince(leader, last).filter((pid) => pid !== process.pid && isRunning(pid))
  const strays = running.filter((pid) => markOf(pid) === mark).map(named)
  killAll(strays)
  return { strays, suspects: running.filter((pid) => isSuspect(pid, mark)) }
}

/**
 * Between its fork and its program, a hook has the environment of its host and no mark in it; and a host that is just starting
 * one has the second mark itself. Both have passed this long after.
 */
export const suspicionMs = 50

export function endSuspects(suspects: readonly number[], mark: string): Survivor[] {
  const found = suspects.filter((pid) => isRunning(pid) && isSuspect(pid, mark)).map(named)
  killAll(found)
  return found
}

const named = (pid: number): Survivor => ({ pid, name: readOr(`/proc/${pid}/comm`).trim() })

function isRunning(pid: number): boolean {
  const state = processStatus(pid)?.[0]
  return state !== undefined && state !== 'Z'
}

/** The mark in the environment of a process. What has one of another hook belongs to that one. */
function markOf(pid: number): string | undefined {
  const entry = readOr(`/proc/${pid}/environ`)
    .split('\0')
    .find((each) => each.startsWith(`${markVariable}=`))
  return entry?.slice(markVariable.length + 1)
}

const isSuspect = (pid: number, mark: string): boolean =>
  isBranded(pid, mark) && markOf(pid) === undefined && isOrphan(pid, mark)

const isBranded = (pid: number, mark: string): boolean =>
  Number.parseInt(readOr(`/proc/${pid}/coredump_filter`), 16) === Number(brandOf(mark))

/**
 * Whether what started it has ended, and a process above us has taken it over. What another host starts has that host above
 * it, which is none of ours.
 */
function isOrphan(pid: number, mark: string): boolean {
  let top = parentOf(pid)
  while (top > 1 && top !== process.pid && isBranded(top, mark)) top = parentOf(top)
  return top === 1 || (top > 1 && ancestors().includes(top))
}

function ancestors(): number[] {
  const found = [parentOf(process.pid)]
  while (found.at(-1)! > 1) found.push(parentOf(found.at(-1)!))
  return found
}

const parentOf = (pid: number): number => Number(processStatus(pid)?.[1] ?? 0)

function startedSince(leader: number, last: number): number[] {
  if (last > leader && last - leader <= mostSince)
    return Array.from({ length: last - leader }, (_, at) => leader + 1 + at)
  return entriesOf('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && isAfter(pid, leader, last))
}

/** Ids begin again at the top. */
const isAfter = (pid: number, leader: number, last: number): boolean =>
  last >= leader ? pid > leader && pid <= last : pid > leader || pid <= last

/** Ends everything whose mark begins so. */
export function sweepMarked(prefix: string): void {
  killAll(findMarked(prefix))
}

function killAll(found: readonly Survivor[]): void {
  for (const { pid } of found) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended meanwhile.
    }
  }
}

/** Living processes with this text at the start of their mark. Nothing where there is no /proc. */
function findMarked(text: string): Survivor[] {
  const found: Survivor[] = []
  for (const entry of entriesOf('/proc')) {
    const pid = Number(entry)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    if (!readOr(`/proc/${pid}/environ`).includes(`${markVariable}=${text}`)) continue
    found.push({ pid, name: readOr(`/proc/${pid}/comm`).trim() })
  }
  return found
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

const live = new Set<number>()
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
let guards = 0

/** Remembers a group until it is released, so that it ends with the host. */
export const adopt = (leader: number): void => void live.add(leader)
export const release = (leader: number): void => void live.delete(leader)

export function killLiveGroups(): void {
  for (const leader of live) signalGroup(leader, 'SIGKILL')
}

/** From now until the returned function is called, hooks do not outlive a host that ends by exit or by signal. */
export function guardHost(): () => void {
  if (guards++ === 0) {
    process.on('exit', killLiveGroups)
    for (const signal of endings) process.on(signal, endBySignal)
  }
  let released = false
  return () => {
    if (released) return
    released = true
    if (--guards === 0) unguardHost()
  }
}

function unguardHost(): void {
  process.off('exit', killLiveGroups)
  for (const signal of endings) process.off(signal, endBySignal)
}

/** A host with a listener of its own decides for itself, and may go on. Otherwise the signal does what it always does. */
function endBySignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  killLiveGroups()
  unguardHost()
  process.kill(process.pid, signal)
}
