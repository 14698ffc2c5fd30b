import { isRecord } from '../core/index.ts'
import { claudesCall, claudesEvents, groups } from './groups.ts'
import { defineHost } from './host.ts'
import { opensPrompt } from './interactive.ts'
import { patchCodec } from './patch.ts'
import { readObject } from './payload.ts'
import { type Ground, movedBy } from './setup.ts'

const shell = {
  names: ['Bash', 'exec_command', 'shell', 'local_shell'],
  args: { command: ['command', 'cmd'] },
} as const

const { post_tool_use_failure: _failed, notification: _notified, ...events } = claudesEvents

const home = (ground: Ground) => movedBy(ground, 'CODEX_HOME', `${ground.home}/.codex`)
const untrusted =
  'Codex skips new hooks until they are trusted: open codex and accept ours with /hooks, or install with --trust-host.'

/** A result cannot be replaced, but for the reason of a refusal. */
export const codex = defineHost({
  name: 'codex',
  called: 'Codex CLI',
  about: 'Codex CLI 0.166.',
  events,
  shape: 'claude-code',
  tools: {
    calls: {
      shell,
      bash: shell,
      run_background_job: shell,
      edit_file: { names: ['apply_patch'], codec: patchCodec(['command', 'input', 'patch']) },
      transfer_task: {
        names: ['collaborationspawn_agent', 'spawn_agent'],
        args: { agent: 'task_name', task: 'message' },
      },
      web_search: { names: ['web_search'] },
    },
    mcp: { names: ['mcp__{server}__{tool}'] },
  },
  rewrites: { input: 'taken', result: 'as-reason', message: 'as-context' },
  takes: { ask: false, allow: false, halt: false },
  can: {
    approves: false,
    context: ['session_start', 'user_prompt_submit', 'pre_tool_use', 'post_tool_use'],
    refusesPrompt: true,
    redo: true,
    subAgents: 'yes',
    timeout: { unit: 's', default: 600 },
  },
  around: [
    {
      around: '`write_stdin` types into a shell that a command opened, and raises no event for what is typed.',
      so: 'A command that opens an interactive shell or a prompt of a language is refused.',
    },
    { around: 'New hooks are skipped, without a word, until the user trusts them.', so: untrusted },
    {
      around:
        'A refusal without a reason, a bare `allow`, `ask` and `continue: false` count as a failed hook: the call runs.',
      so: 'None of these is ever said.',
    },
  ],
  refuses(event, { tool_input: input, tool_name: tool }) {
    if (event !== 'pre_tool_use' || typeof tool !== 'string' || !shell.names.some((name) => name === tool))
      return undefined
    const { command, cmd } = (input ?? {}) as Record<string, unknown>
    const opened = opensPrompt(command ?? cmd)
    return opened === undefined
      ? undefined
      : `\`${opened}\` opens a prompt, and Codex does not show hooks what is typed there. Give it its commands at once: \`${opened} -c '…'\`, or a script.`
  },
  setup: {
    programs: ['codex'],
    home,
    canary: claudesCall('Bash'),
    proof: 'The host lists its hooks and whether it trusts them (`hooks/list`).',
    files(scope, ground, ours) {
      // What stands in /etc it runs without asking anybody to trust it (`trustStatus: managed`).
      const directory = { user: home(ground), project: `${ground.project}/.codex`, managed: '/etc/codex' }[scope]
      const entries = groups({ name: 'codex', events }, ours, { unit: 's', limits: { session_end: 3 } })
      return [
        { kind: 'shared', path: `${directory}/hooks.json`, format: { comments: false, byteOrderMark: false }, entries },
      ]
    },
    listing: {
      args: ['app-server'],
      input: ({ project }) =>
        [
          { jsonrpc: '2.0', id: 1, method: 'initialize', params: { clientInfo: { name: 'hookline', version: '1' } } },
          { jsonrpc: '2.0', method: 'initialized' },
          { jsonrpc: '2.0', id: 2, method: 'hooks/list', params: { cwds: [project] } },
        ].map((message) => JSON.stringify(message)),
      hooks(line) {
        const { id, result } = readObject(line)
        if (id !== 2 || !isRecord(result) || !Array.isArray(result['data'])) return undefined
        const hooks = result['data'].flatMap((each) =>
          isRecord(each) && Array.isArray(each['hooks']) ? each['hooks'] : [],
        )
        return hooks.filter(isRecord).map(({ command, trustStatus, enabled }) => ({
          command: String(command),
          trusted: (trustStatus === 'trusted' || trustStatus === 'managed') && enabled !== false,
        }))
      },
    },
    trust: {
      file: (ground) => `${home(ground)}/config.toml`,
      tables: (path, hooks, isOurs, sha256) =>
        Object.entries(hooks).flatMap(([theirs, list]) =>
          (Array.isArray(list) ? list : []).flatMap((group, at) => {
            const handlers = isRecord(group) && Array.isArray(group['hooks']) ? group['hooks'].filter(isRecord) : []
            const event = theirs.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()
            return handlers.flatMap((handler, index) =>
              isOurs(handler['command'])
                ? [
                    {
                      path: ['hooks', 'state', `${path}:${event}:${at}:${index}`],
                      values: { trusted_hash: `sha256:${sha256(definition(event, handler))}` },
                    },
                  ]
                : [],
            )
          }),
        ),
    },
    skips: { user: untrusted, project: untrusted },
  },
})

/** What Codex takes the digest of: the definition with its keys in order, and not the program behind it. */
const definition = (event: string, { command, timeout }: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ event_name: event, hooks: [{ async: false, command, timeout, type: 'command' }] })
