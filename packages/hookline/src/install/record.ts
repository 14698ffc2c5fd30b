import { join } from 'node:path'
import { makeDirectory, stateDirectory, withFileLockSync } from '../platform/index.ts'
import { readText, writeText } from './files.ts'

/** What was put into a file of a host, so that it can be taken out again byte for byte. */
export interface Installed {
  host: string
  scope: string
  /** The pieces that were inserted, in order; absent where the whole file is ours. */
  pieces?: readonly string[]
  /** Keys at the top that we put in beside our entries. */
  also?: readonly string[]
  /** The file was not there before. */
  created: boolean
  /** Directories that were made for it, outermost first. */
  made: readonly string[]
}

/** By path. */
export type Records = Record<string, Installed>

const fileOf = (): string => join(stateDirectory(), 'installed.json')

export function readRecords(): Records {
  try {
    const { files } = JSON.parse(readText(fileOf()) ?? '{}') as { files?: Records }
    return files ?? {}
  } catch {
    // Without it, entries are found by their mark.
    return {}
  }
}

export function changeRecords(change: (records: Records) => void): void {
  makeDirectory(stateDirectory())
  withFileLockSync(`${fileOf()}.lock`, () => {
    const records = readRecords()
    change(records)
    writeText(fileOf(), `${JSON.stringify({ version: 1, files: records }, null, 2)}\n`, 0o600)
  })
}
