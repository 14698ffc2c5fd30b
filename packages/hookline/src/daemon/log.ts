import { appendFileSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDirectory, stateDirectory } from '../platform/index.ts'

/** So much is kept, and once more of what was before. */
const largest = 1024 * 1024

export const logPath = (): string => join(stateDirectory(), 'daemon.log')

/** Lines with their time, for whoever wonders why a daemon came or went. What cannot be written is not worth an error. */
export function openLog(file = logPath()): (line: string) => void {
  makeDirectory(dirname(file))
  return (line) => {
    try {
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > largest) renameSync(file, `${file}.1`)
      appendFileSync(file, `${new Date().toISOString()} ${line}\n`, { mode: 0o600 })
    } catch {
      // The daemon goes on.
    }
  }
}

export function readLog(file = logPath()): string {
  return [`${file}.1`, file].map(textOf).join('')
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
