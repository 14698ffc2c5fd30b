import { createReadStream } from 'node:fs'
import { HooklineError, note } from 'hookline/internal'
import type { SessionRecord } from '../session-record.ts'
import { sessionFile } from './place.ts'
import { isSessionRecord } from './shape.ts'

/** The records of a session, in order. What a killed process has left unfinished is not among them. */
export async function readSession(directory: string, id: string): Promise<SessionRecord[]> {
  const records: SessionRecord[] = []
  for await (const record of sessionRecords(sessionFile(directory, id))) records.push(record)
  if (!records.some(({ type }) => type === 'session')) throw new HooklineError(note('session-unknown', { id }))
  return records
}

/** The same one by one, at most the first so many bytes of the file; none when there is no file. */
export async function* sessionRecords(file: string, limit = Number.POSITIVE_INFINITY): AsyncGenerator<SessionRecord> {
  try {
    for await (const line of linesOf(file, limit)) {
      const record = recordOf(line)
      if (record) yield record
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Undefined for a line that is none: torn, or changed by somebody else. */
export function recordOf(line: string): SessionRecord | undefined {
  try {
    const record: unknown = JSON.parse(line)
    return isSessionRecord(record) ? record : undefined
  } catch {
    return undefined
  }
}

/** Split at newlines and nothing else: a text may hold the other characters that end a line somewhere (U+2028). */
async function* linesOf(file: string, limit: number): AsyncGenerator<string> {
  let rest: Buffer[] = []
  for await (const chunk of createReadStream(file, { end: limit - 1 }) as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, at)]).toString('utf8')
      rest = []
      from = at + 1
    }
    if (from < chunk.length) rest.push(chunk.subarray(from))
  }
  if (rest.length > 0) yield Buffer.concat(rest).toString('utf8')
}
