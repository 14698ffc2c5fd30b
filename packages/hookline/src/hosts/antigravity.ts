import { isRecord } from '../core/index.ts'
import { groups } from './groups.ts'
import { type Answer, defineHost } from './host.ts'

const shell = { names: ['run_command'], args: { command: 'CommandLine', cwd: 'Cwd' } } as const

const events = { pre_tool_use: 'PreToolUse', post_tool_use: 'PostToolUse', stop: 'Stop' } as const

/** It refuses calls of hooks that do not decide: what nobody has an opinion about is allowed, which its own review does not skip. */
export const antigravity = defineHost({
  name: 'antigravity',
  called: 'Antigravity',
  about: 'Antigravity, by its documents.',
  documents: [
    'https://antigravity.google/docs/hooks',
    'https://docs.rs/safe-chains/latest/safe_chains/targets/agy/index.html',
  ],
  events,
  tools: {
    calls: {
      shell,
      bash: shell,
      run_background_job: shell,
      read_file: { names: ['view_file'], args: { path: 'AbsolutePath' } },
      write_file: { names: ['write_to_file'], args: { path: 'TargetFile', content: 'CodeContent' } },
      list_directory: { names: ['list_dir'], args: { path: 'DirectoryPath' } },
      search_files_content: { names: ['grep_search'], args: { query: 'Query', path: 'SearchPath' } },
    },
    mcp: { names: ['mcp_{server}_{tool}'] },
  },
  rewrites: { input: 'dropped', result: 'dropped', message: 'dropped' },
  takes: { ask: false, allow: true, halt: false },
  can: {
    approves: false,
    context: [],
    refusesPrompt: false,
    redo: false,
    subAgents: 'no',
    timeout: { unit: 's', default: 30 },
  },
  around: [
    { around: 'New input is ignored: the original runs.', so: 'A rewrite is a refusal that says what to run instead.' },
  ],
  reads(payload) {
    const { toolCall, conversationId, workspacePaths: roots, ...rest } = payload
    const call = isRecord(toolCall) ? toolCall : {}
    const cwd = Array.isArray(roots) ? roots[0] : undefined
    return {
      ...rest,
      session_id: conversationId,
      ...(cwd !== undefined && { cwd }),
      ...(call['name'] !== undefined && { tool_name: call['name'], tool_input: call['args'] ?? {} }),
    }
  },
  writes({ event, deny, halt, ask }: Answer) {
    const refusal = deny ?? halt
    if (event !== 'pre_tool_use') return {}
    if (refusal) return { decision: 'deny', reason: refusal }
    return ask ? { decision: 'force_ask', reason: ask } : { decision: 'allow' }
  },
  setup: {
    programs: ['agy', 'antigravity'],
    home: ({ home }) => `${home}/.gemini/config`,
    canary: (command, project) => ({
      conversationId: 'canary',
      workspacePaths: [project],
      toolCall: { name: 'run_command', args: { CommandLine: command } },
    }),
    proof: 'A canary through the installed entry.',
    files(scope, { home, project }, ours) {
      if (scope === 'managed') return undefined
      const path = scope === 'user' ? `${home}/.gemini/config/hooks.json` : `${project}/.agents/hooks.json`
      // Hooks stand below a name of their own.
      const entries = groups({ name: 'antigravity', events }, ours, { unit: 's' }).map(
        ({ path: [, event], value }) => ({
          path: ['hookline', event!],
          value,
        }),
      )
      return [{ kind: 'shared', path, format: { comments: false, byteOrderMark: false }, entries }]
    },
  },
})
