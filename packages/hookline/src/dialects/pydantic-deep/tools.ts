import type { ToolSection } from '../../core/index.ts'
import { editCodec, emptyWriteCodec, listCodec } from '../../core/index.ts'

const shell = { names: ['execute'] } as const

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
    edit_file: {
      names: ['edit_file'],
      codec: editCodec(
        { one: 'edit_file' },
        { path: 'path', old: 'old_string', new: 'new_string', all: 'replace_all' },
      ),
    },
    delete_file: { names: ['write_file', 'edit_file'], codec: emptyWriteCodec('write_file', 'path', 'content') },
    list_directory: { names: ['ls'] },
    search_files_content: { names: ['grep'], args: { query: 'pattern' } },
    search_files: { names: ['glob'] },
    transfer_task: { names: ['task'], args: { agent: 'subagent_type', task: 'description' } },
  },
  mcp: { names: ['mcp__{server}__{tool}', 'mcp_{server}_{tool}'], matches: ['{server}_{tool}'] },
}
