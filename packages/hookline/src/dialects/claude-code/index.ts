import { defineDialect } from '../../core/index.ts'
import { decodeConfig, detectConfig, encodeConfig } from './config.ts'
import { theirNames } from './names.ts'
import { decodeEvent, encodeEvent } from './payload.ts'
import { decodeReply, encodeReply, goesOnAlone } from './reply.ts'
import { tools } from './tools.ts'

/**
 * Claude Code. Tools keep the names the host gives them (`Bash`, `Edit`, …), and so do their arguments. Hooks fail
 * open, as it documents, unless they say `onFailure: "block"`.
 */
export const claudeCode = defineDialect({
  name: 'claude-code',
  about: 'Claude Code 2.1, from its hooks reference and the types of its SDK, read in 2026.',
  events: theirNames,
  audience: ({ permission_mode: mode }) => (mode === 'dontAsk' ? 'nobody' : 'person'),
  tools,
  // AI_AGENT=claude-code_2-1-325_agent
  hostVersion: ({ AI_AGENT: agent = '' }) => /^claude-code_(\d+(?:-\d+)*)_/.exec(agent)?.[1]?.replaceAll('-', '.'),
  // The answer to a request for permission carries new input beside its `allow`.
  rewrites: { input: 'taken', result: 'taken', message: 'as-context', inputOn: { permission_request: 'with-allow' } },
  successOnly: ['post_tool_use'],
  replaces: ['worktree_create'],
  config: { detect: detectConfig, eachAlone: true, decode: decodeConfig, encode: encodeConfig },
  event: { decode: decodeEvent, encode: encodeEvent },
  reply: { decode: decodeReply, goesOnAlone, encode: encodeReply },
})
