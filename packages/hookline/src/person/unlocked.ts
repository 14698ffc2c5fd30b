import { join } from 'node:path'
import { isRecord, parseJson } from '../core/index.ts'
import { processAt, processStart } from '../platform/index.ts'
import { readPrivate, writePrivate } from '../trust/index.ts'

/** For how long a person who has proven to be one need not do so again, in the same session of the same terminal. */
export const unlockedMs = 15 * 60_000

/** The session of this terminal: the process that leads it, which no later one can be mistaken for. */
function sessionHere(): string | undefined {
  const own = processAt(process.pid)
  const start = own?.session ? processStart(own.session) : undefined
  return own?.terminal === undefined || start === undefined ? undefined : `${own.terminal} ${own.session} ${start}`
}

const fileIn = (directory: string): string => join(directory, 'proven.json')

export function isUnlocked(directory: string): boolean {
  const session = sessionHere()
  const parsed = parseJson(textIn(directory) ?? '')
  if (session === undefined || !parsed.ok || !isRecord(parsed.value) || parsed.value['session'] !== session)
    return false
  const left = Number(parsed.value['until']) - Date.now()
  // More than was given is not ours: somebody has written it, or the clock was set back.
  return left > 0 && left <= unlockedMs
}

/** One session at a time: whoever moves to another terminal proves it there. */
export function unlock(directory: string): void {
  const session = sessionHere()
  if (session === undefined) return
  writePrivate(directory, fileIn(directory), `${JSON.stringify({ session, until: Date.now() + unlockedMs })}\n`)
}

function textIn(directory: string): string | undefined {
  try {
    return readPrivate(fileIn(directory))
  } catch {
    return undefined
  }
}
