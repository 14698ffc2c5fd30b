import type { ToolSection } from '../../core/index.ts'
import { editCodec, emptyWriteCodec, listCodec } from '../../core/index.ts'

const shell = { names: ['bash'] } as const

export const tools: ToolSection = {
  calls: {
    shell,
    bash: shell,
    powershell: shell,
    run_background_job: shell,
    read_file: { names: ['view'], args: { path: 'file_path' } },
    read_multiple_files: { names: ['view'], codec: listCodec('read_multiple_files', 'paths', 'view', 'file_path') },
    write_file: { names: ['write'], args: { path: 'file_path' } },
    edit_file: {
      names: ['edit', 'multiedit'],
      codec: editCodec(
        { one: 'edit', many: 'multiedit' },
        { path: 'file_path', old: 'old_string', new: 'new_string', all: 'replace_all' },
      ),
    },
    delete_file: { names: ['write', 'edit', 'multiedit'], codec: emptyWriteCodec('write', 'file_path', 'content') },
    list_directory: { names: ['ls'] },
    search_files_content: { names: ['grep'], args: { query: 'pattern' } },
    search_files: { names: ['glob'] },
    fetch: { names: ['fetch', 'web_fetch', 'agentic_fetch'], codec: listCodec('fetch', 'urls', 'fetch', 'url') },
    web_search: { names: ['web_search'] },
    transfer_task: { names: ['agent'], args: { task: 'prompt' } },
  },
  mcp: { names: ['mcp_{server}_{tool}'] },
}
