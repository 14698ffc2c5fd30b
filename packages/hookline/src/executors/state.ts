import { createHash, randomUUID } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { forgetAfterMs, HookFailure, isRecord, nameOf, type StatePlace, type StateStore } from '../core/index.ts'
import { makeDirectory, stateDirectory, withFileLock } from '../platform/index.ts'

/** How often, at most, a store looks for sessions that are over. */
const collectEveryMs = 24 * 60 * 60 * 1_000

/** More than builtins ever remember of one session: a larger file is not ours. */
const largestFile = 16 * 1024 * 1024

export const sessionsDirectory = (): string => join(stateDirectory(), 'sessions')

/**
 * For processes that live for one event each: one small file per session, for the user alone, changed under a lock and
 * replaced whole. Nothing is made before there is something to remember.
 */
export function fileState(directory: string = sessionsDirectory()): StateStore {
  return {
    read: (place) => guarded(directory, () => valuesIn(fileOf(directory, place), place)[nameOf(place)]),
    async update(place, change) {
      const file = fileOf(directory, place)
      try {
        makeDirectory(directory)
        const { value, isNew } = await withFileLock(`${file}.lock`, () => changeFile(file, place, change))
        if (isNew) await collect(directory)
        return value
      } catch (error) {
        throw unavailable(directory, error)
      }
    },
  }
}

type Values = Record<string, unknown>

function changeFile(file: string, place: StatePlace, change: (current: unknown) => unknown) {
  const values = valuesIn(file, place)
  const name = nameOf(place)
  const before = JSON.stringify(values[name])
  const isNew = Object.keys(values).length === 0
  const value = change(values[name])
  if (JSON.stringify(value) === before) return { value, isNew: false }
  if (value === undefined) delete values[name]
  else values[name] = value
  if (Object.keys(values).length > 0) replace(file, JSON.stringify(values))
  else rmSync(file, { force: true })
  return { value, isNew }
}

/** What a session has left. One that was quiet for too long has left nothing. */
function valuesIn(file: string, { quietMs = forgetAfterMs }: Pick<StatePlace, 'quietMs'>): Values {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined || Date.now() - stats.mtimeMs >= quietMs) return {}
  const values = stats.isFile() && stats.size <= largestFile ? JSON.parse(readFileSync(file, 'utf8')) : undefined
  if (!isOurs(values)) throw new Error(`${file} is not a file of counts`)
  return values
}

/** Every name is a scope and a key. In a list, whatever is counted would be lost when it is written. */
const isOurs = (values: unknown): values is Values =>
  isRecord(values) && Object.keys(values).every((name) => name.includes('\0'))

function replace(file: string, text: string): void {
  const aside = `${file}.${randomUUID()}`
  try {
    writeFileSync(aside, text, { mode: 0o600, flag: 'wx' })
    renameSync(aside, file)
  } catch (error) {
    rmSync(aside, { force: true })
    throw error
  }
}

/** A plain id names its file; any other is hashed, so that it can lead nowhere else. */
function fileOf(directory: string, { session }: StatePlace): string {
  const plain = /^[a-z0-9][a-z0-9-]{0,99}$/.test(session)
  return join(directory, plain ? `${session}.json` : `_${createHash('sha256').update(session).digest('hex')}.json`)
}

/**
 * Removes what sessions that are over have left: when a session begins, and once a day at most. The directory may be one
 * that somebody else uses too, so nothing is removed but files that this store has made.
 */
async function collect(directory: string): Promise<void> {
  const stamp = join(directory, '.collected')
  try {
    const last = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (Date.now() - last < collectEveryMs) return
    writeFileSync(stamp, '', { mode: 0o600 })
    utimesSync(stamp, new Date(), new Date())
    for (const name of readdirSync(directory)) {
      const path = join(directory, name)
      if (!isOver(path)) continue
      if (leftBehind.test(name)) rmSync(path, { force: true })
      else if (sessionFile.test(name) && holdsCounts(path))
        await withFileLock(`${path}.lock`, () => isOver(path) && rmSync(path, { force: true }))
    }
  } catch {
    // The next session tries again.
  }
}

const sessionFile = /^(?:[a-z0-9][a-z0-9-]{0,99}|_[0-9a-f]{64})\.json$/
/** By a process that was killed: its lock, or the file that was to replace the one of its session. */
const leftBehind =
  /^[a-z0-9_][a-z0-9-]{0,99}\.json\.(?:lock(?:\.[a-z0-9-]+)*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

function holdsCounts(path: string): boolean {
  try {
    return lstatSync(path).size <= largestFile && isOurs(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return false
  }
}

/** Locks are links that lead nowhere. */
function isOver(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats !== undefined && Date.now() - stats.mtimeMs >= forgetAfterMs
}

function guarded<T>(directory: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw unavailable(directory, error)
  }
}

/** Whoever counts here fails: a guard that cannot count must not pass for one that has. */
function unavailable(directory: string, error: unknown): HookFailure {
  const detail = error instanceof Error ? error.message : String(error)
  return new HookFailure(
    'internal',
    `What is counted in this session cannot be kept in ${directory}: ${detail}`,
    'Make that directory writable, or name another with XDG_STATE_HOME.',
  )
}
