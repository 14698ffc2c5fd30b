import type { Dialect, Event, Opinion, Rewrite } from '../core/index.ts'
import { isRecord } from '../core/index.ts'

/**
 * The event as a hook of this dialect knows it: a tool of our own agent under the name, and with the arguments, that its
 * system gives to the same tool. Hooks are written against those; a guard for `bash` must not miss our `shell`.
 */
export function inTongueOf(dialect: Dialect, event: Event): Event {
  const { tool_name: name, tool_input: input } = event.payload
  const theirs = typeof name === 'string' && event.host === undefined ? toolOf(dialect, name) : undefined
  if (!theirs) return event
  const payload = {
    ...event.payload,
    tool_name: theirs.name,
    ...(isRecord(input) && { tool_input: rename(input, theirs.args) }),
  }
  return { ...event, payload: Object.freeze(payload) }
}

/** A rewrite of arguments, back in our words. */
export function fromTongueOf(dialect: Dialect, event: Event, opinion: Opinion, field: string | undefined): Opinion {
  const name = event.payload['tool_name']
  const mine = event.host === undefined && field === 'tool_input'
  const theirs = mine && typeof name === 'string' ? toolOf(dialect, name) : undefined
  const { rewrite } = opinion
  if (!theirs?.args || !rewrite || !isRecord(rewrite.value)) return opinion
  const ours = Object.fromEntries(Object.entries(theirs.args).map(([our, their]) => [their, our]))
  return { ...opinion, rewrite: { ...rewrite, value: rename(rewrite.value, ours) } satisfies Rewrite }
}

const toolOf = ({ tools }: Dialect, name: string) => (tools && Object.hasOwn(tools, name) ? tools[name] : undefined)

/** Keys that have another name get it, unless something is there already. */
function rename(input: Record<string, unknown>, names: Readonly<Record<string, string>> = {}): Record<string, unknown> {
  const entries = Object.entries(input).map(([key, value]) => {
    const other = Object.hasOwn(names, key) ? names[key]! : key
    return [other in input ? key : other, value] as const
  })
  return Object.fromEntries(entries)
}
