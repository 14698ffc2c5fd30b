import { defineDialect } from '../../core/index.ts'
import { decodeConfig, detectConfig, encodeConfig } from './config.ts'
import { theirNames } from './names.ts'
import { decodeEvent, encodeEvent } from './payload.ts'
import { decodeReply, encodeReply } from './reply.ts'
import { tools } from './tools.ts'

/**
 * pydantic-deep. Its hooks are code (see `compat/pydantic-deep.ts`); this is their JSON form, and what its commands
 * read and answer. Unlike there, sub-agents are hooked too.
 */
export const pydanticDeep = defineDialect({
  name: 'pydantic-deep',
  about:
    'pydantic-deep, from the page "Hooks" of its documentation (eight events; a ninth is in its code), read in 2026.',
  redaction: '[REDACTED]',
  events: theirNames,
  // It has no way to ask.
  audience: () => 'nobody',
  tools,
  successOnly: ['post_tool_use'],
  config: { detect: detectConfig, decode: decodeConfig, encode: encodeConfig },
  event: { decode: decodeEvent, encode: encodeEvent },
  reply: { decode: decodeReply, encode: encodeReply },
})

export { findTheirs, rowOf } from './names.ts'
export { encodeEvent, type HookInput, hookInput } from './payload.ts'
export { decodeReply, opinionOf } from './reply.ts'
