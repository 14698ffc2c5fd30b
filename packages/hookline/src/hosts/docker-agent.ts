import type { EventName } from '../core/index.ts'
import { hostWaits, lineOf } from './groups.ts'
import type { Host } from './host.ts'
import { movedBy } from './setup.ts'

const events = {
  pre_tool_use: 'pre_tool_use',
  tool_response_transform: 'tool_response_transform',
  post_tool_use: 'post_tool_use',
  session_start: 'session_start',
  session_end: 'session_end',
  user_prompt_submit: 'user_prompt_submit',
  pre_compact: 'pre_compact',
  subagent_stop: 'subagent_stop',
  stop: 'stop',
} as const satisfies Partial<Record<EventName, string>>

/** Its entries at these events are groups with a matcher for tools. */
const grouped: readonly EventName[] = ['pre_tool_use', 'tool_response_transform', 'post_tool_use']

export const dockerAgent: Omit<Host, 'tools'> = {
  name: 'docker-agent',
  called: 'docker-agent',
  about: 'docker-agent 1.98 and later, by its documents.',
  documents: [
    'https://docs.docker.com/ai/docker-agent/configuration/hooks/',
    'https://github.com/docker/docker-agent/pull/3496',
  ],
  events,
  // Entries that also hold under `--yolo` take no new input.
  rewrites: { input: 'dropped', result: 'taken', message: 'as-context' },
  // A session without a user refuses what a hook asks about. An approval is advice on the lane of our entry.
  takes: { ask: {}, allow: false, halt: true },
  can: {
    approves: false,
    context: ['session_start', 'user_prompt_submit', 'post_tool_use'],
    refusesPrompt: true,
    redo: false,
    subAgents: 'yes',
    failsClosed: 'the wrapper, and its own rule for `pre_tool_use`',
    timeout: { unit: 's', default: 60 },
  },
  around: [
    {
      around: '`--yolo`, permission rules and read-only hints skip ordinary `pre_tool_use` hooks.',
      so: 'Our entry has `preempt_yolo: true`, and runs at every call.',
    },
    { around: 'New input is not taken there.', so: 'A rewrite is a refusal that says what to run instead.' },
    {
      around: 'Versions before 1.98 have no `hooks.d`.',
      so: 'Copy the file that is installed into `hooks:` of the agent file.',
    },
  ],
  setup: {
    programs: ['docker-agent', 'cagent'],
    home: (ground) => movedBy(ground, 'DOCKER_AGENT_CONFIG_DIR', `${ground.home}/.config/cagent`),
    canary: (command, project) => ({
      ...{ hook_event_name: 'pre_tool_use', session_id: 'canary', cwd: project },
      ...{ tool_name: 'shell', tool_use_id: 'canary', tool_input: { cmd: command } },
    }),
    proof: 'A canary through the installed entry.',
    files(scope, ground, ours) {
      if (scope !== 'user') return undefined
      const path = `${dockerAgent.setup.home(ground)}/hooks.d/hookline.yaml`
      return [{ kind: 'own', path, content: `# Hookline wrote this file.\n${hooksOf(ours)}` }]
    },
  },
}

/** YAML that is JSON below its first level, so that no line of a shell needs the quoting of YAML. */
function hooksOf(ours: { entry: string; mark: string }): string {
  const lines = (Object.keys(events) as (keyof typeof events)[]).map((event) => {
    const hook = { type: 'command', command: lineOf(dockerAgent, ours, event), timeout: hostWaits }
    const preempts = event === 'pre_tool_use' ? { preempt_yolo: true } : {}
    const entry = grouped.includes(event) ? { matcher: '*', ...preempts, hooks: [hook] } : hook
    return `${event}: ${JSON.stringify([entry])}\n`
  })
  return lines.join('')
}
