import { defineDialect } from '../../core/index.ts'
import { decodeConfig, detectConfig } from './config.ts'
import { encodeConfig } from './config-encode.ts'
import { theirNames } from './names.ts'
import { decodeEvent, encodeEvent } from './payload.ts'
import { decodeReply } from './reply.ts'
import { encodeReply } from './reply-encode.ts'

/**
 * Starchild. Its hooks fail open, as its document promises, but never unseen: a script that cannot be run, a relative
 * path and a misspelt event are told. Scripts written for Claude Code are understood through the output they print.
 */
export const starchild = defineDialect({
  name: 'starchild',
  about: 'Starchild, from the page "Agent Hooks" of its skills (twelve events), read in 2026.',
  events: theirNames,
  tools: { shell: { name: 'bash' } },
  config: { detect: detectConfig, decode: decodeConfig, encode: encodeConfig },
  event: { decode: decodeEvent, encode: encodeEvent },
  reply: { decode: decodeReply, encode: encodeReply },
})
