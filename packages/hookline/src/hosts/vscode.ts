import { editCodec } from '../core/index.ts'
import { copilot } from './copilot.ts'
import { claudesEvents } from './groups.ts'
import { defineHost } from './host.ts'
import { renamed } from './payload.ts'

const shell = { names: ['run_in_terminal', 'runTerminalCommand'] } as const

const {
  session_end: _ended,
  permission_request: _asked,
  post_tool_use_failure: _failed,
  notification: _notified,
  ...events
} = claudesEvents

/** It reads the files of Copilot CLI: one entry stands for both, and its payloads tell which of the two calls. */
export const vscode = defineHost({
  name: 'vscode',
  called: 'VS Code',
  about: 'VS Code (agent mode), by its documents.',
  documents: [
    'https://code.visualstudio.com/docs/agents/reference/hooks-reference',
    'https://code.visualstudio.com/docs/copilot/customization/hooks',
  ],
  events,
  shape: 'claude-code',
  tools: {
    calls: {
      shell,
      bash: shell,
      run_background_job: shell,
      read_file: { names: ['read_file', 'readFile'], args: { path: 'filePath' } },
      write_file: { names: ['create_file', 'createFile'], args: { path: 'filePath' } },
      edit_file: {
        names: ['replace_string_in_file', 'editFiles'],
        codec: editCodec({ one: 'replace_string_in_file' }, { path: 'filePath', old: 'oldString', new: 'newString' }),
      },
      list_directory: { names: ['list_dir', 'listDirectory'] },
      search_files_content: { names: ['grep_search', 'textSearch'] },
      search_files: { names: ['file_search', 'fileSearch'] },
      transfer_task: { names: ['runSubagent'], args: { agent: 'agentName', task: 'prompt' } },
    },
    mcp: { names: ['mcp_{server}_{tool}'] },
  },
  rewrites: { input: 'taken', result: 'dropped', message: 'as-context' },
  takes: { ask: false, allow: true, halt: false },
  can: {
    approves: true,
    context: ['session_start', 'user_prompt_submit', 'pre_tool_use', 'post_tool_use'],
    refusesPrompt: true,
    redo: true,
    subAgents: 'yes',
    timeout: { unit: 's', default: 30 },
  },
  around: [
    {
      around: 'It reads the files of Copilot CLI, and of Claude Code.',
      so: 'One entry stands for it and Copilot CLI: installing or removing one does so with the other.',
    },
  ],
  reads: (payload) => renamed(payload, { sessionId: 'session_id', hookEventName: 'hook_event_name' }),
  setup: {
    ...copilot.setup,
    programs: ['code', 'code-insiders'],
    home: ({ home }) => `${home}/.vscode`,
    canary: (command, project) => ({
      sessionId: 'canary',
      hookEventName: 'PreToolUse',
      cwd: project,
      tool_name: 'run_in_terminal',
      tool_input: { command },
    }),
    skips: {},
  },
})
