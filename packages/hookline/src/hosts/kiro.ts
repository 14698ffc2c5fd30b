import type { CallCodec, EventName } from '../core/index.ts'
import { claudesCall, hostWaits, lineOf } from './groups.ts'
import { defineHost } from './host.ts'

const shell = { names: ['execute_bash', 'shell', 'executeBash'] } as const

/** What it adds to the session from standard output would be our JSON: at events that do so, our entry does not stand. */
const events = { pre_tool_use: 'PreToolUse', post_tool_use: 'PostToolUse', stop: 'Stop' } as const

/** `fs_write { command: create | str_replace | insert | append, path, … }`. */
const fsWrite: CallCodec = {
  read({ input }) {
    const { command, file_text: content, old_str, new_str, ...rest } = input
    if (command === 'create') return [{ tool: 'write_file', input: { ...rest, content } }]
    return [{ tool: 'edit_file', input: { ...rest, edits: [{ oldText: old_str ?? '', newText: new_str ?? '' }] } }]
  },
  write: (ours) => [ours],
}

export const kiro = defineHost({
  name: 'kiro',
  called: 'Kiro',
  about: 'Kiro, by its documents.',
  documents: [
    'https://kiro.dev/docs/cli/hooks',
    'https://github.com/aws/amazon-q-developer-cli/blob/main/docs/hooks.md',
  ],
  events,
  refusesBy: 'exit code',
  tools: {
    calls: {
      shell,
      bash: shell,
      run_background_job: shell,
      write_file: { names: ['fs_write', 'write'], codec: fsWrite },
      edit_file: { names: ['fs_write', 'write'], codec: fsWrite },
      read_file: { names: ['fs_read', 'read'] },
    },
    mcp: { names: ['@{server}/{tool}'] },
  },
  rewrites: { input: 'dropped', result: 'dropped', message: 'dropped' },
  takes: { ask: false, allow: false, halt: false },
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
  reads: (payload) => ({ session_id: 'kiro', ...payload }),
  /** Only exit codes count. */
  writes: () => ({}),
  setup: {
    programs: ['kiro-cli', 'kiro'],
    home: ({ home }) => `${home}/.kiro`,
    canary: claudesCall('execute_bash'),
    proof: 'A canary through the installed entry.',
    files(scope, { home, project }, ours) {
      if (scope === 'managed') return undefined
      const hooks = (Object.entries(events) as [EventName, string][]).map(([event, trigger]) => ({
        name: `hookline-${event}`,
        trigger,
        action: { type: 'command', command: lineOf(kiro, ours, event) },
        timeout: hostWaits,
        enabled: true,
      }))
      const path = `${scope === 'user' ? home : project}/.kiro/hooks/hookline.json`
      return [{ kind: 'own', path, content: `${JSON.stringify({ version: 'v1', hooks }, null, 2)}\n` }]
    },
  },
})
