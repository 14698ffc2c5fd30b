import type { ToolSection } from '../../core/index.ts'
import { emptyWriteCodec, listCodec } from '../../core/index.ts'

const shell = { names: ['bash'] } as const

/** Its page shows one tool, `bash`; what it says of others has the same names here. */
export const tools: ToolSection = {
  calls: {
    shell,
    bash: shell,
    powershell: shell,
    run_background_job: shell,
    read_file: { names: ['read_file'] },
    write_file: { names: ['write_file'] },
    edit_file: { names: ['edit_file'] },
    delete_file: { names: ['write_file', 'edit_file'], codec: emptyWriteCodec('write_file', 'path', 'content') },
    fetch: { names: ['web_fetch'], codec: listCodec('fetch', 'urls', 'web_fetch', 'url') },
    web_search: { names: ['web_search'] },
  },
  mcp: { names: ['mcp__{server}__{tool}', 'mcp_{server}_{tool}'] },
}
