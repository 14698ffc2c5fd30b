import { hostWaits, lineOf } from './groups.ts'
import type { Host } from './host.ts'
import { movedBy } from './setup.ts'

const events = { pre_tool_use: 'PreToolUse' } as const

export const crush: Omit<Host, 'tools'> = {
  name: 'crush',
  called: 'Crush',
  about: 'Crush, by its documents.',
  documents: ['https://github.com/charmbracelet/crush/blob/main/docs/hooks/README.md'],
  events,
  rewrites: { input: 'taken', result: 'dropped', message: 'dropped' },
  // Silence leaves a call to its prompt, which `--yolo` takes away: that is no question.
  takes: { ask: false, allow: true, halt: true },
  can: {
    approves: true,
    context: ['pre_tool_use'],
    refusesPrompt: false,
    redo: false,
    subAgents: 'no: starting one is refused',
    timeout: { unit: 's', default: 30 },
  },
  around: [
    {
      around: 'Calls of sub-agents (`agent`, `agentic_fetch`) reach no hook.',
      so: 'The call that starts one does, and is refused.',
    },
    {
      around: 'Results, prompts and the end of a turn reach no hook.',
      so: 'Secrets in results are not redacted there; rules about reading hold.',
    },
  ],
  refuses: (event, { tool_name: tool }) =>
    event === 'pre_tool_use' && (tool === 'agent' || tool === 'agentic_fetch')
      ? 'Sub-agents of Crush run no hooks, so work cannot be handed to one here. Do it yourself, step by step.'
      : undefined,
  setup: {
    programs: ['crush'],
    home: (ground) => movedBy(ground, 'XDG_CONFIG_HOME', `${ground.home}/.config`).concat('/crush'),
    canary: (command, project) => ({
      ...{ event: 'PreToolUse', session_id: 'canary', cwd: project },
      ...{ tool_name: 'bash', tool_input: { command } },
    }),
    proof: 'A canary through the installed entry.',
    files(scope, ground, ours) {
      if (scope === 'managed') return undefined
      const path = scope === 'user' ? `${crush.setup.home(ground)}/crush.json` : `${ground.project}/crush.json`
      const value = { command: lineOf(crush, ours, 'pre_tool_use'), timeout: hostWaits }
      const entries = [{ path: ['hooks', events.pre_tool_use], value }]
      return [{ kind: 'shared', path, format: { comments: false, byteOrderMark: false }, entries }]
    },
  },
}
