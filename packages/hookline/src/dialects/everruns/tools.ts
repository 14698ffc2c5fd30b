import type { ToolSection } from '../../core/index.ts'
import { listCodec } from '../../core/index.ts'

/** Its page shows both: the payload of `bash` has `command`, and its first example matches `$.commands`. */
const shell = { names: ['bash'], args: { command: ['command', 'commands'] } } as const

export const tools: ToolSection = {
  calls: {
    shell,
    bash: shell,
    powershell: shell,
    run_background_job: shell,
    read_file: { names: ['read_file'] },
    read_multiple_files: {
      names: ['read_file'],
      codec: listCodec('read_multiple_files', 'paths', 'read_file', 'path'),
    },
    write_file: { names: ['write_file'] },
    edit_file: { names: ['edit_file'] },
    delete_file: { names: ['delete_file'] },
    list_directory: { names: ['list_directory'] },
    search_files_content: { names: ['grep_files'], args: { query: 'pattern' } },
    fetch: { names: ['web_fetch'], codec: listCodec('fetch', 'urls', 'web_fetch', 'url') },
  },
  mcp: { names: ['mcp_{server}__{tool}', 'mcp__{server}__{tool}', 'mcp_{server}_{tool}'] },
}
