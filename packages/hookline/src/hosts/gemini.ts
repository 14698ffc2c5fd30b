import { editCodec, textUnder } from '../core/index.ts'
import { claudesCall, groups } from './groups.ts'
import { type Answer, defineHost } from './host.ts'
import { renamed } from './payload.ts'

const shell = { names: ['run_shell_command'], args: { cwd: ['dir_path', 'directory'] } } as const

const events = {
  session_start: 'SessionStart',
  session_end: 'SessionEnd',
  user_prompt_submit: 'BeforeAgent',
  pre_tool_use: 'BeforeTool',
  post_tool_use: 'AfterTool',
  stop: 'AfterAgent',
  notification: 'Notification',
} as const

const skipped =
  'Gemini CLI does not run hooks of a project without a terminal, and says nothing. Install for the user: --user.'

/** A refusal's reason replaces the result. */
export const gemini = defineHost({
  name: 'gemini',
  called: 'Gemini CLI',
  about: 'Gemini CLI 0.61.',
  events,
  tools: {
    calls: {
      shell,
      bash: shell,
      run_background_job: shell,
      read_file: { names: ['read_file'], args: { path: ['file_path', 'absolute_path'] } },
      read_multiple_files: { names: ['read_many_files'], args: { paths: ['include', 'paths'] } },
      write_file: { names: ['write_file'], args: { path: 'file_path' } },
      edit_file: {
        names: ['replace', 'edit'],
        codec: editCodec(
          { one: 'replace' },
          { path: 'file_path', old: 'old_string', new: 'new_string', all: 'allow_multiple' },
        ),
      },
      list_directory: { names: ['list_directory'], args: { path: ['dir_path', 'path'] } },
      search_files_content: {
        names: ['grep_search', 'search_file_content'],
        args: { query: 'pattern', path: ['dir_path', 'path'] },
      },
      search_files: { names: ['glob'], args: { path: ['dir_path', 'path'] } },
      fetch: { names: ['web_fetch'] },
      web_search: { names: ['google_web_search'] },
      transfer_task: { names: ['invoke_agent'], args: { agent: 'agent_name', task: 'prompt' } },
    },
    result: textUnder('llmContent', { returnDisplay: '' }),
    mcp: { names: ['mcp_{server}_{tool}', '{server}__{tool}'] },
  },
  rewrites: { input: 'taken', merges: true, result: 'as-reason', message: 'as-context' },
  // Without a terminal a question ends the run, and the model does not learn why.
  takes: { ask: false, allow: false, halt: false },
  can: {
    approves: false,
    context: ['session_start', 'user_prompt_submit', 'post_tool_use'],
    refusesPrompt: true,
    redo: true,
    subAgents: 'yes',
    timeout: { unit: 'ms', default: 60_000 },
  },
  around: [
    { around: 'Hooks of a project do not run without a terminal.', so: skipped },
    {
      around: 'New input is merged into the old: a key that a hook removes stays.',
      so: 'Where a key is gone, the rewrite is a refusal that says what to run.',
    },
  ],
  reads: (payload) => renamed(payload, { prompt_response: 'last_assistant_message' }),
  writes: ({ theirs, event, deny, halt, context, rewrite, message }: Answer) => {
    const specific = {
      ...(context && { additionalContext: context }),
      ...(rewrite && event === 'pre_tool_use' && { tool_input: rewrite.value }),
    }
    return {
      ...(halt && { continue: false, stopReason: halt }),
      ...(deny && { decision: 'deny', reason: event === 'post_tool_use' && context ? `${deny}\n${context}` : deny }),
      ...(message && { systemMessage: message }),
      ...(Object.keys(specific).length > 0 && { hookSpecificOutput: { hookEventName: theirs, ...specific } }),
    }
  },
  setup: {
    programs: ['gemini'],
    home: ({ home }) => `${home}/.gemini`,
    canary: (command, project) => ({
      ...claudesCall('run_shell_command')(command, project),
      hook_event_name: 'BeforeTool',
    }),
    proof: 'A canary through the installed entry.',
    files(scope, { home, project }, ours) {
      const path = {
        user: `${home}/.gemini/settings.json`,
        project: `${project}/.gemini/settings.json`,
        managed: '/etc/gemini-cli/settings.json',
      }[scope]
      const entries = groups({ name: 'gemini', events }, ours, {
        unit: 'ms',
        matcher: '*',
        more: { name: 'hookline' },
      })
      return [{ kind: 'shared', path, format: { comments: true, byteOrderMark: false }, entries }]
    },
    skips: { project: skipped },
  },
})
