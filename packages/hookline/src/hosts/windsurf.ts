import { type EventName, editCodec, isRecord } from '../core/index.ts'
import { lineOf } from './groups.ts'
import { defineHost } from './host.ts'
import type { Entry } from './setup.ts'

const shell = { names: ['run_command'], args: { command: 'command_line' } } as const

const events = {
  user_prompt_submit: 'pre_user_prompt',
  pre_tool_use: 'pre_run_command',
  post_tool_use: 'post_run_command',
  stop: 'post_cascade_response',
} as const

/** It raises one event for each kind of call. */
const also: Readonly<Record<string, EventName>> = {
  pre_read_code: 'pre_tool_use',
  pre_write_code: 'pre_tool_use',
  pre_mcp_tool_use: 'pre_tool_use',
  post_read_code: 'post_tool_use',
  post_write_code: 'post_tool_use',
  post_mcp_tool_use: 'post_tool_use',
}

const file = { path: 'file_path', old: 'old_string', new: 'new_string' } as const

export const windsurf = defineHost({
  name: 'windsurf',
  called: 'Windsurf',
  about: 'Windsurf (Cascade), by its documents.',
  documents: ['https://docs.windsurf.com/windsurf/cascade/hooks'],
  events,
  also,
  refusesBy: 'exit code',
  tools: {
    calls: {
      shell,
      bash: shell,
      run_background_job: shell,
      read_file: { names: ['read_code'], args: { path: 'file_path' } },
      edit_file: { names: ['write_code'], codec: editCodec({ many: 'write_code' }, file) },
    },
    mcp: { names: ['mcp__{server}__{tool}'] },
  },
  rewrites: { input: 'dropped', result: 'dropped', message: 'dropped' },
  takes: { ask: false, allow: false, halt: false },
  can: {
    approves: false,
    context: [],
    refusesPrompt: true,
    redo: false,
    subAgents: 'has none',
    timeout: undefined,
  },
  around: [
    { around: 'New input is ignored: the original runs.', so: 'A rewrite is a refusal that says what to run instead.' },
  ],
  reads(payload) {
    const { agent_action_name: action, trajectory_id: session_id, tool_info: info, ...rest } = payload
    const given = isRecord(info) ? info : {}
    const kind = String(action ?? '').replace(/^(?:pre|post)_/, '')
    const { cwd, user_prompt: prompt, response, mcp_server_name: server, mcp_tool_name: tool, ...input } = given
    const isPrompt = kind === 'user_prompt' || kind.startsWith('cascade_response')
    const call =
      kind === 'mcp_tool_use'
        ? { tool_name: `mcp__${String(server)}__${String(tool)}`, tool_input: given['mcp_tool_arguments'] ?? {} }
        : { tool_name: kind, tool_input: input }
    return {
      ...rest,
      session_id,
      ...(cwd !== undefined && { cwd }),
      ...(prompt !== undefined && { prompt }),
      ...(response !== undefined && { last_assistant_message: response }),
      ...(kind && !isPrompt && call),
      ...(given['mcp_result'] !== undefined && { tool_response: given['mcp_result'] }),
    }
  },
  /** Only exit codes count. */
  writes: () => ({}),
  setup: {
    programs: ['windsurf'],
    home: ({ home }) => `${home}/.codeium/windsurf`,
    canary: (command, project) => ({
      agent_action_name: 'pre_run_command',
      trajectory_id: 'canary',
      tool_info: { command_line: command, cwd: project },
    }),
    proof: 'A canary through the installed entry.',
    files(scope, { home, project }, ours) {
      const directory = {
        user: `${home}/.codeium/windsurf`,
        project: `${project}/.windsurf`,
        managed: '/etc/windsurf',
      }[scope]
      const named = Object.entries(events).map(([event, theirs]) => [theirs, event] as [string, EventName])
      const entries: Entry[] = [...named, ...Object.entries(also)].map(([theirs, event]) => ({
        path: ['hooks', theirs],
        value: { command: lineOf(windsurf, ours, event), show_output: true },
      }))
      return [
        { kind: 'shared', path: `${directory}/hooks.json`, format: { comments: false, byteOrderMark: false }, entries },
      ]
    },
  },
})
