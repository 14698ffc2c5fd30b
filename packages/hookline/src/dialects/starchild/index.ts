import { defineDialect } from '../../core/index.ts'
import { decodeConfig, detectConfig, encodeConfig } from './config.ts'
import { theirNames } from './names.ts'
import { decodeEvent, encodeEvent } from './payload.ts'
import { decodeReply, encodeReply } from './reply.ts'
import { tools } from './tools.ts'

/**
 * Starchild. Its hooks fail open, as its document says, but never unseen: notes report a script that cannot be run, a
 * relative path and a misspelt event. Scripts written for Claude Code are understood through the output they print.
 */
export const starchild = defineDialect({
  name: 'starchild',
  about: 'Starchild, from the page "Agent Hooks" of its skills (twelve events), read in 2026.',
  events: theirNames,
  // It has no way to ask.
  audience: () => 'nobody',
  tools,
  config: { beside: 'agent', detect: detectConfig, decode: decodeConfig, encode: encodeConfig },
  event: { decode: decodeEvent, encode: encodeEvent },
  reply: { decode: decodeReply, encode: encodeReply },
})
