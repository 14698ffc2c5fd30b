import type { ToolSection } from '../../core/index.ts'
import { emptyWriteCodec } from '../../core/index.ts'

const shell = { names: ['shell'], args: { command: ['cmd', 'command'] } } as const

/** Our own agent has its tools; only a command has another key. Its page writes `mcp:.*` for all tools of MCP servers. */
export const tools: ToolSection = {
  calls: {
    shell,
    bash: shell,
    powershell: shell,
    run_background_job: { names: ['run_background_job'], args: { command: ['cmd', 'command'] } },
    read_file: { names: ['read_file'] },
    read_multiple_files: { names: ['read_multiple_files'] },
    write_file: { names: ['write_file'] },
    edit_file: { names: ['edit_file'] },
    delete_file: { names: ['write_file', 'edit_file'], codec: emptyWriteCodec('write_file', 'path', 'content') },
    create_directory: { names: ['create_directory'] },
    remove_directory: { names: ['remove_directory'] },
    list_directory: { names: ['list_directory'] },
    directory_tree: { names: ['directory_tree'] },
    search_files_content: { names: ['search_files_content'] },
    search_files: { names: ['search_files'] },
    fetch: { names: ['fetch'] },
    transfer_task: { names: ['transfer_task'] },
  },
  mcp: { names: ['mcp:{server}:{tool}', 'mcp__{server}__{tool}', 'mcp_{server}_{tool}'], matches: ['{server}_{tool}'] },
}
