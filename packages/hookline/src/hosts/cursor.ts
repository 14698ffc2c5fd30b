import { isRecord } from '../core/index.ts'
import { isClosed } from './entry.ts'
import { hostWaits, lineOf } from './groups.ts'
import { type Answer, defineHost } from './host.ts'
import { renamed } from './payload.ts'
import type { Entry } from './setup.ts'

const shell = { names: ['Shell'] } as const

const events = {
  session_start: 'sessionStart',
  session_end: 'sessionEnd',
  user_prompt_submit: 'beforeSubmitPrompt',
  pre_tool_use: 'preToolUse',
  post_tool_use: 'postToolUse',
  post_tool_use_failure: 'postToolUseFailure',
  stop: 'stop',
  subagent_start: 'subagentStart',
  subagent_stop: 'subagentStop',
  pre_compact: 'preCompact',
} as const

const path = ['file_path', 'path', 'target_file'] as const

/** One call of its shell raises `beforeShellExecution` too; our entry stands at `preToolUse` alone, so hooks run once. */
export const cursor = defineHost({
  name: 'cursor',
  called: 'Cursor',
  about: 'Cursor, by its documents.',
  documents: ['https://cursor.com/docs/hooks'],
  events,
  tools: {
    calls: {
      shell,
      bash: shell,
      run_background_job: shell,
      read_file: { names: ['Read'], args: { path: [...path] } },
      write_file: { names: ['Write'], args: { path: [...path], content: ['content', 'contents'] } },
      delete_file: { names: ['Delete'], args: { path: [...path] } },
      search_files_content: { names: ['Grep'], args: { query: 'pattern' } },
      fetch: { names: ['WebFetch'] },
      transfer_task: { names: ['Task'], args: { agent: 'subagent_type', task: 'prompt' } },
    },
    mcp: { names: ['MCP:{server}:{tool}'], matches: ['MCP:{tool}'] },
  },
  rewrites: { input: 'with-allow', result: 'dropped', message: 'dropped' },
  // `ask` is accepted before a call, and not acted upon.
  takes: { ask: false, allow: true, halt: false },
  can: {
    approves: false,
    context: ['session_start', 'post_tool_use'],
    refusesPrompt: true,
    redo: true,
    subAgents: 'yes',
    failsClosed: 'the wrapper, `failClosed: true`',
    timeout: { unit: 's', default: 60 },
  },
  around: [
    {
      around: 'It reads files of Claude Code too.',
      so: 'Install it in one of the two, or hooks run twice; the strictest answer holds.',
    },
    { around: 'Agents in its cloud do not read your own files.', so: 'Install for the project.' },
  ],
  reads(payload) {
    const { workspace_roots: roots, tool_input: input, ...rest } = payload
    const cwd = Array.isArray(roots) ? roots[0] : undefined
    const read = renamed(rest, { conversation_id: 'session_id', tool_output: 'tool_response', error_message: 'error' })
    return {
      ...(cwd !== undefined && { cwd }),
      ...read,
      ...(input !== undefined && { tool_input: typeof input === 'string' ? { input } : input }),
    }
  },
  writes({ event, deny, halt, context, allow, rewrite }: Answer) {
    const refusal = deny ?? halt
    const more = context ? { additional_context: context } : {}
    if (event === 'pre_tool_use') {
      if (refusal) return { permission: 'deny', user_message: refusal, agent_message: refusal }
      if (allow === undefined) return {}
      return { permission: 'allow', ...(rewrite && isRecord(rewrite.value) && { updated_input: rewrite.value }) }
    }
    if (event === 'user_prompt_submit') return refusal ? { continue: false, user_message: refusal } : {}
    if (event === 'stop' || event === 'subagent_stop') return refusal ? { followup_message: refusal } : {}
    return more
  },
  setup: {
    programs: ['cursor-agent', 'cursor'],
    home: ({ home }) => `${home}/.cursor`,
    canary: (command, project) => ({
      conversation_id: 'canary',
      hook_event_name: 'preToolUse',
      workspace_roots: [project],
      tool_name: 'Shell',
      tool_input: { command },
    }),
    proof: 'A canary through the installed entry.',
    files(scope, { home, project }, ours) {
      const directory = { user: `${home}/.cursor`, project: `${project}/.cursor`, managed: '/etc/cursor' }[scope]
      const entries: Entry[] = (Object.entries(events) as [keyof typeof events, string][]).map(([event, theirs]) => ({
        path: ['hooks', theirs],
        value: {
          command: lineOf({ name: 'cursor' }, ours, event),
          timeout: hostWaits,
          ...(isClosed(event) && { failClosed: true }),
        },
      }))
      const format = { comments: false, byteOrderMark: false }
      return [{ kind: 'shared', path: `${directory}/hooks.json`, format, entries, also: { version: 1 } }]
    },
  },
})
