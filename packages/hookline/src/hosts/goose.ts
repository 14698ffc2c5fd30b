import { editCodec } from '../core/index.ts'
import { claudesEvents, groups } from './groups.ts'
import { type Answer, defineHost } from './host.ts'
import { renamed } from './payload.ts'

const shell = { names: ['shell', 'developer__shell'] } as const

const {
  permission_request: _asked,
  subagent_start: _started,
  subagent_stop: _stopped,
  pre_compact: _compacted,
  notification: _notified,
  ...events
} = claudesEvents

/** Rewrites are ignored, hooks after a tool get no result, and tools inside `delegate` raise no events. */
export const goose = defineHost({
  name: 'goose',
  called: 'goose',
  about: 'goose 1.52.',
  events,
  tools: {
    calls: {
      shell,
      bash: shell,
      run_background_job: shell,
      write_file: { names: ['write', 'developer__write'] },
      edit_file: {
        names: ['edit', 'developer__edit'],
        codec: editCodec({ one: 'edit' }, { path: 'path', old: 'before', new: 'after' }),
      },
      transfer_task: { names: ['delegate'], args: { task: 'instructions' } },
    },
    mcp: { names: ['{server}__{tool}'] },
  },
  rewrites: { input: 'dropped', result: 'dropped', message: 'dropped' },
  takes: { ask: false, allow: false, halt: false },
  can: {
    approves: false,
    context: [],
    refusesPrompt: false,
    redo: true,
    subAgents: 'no: starting one is refused',
    timeout: { unit: 's', default: 30 },
  },
  around: [
    { around: 'Tools inside `delegate` raise no events.', so: '`delegate` is refused.' },
    { around: 'New input is ignored: the original runs.', so: 'A rewrite is a refusal that says what to run instead.' },
    {
      around: 'New results, and refusals of a prompt, are ignored.',
      so: 'Nothing can be done about that there; the journal says where it happened (`hookline log`). Rules about the calls themselves hold.',
    },
    {
      around: '`BeforeShellExecution` cannot block.',
      so: 'Our entry stands at `PreToolUse`, which can.',
    },
  ],
  reads: (payload) =>
    renamed(payload, { event: 'hook_event_name', working_dir: 'cwd', message: 'prompt', tool_call_id: 'tool_use_id' }),
  writes: ({ event, deny, halt }: Answer) => {
    const refusal = deny ?? halt
    return refusal && (event === 'pre_tool_use' || event === 'stop') ? { decision: 'block', reason: refusal } : {}
  },
  refuses: (event, { tool_name: tool }) =>
    event === 'pre_tool_use' && /(?:^|__)delegate$/.test(String(tool))
      ? 'Sub-agents of goose run no hooks, so work cannot be handed to one here. Do it yourself, step by step.'
      : undefined,
  setup: {
    programs: ['goose'],
    home: ({ home, env }) => `${env['XDG_CONFIG_HOME'] || `${home}/.config`}/goose`,
    canary: (command, project) => ({
      event: 'PreToolUse',
      session_id: 'canary',
      working_dir: project,
      tool_name: 'shell',
      tool_input: { command },
    }),
    proof: 'A canary through the installed entry.',
    files(scope, { home }, ours) {
      if (scope !== 'user') return undefined
      const plugin = `${home}/.agents/plugins/hookline`
      const entries = groups({ name: 'goose', events }, ours, { unit: 's' })
      const hooks = Object.fromEntries(entries.map(({ path, value }) => [path[1]!, [value]]))
      const about = { name: 'hookline', version: '1.0.0', description: 'Rules that hold every time, by Hookline.' }
      const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
      return [
        { kind: 'own', path: `${plugin}/plugin.json`, content: json(about) },
        { kind: 'own', path: `${plugin}/hooks/hooks.json`, content: json({ hooks }) },
      ]
    },
  },
})
