import type { Dialect, Event, Opinion } from '../core/index.ts'
import { eventRow, isRecord } from '../core/index.ts'

/**
 * The event as a hook of this dialect knows it: a tool of our own agent under the name, and with the arguments, that its
 * system gives to the same tool. Hooks are written against those; a guard for `bash` must not miss our `shell`.
 */
export function withDialectToolNames(dialect: Dialect, event: Event): Event {
  const theirs = theirTool(dialect, event)
  if (!theirs) return event
  const { tool, args } = eventRow(event.name).subject
  const input = event.payload[args ?? '']
  const renamed = { [tool!]: theirs.name, ...(isRecord(input) && { [args!]: rename(input, theirs.args) }) }
  return { ...event, payload: Object.freeze({ ...event.payload, ...renamed }) }
}

/** A rewrite of arguments, in our names again. */
export function withOurToolNames(dialect: Dialect, event: Event, opinion: Opinion): Opinion {
  const { rewrites, subject } = eventRow(event.name)
  const theirs = rewrites !== undefined && rewrites === subject.args ? theirTool(dialect, event) : undefined
  const { rewrite } = opinion
  if (!theirs?.args || !rewrite || !isRecord(rewrite.value)) return opinion
  const ours = Object.fromEntries(Object.entries(theirs.args).map(([our, their]) => [their, our]))
  return { ...opinion, rewrite: { ...rewrite, value: rename(rewrite.value, ours) } }
}

/** What the dialect calls the tool of this event. A foreign host's tools keep their names. */
function theirTool({ tools }: Dialect, { name, host, payload }: Event) {
  if (tools === undefined || host !== undefined) return undefined
  const tool = payload[eventRow(name).subject.tool ?? '']
  return typeof tool === 'string' && Object.hasOwn(tools, tool) ? tools[tool] : undefined
}

/** Keys that have another name get it, unless something is there already. */
function rename(input: Record<string, unknown>, names: Readonly<Record<string, string>> = {}): Record<string, unknown> {
  const entries = Object.entries(input).map(([key, value]) => {
    const other = Object.hasOwn(names, key) ? names[key]! : key
    return [other in input ? key : other, value] as const
  })
  return Object.fromEntries(entries)
}
