import { editCodec, listCodec, textUnder } from '../core/index.ts'
import { claudesCall, claudesEvents, groups } from './groups.ts'
import { defineHost } from './host.ts'

const shell = { names: ['run_shell_command'], args: { cwd: 'directory' } } as const

const events = claudesEvents

/** Rewrites are ignored: the original would run, and the model would see the original result. */
export const qwen = defineHost({
  name: 'qwen',
  called: 'Qwen Code',
  about: 'Qwen Code 0.24.',
  events,
  shape: 'claude-code',
  tools: {
    calls: {
      shell,
      bash: shell,
      run_background_job: shell,
      read_file: { names: ['read_file'], args: { path: ['file_path', 'absolute_path'] } },
      read_multiple_files: { names: ['read_many_files'] },
      write_file: { names: ['write_file'], args: { path: 'file_path' } },
      edit_file: {
        names: ['edit', 'replace'],
        codec: editCodec(
          { one: 'edit' },
          { path: 'file_path', old: 'old_string', new: 'new_string', all: 'replace_all' },
        ),
      },
      list_directory: { names: ['list_directory'] },
      search_files_content: { names: ['grep_search', 'search_file_content'], args: { query: 'pattern' } },
      search_files: { names: ['glob'] },
      fetch: { names: ['web_fetch'], codec: listCodec('fetch', 'urls', 'web_fetch', 'url') },
      web_search: { names: ['web_search'] },
      transfer_task: { names: ['agent', 'task'], args: { agent: 'subagent_type', task: 'prompt' } },
    },
    result: textUnder('llmContent', { returnDisplay: '' }),
    mcp: { names: ['mcp__{server}__{tool}'] },
  },
  rewrites: { input: 'dropped', result: 'withheld', message: 'as-context' },
  // Seen in the terminal of 0.24.4. Without one (`-p`) it refuses what a hook asks about.
  takes: { ask: { modes: ['default', 'auto-edit', 'yolo'] }, allow: true, halt: false },
  can: {
    approves: false,
    context: ['session_start', 'user_prompt_submit', 'post_tool_use'],
    refusesPrompt: true,
    redo: true,
    subAgents: 'yes',
    timeout: { unit: 'ms', default: 60_000 },
  },
  around: [
    {
      around: 'New input is ignored: the original runs.',
      so: 'A rewrite is a refusal that says what to run instead.',
    },
    {
      around: 'New results are ignored: the model sees the original.',
      so: 'Where a hook changes a result, the run ends before the model sees it.',
    },
    { around: '`disableAllHooks` takes every hook away.', so: '`hookline hosts` says so.' },
  ],
  setup: {
    programs: ['qwen'],
    home: ({ home }) => `${home}/.qwen`,
    canary: claudesCall('run_shell_command'),
    proof: 'A canary through the installed entry.',
    files(scope, { home, project }, ours) {
      if (scope === 'managed') return undefined
      const directory = `${scope === 'user' ? home : project}/.qwen`
      const entries = groups({ name: 'qwen', events }, ours, { unit: 'ms', matcher: '*' })
      return [
        {
          kind: 'shared',
          path: `${directory}/settings.json`,
          format: { comments: true, byteOrderMark: true },
          entries,
        },
      ]
    },
    switches: ['disableAllHooks'],
  },
})
