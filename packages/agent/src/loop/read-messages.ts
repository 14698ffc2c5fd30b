import { isRecord } from 'hookline/internal'
import { isToolCall, type Message, type ToolCall } from '../message.ts'

/** Messages that a hook rewrote, read strictly: what cannot be understood must not be sent in another form than meant. */
export function readMessages(value: unknown): Message[] {
  if (!Array.isArray(value))
    throw new Error('A hook rewrote the messages to the model into something that is not a list.')
  return value.map((item, index) => {
    const message = isRecord(item) ? readOne(item) : undefined
    if (message) return message
    throw new Error(
      `A hook rewrote the messages to the model, and message ${index + 1} cannot be read: it needs a \`role\` (system, user, assistant or tool) and a text \`content\`.`,
    )
  })
}

function readOne(item: Record<string, unknown>): Message | undefined {
  const { role, content, tool_call_id: id, tool_name: name, tool_calls: calls } = item
  if (typeof content !== 'string') return undefined
  if (role === 'system' || role === 'user') return { role, content }
  if (role === 'tool' && typeof id === 'string')
    return {
      role,
      content,
      tool_call_id: id,
      tool_name: typeof name === 'string' ? name : '',
      ...(item['error'] === true ? { error: true } : {}),
    }
  if (role !== 'assistant') return undefined
  if (calls !== undefined && !(Array.isArray(calls) && calls.every(isToolCall))) return undefined
  return { role, content, ...(calls === undefined ? {} : { tool_calls: calls as ToolCall[] }) }
}
