import { isRecord } from '../core/index.ts'
import { claudesCall, claudesEvents, groups } from './groups.ts'
import type { Host } from './host.ts'
import { readObject } from './payload.ts'
import { type Ground, movedBy, type Scope } from './setup.ts'

const events = claudesEvents

const home = (ground: Ground) => movedBy(ground, 'CLAUDE_CONFIG_DIR', `${ground.home}/.claude`)
const fileOf: Record<Scope, (ground: Ground) => string> = {
  user: (ground) => `${home(ground)}/settings.json`,
  project: ({ project }) => `${project}/.claude/settings.json`,
  managed: () => '/etc/claude-code/managed-settings.json',
}

/** Its modes that approve by themselves have run what a hook wanted to be asked about: only those that ask count. */
export const claude: Omit<Host, 'tools'> = {
  name: 'claude',
  called: 'Claude Code',
  about: 'Claude Code 2.1.',
  events,
  rewrites: { input: 'taken', result: 'taken', message: 'as-context' },
  takes: {
    // Seen in its terminal. Without one (`-p`) it refuses what a hook asks about, and the variable is 0.
    ask: {
      since: '2.1.325',
      modes: ['default', 'acceptEdits', 'plan'],
      attended: { variable: 'CLAUDE_CODE_SESSION_ATTENDED', is: '1' },
    },
    allow: true,
    halt: true,
  },
  can: {
    approves: true,
    context: [
      'session_start',
      'user_prompt_submit',
      'pre_tool_use',
      'post_tool_use',
      'post_tool_use_failure',
      'stop',
      'subagent_start',
    ],
    refusesPrompt: true,
    redo: true,
    subAgents: 'yes',
    failsClosed: 'the wrapper, `onFailure: "block"`',
    timeout: { unit: 's', default: 600 },
  },
  around: [
    {
      around: 'In auto and bypass modes it has run calls that a hook wanted to be asked about.',
      so: 'It is left to ask in the modes default, acceptEdits and plan at a terminal; in any other, `hookline watch` asks.',
    },
    {
      around: '`disableAllHooks`, and a mistake in the file, take every hook away without a word.',
      so: '`hookline hosts` reads the file as the host does, and says so.',
    },
  ],
  setup: {
    programs: ['claude'],
    home,
    canary: claudesCall('Bash'),
    proof: 'The host lists its hooks (`get_hooks_listing`).',
    files: (scope, ground, ours) => [
      {
        kind: 'shared',
        path: fileOf[scope](ground),
        format: { comments: false, byteOrderMark: true },
        entries: groups({ name: 'claude', events }, ours, {
          unit: 's',
          matcher: '*',
          limits: { session_end: 5 },
          closed: { onFailure: 'block' },
        }),
      },
    ],
    listing: {
      args: ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
      input: () =>
        ['initialize', 'get_hooks_listing'].map((subtype, at) =>
          JSON.stringify({ type: 'control_request', request_id: `${at}`, request: { subtype } }),
        ),
      hooks(line) {
        const { response } = readObject(line)
        const inner = isRecord(response) && isRecord(response['response']) ? response['response'] : response
        if (!isRecord(inner) || !Array.isArray(inner['hooks'])) return undefined
        return inner['hooks'].filter(isRecord).map(({ commandText }) => ({ command: String(commandText) }))
      },
    },
    switches: ['disableAllHooks', 'allowManagedHooksOnly'],
    switchFiles: ({ project }) => [`${project}/.claude/settings.local.json`],
  },
}
