import { defineDialect } from '../../core/index.ts'
import { decodeConfig, detectConfig } from './config.ts'
import { encodeConfig } from './config-encode.ts'
import { theirNames } from './names.ts'
import { decodeEvent, encodeEvent } from './payload.ts'
import { decodeReply, encodeReply, refusal } from './reply.ts'
import { tools } from './tools.ts'

/**
 * Everruns. Hooks run in the sandbox only and form one chain. A matcher that can never match loads as it does there, with
 * a note. Bundles of declarative capabilities and `pack:*` in `disabled_contributions`, which it has planned, are read.
 */
export const everruns = defineDialect({
  name: 'everruns',
  about: 'Everruns, from the page of its capability "User Hooks" (six events), read in 2026.',
  events: theirNames,
  // It has no way to ask.
  audience: () => 'nobody',
  tools,
  config: { detect: detectConfig, decode: decodeConfig, encode: encodeConfig },
  event: { decode: decodeEvent, encode: encodeEvent },
  reply: { decode: decodeReply, encode: encodeReply, refusal },
})
