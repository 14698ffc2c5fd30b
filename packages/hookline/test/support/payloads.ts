import { type EventName, eventRow } from '../../src/core/index.ts'

const values: Record<string, unknown> = {
  tool_name: 'shell',
  tool_input: { command: 'ls' },
  prompt: 'hello',
  steering_messages: ['wait'],
  response: 'done',
  notification: 'shipped',
}

/** The least payload an event accepts. */
export function samplePayload(event: EventName): Record<string, unknown> {
  const known = Object.entries(values).filter(([field]) => field in eventRow(event).fields)
  return { session_id: 'sample', ...Object.fromEntries(known) }
}
