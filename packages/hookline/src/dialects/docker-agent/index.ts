import { defineDialect } from '../../core/index.ts'
import { decodeConfig, detectConfig } from './config.ts'
import { encodeConfig } from './config-encode.ts'
import { lane, laneOf, theirNames } from './names.ts'
import { decodeEvent, encodeEvent } from './payload.ts'
import { decodeReply, encodeReply } from './reply.ts'
import { tools } from './tools.ts'

/**
 * docker-agent. Where its document and its code disagree, the document is followed; exit codes other than 0 and 2 are
 * failures, since "a failed pre-tool hook blocks the tool call".
 */
export const dockerAgent = defineDialect({
  name: 'docker-agent',
  about: 'docker-agent, from the page "Hooks" of its documentation (26 events), read in 2026.',
  // "Each detected span is replaced with the literal '[REDACTED]'."
  redaction: '[REDACTED]',
  // A prompt can be blocked, and context added to it; no field of the reply changes it.
  rewrites: { input: 'taken', result: 'taken', message: 'as-context' },
  events: theirNames,
  tools,
  lanes: { [laneOf]: lane },
  config: { detect: detectConfig, decode: decodeConfig, encode: encodeConfig },
  event: { decode: decodeEvent, encode: encodeEvent },
  reply: { decode: decodeReply, encode: encodeReply },
})

export { isAlwaysOn } from './implied.ts'
