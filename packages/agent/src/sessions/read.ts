import { createReadStream } from 'node:fs'
import { HooklineError, isRecord, note } from 'hookline/internal'
import { isToolCall, type Message, type SessionRecord } from '../core/index.ts'
import { sessionFile } from './log.ts'
import { withInputs } from './transcript.ts'

/** The records of a session, in order. What a killed process has left unfinished is not among them. */
export async function readSession(directory: string, id: string): Promise<SessionRecord[]> {
  const records: SessionRecord[] = []
  for await (const record of sessionRecords(sessionFile(directory, id))) records.push(record)
  if (!records.some(({ type }) => type === 'session')) throw new HooklineError(note('session-unknown', { id }))
  return withInputs(records)
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

/** Undefined for a line that is torn or was edited. */
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

/** Whether a line of a session's file is a record: a file may have been cut, mixed up or edited, and the rest of it still counts. */
export function isSessionRecord(value: unknown): value is SessionRecord {
  if (!isRecord(value)) return false
  const type = value['type'] as SessionRecord['type']
  return Object.hasOwn(records, type) && records[type](value)
}

type Fits = (value: Record<string, unknown>) => boolean

const isText = (value: unknown) => typeof value === 'string'
const isCount = (value: unknown) => typeof value === 'number' && Number.isFinite(value)
const isAbsentOr = (fits: (value: unknown) => boolean) => (value: unknown) => value === undefined || fits(value)
const isCounts = (value: unknown) => isRecord(value) && Object.values(value).every(isCount)

const records: Readonly<Record<SessionRecord['type'], Fits>> = {
  session: ({ id, started, cwd, agent }) => [id, started, cwd, agent].every(isText),
  message: ({ message }) => isRecord(message) && isMessage(message),
  call: ({ id, decision, input }) => isText(id) && isText(decision) && isRecord(input),
  context: ({ content }) => isText(content),
  compacted: ({ summary, kept, reason, request }) =>
    isText(summary) && isCount(kept) && isText(reason) && isAbsentOr(isText)(request),
  agent: ({ agent }) => isText(agent),
  usage: ({ usage, cost, agent }) =>
    isAbsentOr(isCounts)(usage) && isAbsentOr(isCount)(cost) && isAbsentOr(isText)(agent),
  worked: ({ agent, ms }) => isText(agent) && isCount(ms),
  resumed: ({ at }) => isText(at),
  cleared: ({ at }) => isText(at),
  ended: ({ at, reason }) => isText(at) && isText(reason),
}

const messages: Readonly<Record<Message['role'], Fits>> = {
  system: () => true,
  user: () => true,
  assistant: ({ agent, tool_calls: calls }) =>
    isAbsentOr(isText)(agent) && (calls === undefined || (Array.isArray(calls) && calls.every(isToolCall))),
  tool: ({ tool_call_id, tool_name }) => isText(tool_call_id) && isText(tool_name),
}

function isMessage(message: Record<string, unknown>): boolean {
  const role = message['role'] as Message['role']
  return isText(message['content']) && Object.hasOwn(messages, role) && messages[role](message)
}
