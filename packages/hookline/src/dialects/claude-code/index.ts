import { defineDialect } from '../../core/index.ts'
import { decodeConfig, detectConfig, encodeConfig } from './config.ts'
import { theirNames } from './names.ts'
import { decodeEvent, encodeEvent } from './payload.ts'
import { decodeReply, encodeReply } from './reply.ts'

/**
 * Claude Code. Tools keep the names the host gives them (`Bash`, `Edit`, …), and so do their arguments. Hooks fail
 * open, as it documents, unless they say `onFailure: "block"`.
 */
export const claudeCode = defineDialect({
  name: 'claude-code',
  about: 'Claude Code 2.1, from its hooks reference and the types of its SDK, read in 2026.',
  events: theirNames,
  tools: {
    shell: { name: 'Bash' },
    bash: { name: 'Bash' },
    read_file: { name: 'Read', args: { path: 'file_path' } },
    write_file: { name: 'Write', args: { path: 'file_path' } },
    edit_file: { name: 'Edit', args: { path: 'file_path' } },
    search_files_content: { name: 'Grep' },
    search_files: { name: 'Glob' },
    fetch: { name: 'WebFetch' },
    transfer_task: { name: 'Task' },
  },
  successOnly: ['post_tool_use'],
  config: { detect: detectConfig, decode: decodeConfig, encode: encodeConfig },
  event: { decode: decodeEvent, encode: encodeEvent },
  reply: { decode: decodeReply, encode: encodeReply },
})
