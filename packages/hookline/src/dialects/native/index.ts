import { defineDialect, type EventName, eventNames } from '../../core/index.ts'
import { decodeConfig, detectConfig, encodeConfig } from './config.ts'
import { decodeEvent, encodeEvent } from './event.ts'
import { decodeReply, encodeReply } from './reply.ts'

/** Our own language: every event under its own name, and the strictest sensible reading of every reply. */
export const native = defineDialect({
  name: 'native',
  about: 'Hookline, config version 1. docs/config.md and docs/events.md describe it.',
  events: Object.fromEntries(eventNames.map((name) => [name, name])) as Record<EventName, string>,
  tools: { calls: {}, mcp: { names: ['mcp__{server}__{tool}', 'mcp_{server}_{tool}'] }, own: true },
  config: { detect: detectConfig, decode: decodeConfig, encode: encodeConfig },
  event: { decode: decodeEvent, encode: encodeEvent },
  reply: { decode: decodeReply, encode: encodeReply },
})

export { isMadeId } from './names.ts'
export { isRulesId, rulesHooks, wholeOf } from './rules.ts'
export { configSchema, type HookConfig, type HookEntry, hookSchema, type Matcher, matcherSchema } from './schema.ts'
