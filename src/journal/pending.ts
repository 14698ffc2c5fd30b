import { existsSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { uniqueName } from '../core/unique.ts'

const pendingMark = '.pending-'
/** Whoever has not written by now was stopped or could not. */
const abandonedAfterMs = 10_000

/** A file that says: something was handed over to be written. Whoever writes it removes the mark. */
export function markPending(file: string): string {
  const mark = `${file}${pendingMark}${uniqueName().slice(0, 8)}`
  writeFileSync(mark, '', { flag: 'wx', mode: 0o600 })
  return mark
}

/** Something that was handed over and never written; `detail` says why, where that is known. */
export interface Abandoned {
  mark: string
  detail: string
}

/** Waits until what was handed over before now is written. Gives back what never was. */
export async function awaitPending(file: string): Promise<Abandoned[]> {
  let marks = marksOf(file)
  const isOpen = (mark: string) => detailOf(mark) === '' && ageOf(mark) < abandonedAfterMs
  while (marks.some(isOpen)) {
    await delay(15)
    marks = marks.filter((mark) => existsSync(mark))
  }
  // One that was removed while the last was looked at is written.
  const left = marks.filter((mark) => existsSync(mark))
  return left.map((mark) => ({ mark, detail: detailOf(mark) || 'its writer was stopped' }))
}

/** Those who were given something to write and did not: forgotten here, to be counted as lost. */
export function clearAbandoned(file: string): number {
  const abandoned = marksOf(file).filter((mark) => ageOf(mark) > 6 * abandonedAfterMs)
  for (const mark of abandoned) unlinkSync(mark)
  return abandoned.length
}

function marksOf(file: string): string[] {
  try {
    const prefix = `${basename(file)}${pendingMark}`
    const names = readdirSync(dirname(file)).filter((name) => name.startsWith(prefix))
    return names.map((name) => join(dirname(file), name))
  } catch {
    return []
  }
}

function detailOf(mark: string): string {
  try {
    return readFileSync(mark, 'utf8').slice(0, 400)
  } catch {
    return ''
  }
}

function ageOf(mark: string): number {
  return Date.now() - (statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0)
}
