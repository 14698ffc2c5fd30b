import { defineDialect } from '../../core/index.ts'
import { decodeConfig, detectConfig, encodeConfig } from './config.ts'
import { theirNames } from './names.ts'
import { decodeEvent, encodeEvent } from './payload.ts'
import { decodeReply, encodeReply } from './reply.ts'
import { tools } from './tools.ts'

/**
 * Crush. Its hooks fail open, as its document promises; that they failed is reported. Beyond its code, a reply in the
 * language of Claude Code is read whole: `continue: false` and `systemMessage` count beside `hookSpecificOutput`.
 */
export const crush = defineDialect({
  name: 'crush',
  about: 'Crush, from the page "Hooks" of its documentation (one event, PreToolUse), read in 2026.',
  events: theirNames,
  tools,
  config: { detect: detectConfig, decode: decodeConfig, encode: encodeConfig },
  event: { decode: decodeEvent, encode: encodeEvent },
  reply: { decode: decodeReply, encode: encodeReply },
})
