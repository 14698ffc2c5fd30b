import { isRecord } from 'hookline/internal'
import { isToolCall, type Message } from '../message.ts'
import type { SessionRecord } from '../session-record.ts'

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
  context: ({ content }) => isText(content),
  compacted: ({ summary, kept, reason }) => isText(summary) && isCount(kept) && isText(reason),
  agent: ({ agent }) => isText(agent),
  usage: ({ usage, cost }) => isAbsentOr(isCounts)(usage) && isAbsentOr(isCount)(cost),
  resumed: ({ at }) => isText(at),
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
