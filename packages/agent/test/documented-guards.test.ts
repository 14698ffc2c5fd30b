import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hookline } from '../../hookline/test/support/cli.ts'
import { workplace } from './terminal/support.ts'

/** A guard as the document of its system shows one, against the system's own names of tools and arguments. */
interface Guard {
  file: string
  config(cwd: string): unknown
  scripts?: Readonly<Record<string, string>>
  /** Its hooks run only while the call is not decided otherwise. */
  onlyUndecided?: true
}

const reason = 'Nothing is deleted here'
const refuse = `echo '${reason}' >&2; exit 2`
const hooksOf = (matcher: string) => [{ matcher, hooks: [{ type: 'command', command: 'sh ./guard.sh' }] }]
const reading = (expression: string) =>
  `command=$(jq -r '${expression}')\ncase "$command" in *'rm -rf'*) ${refuse} ;; esac\n`

const guards: Record<string, Guard> = {
  crush: {
    file: 'crush.json',
    config: () => ({ hooks: { PreToolUse: [{ matcher: '^bash$', command: 'sh ./guard.sh' }] } }),
    scripts: { 'guard.sh': `case "$CRUSH_TOOL_INPUT_COMMAND" in *'rm -rf'*) ${refuse} ;; esac\n` },
  },
  'claude-code': {
    file: 'settings.json',
    config: () => ({ hooks: { PreToolUse: hooksOf('Bash') } }),
    scripts: { 'guard.sh': reading('.tool_input.command') },
  },
  'docker-agent': {
    file: 'agent.json',
    config: () => ({ agents: { root: { hooks: { pre_tool_use: hooksOf('shell|edit_file|mcp:.*') } } } }),
    scripts: { 'guard.sh': reading('.tool_input.cmd') },
    onlyUndecided: true,
  },
  'docker-agent, before --yolo': {
    file: 'agent.json',
    config: () => ({
      agents: { root: { hooks: { pre_tool_use: hooksOf('shell').map((each) => ({ ...each, preempt_yolo: true })) } } },
    }),
    scripts: { 'guard.sh': reading('.tool_input.cmd') },
  },
  everruns: {
    file: 'harness.json',
    config: () => ({
      capabilities: [
        { ref: 'virtual_bash' },
        {
          ref: 'user_hooks',
          config: {
            hooks: [
              {
                id: 'no_delete',
                event: 'pre_tool_use',
                matcher: {
                  tool_name: 'bash',
                  args_jsonpath: '$.commands',
                  deny_regex: '(?:^|;|&&|\\|)\\s*rm\\s+-rf\\b',
                },
                executor: { type: 'bash', command: `echo '{"decision":"block","reason":"${reason}"}'` },
                on_error: 'block',
              },
            ],
          },
        },
      ],
    }),
  },
  'pydantic-deep': {
    file: 'hooks.json',
    config: () => ({ hooks: [{ event: 'pre_tool_use', command: 'sh ./guard.sh', matcher: 'execute' }] }),
    scripts: {
      'guard.sh': `jq -e '.tool_name == "execute" and (.tool_input.command | contains("rm -rf"))' >/dev/null || exit 0\necho '${reason}'\nexit 2\n`,
    },
  },
  starchild: {
    file: 'hooks.json',
    config: (cwd) => ({
      hooks: [{ event: 'pre_tool_call', command: `sh ${join(cwd, 'guard.sh')}`, matcher: 'rm -rf|dd if=|mkfs' }],
    }),
    scripts: { 'guard.sh': reading('.tool_input.command') },
  },
}

describe.each(Object.entries(guards))('a guard written for %s', (name, { file, config, scripts, onlyUndecided }) => {
  const place = () => {
    const { cwd, env, run } = workplace({ 'precious/a': 'a', ...scripts })
    const [dialect = name] = name.split(',')
    writeFileSync(join(cwd, file), JSON.stringify(config(cwd)))
    return { cwd, env, run, options: ['--config', file, '--config-dialect', dialect, '--trust', 'all'] }
  }

  it('guards our own agent', async () => {
    const { cwd, run, options } = place()
    const yolo = onlyUndecided ? [] : ['--yolo']
    const refused = await run('--print', ...yolo, ...options, 'run rm -rf precious')
    expect(refused.stdout + refused.stderr).toContain(reason)
    expect(existsSync(join(cwd, 'precious'))).toBe(true)
    const passed = await run('--print', '--yolo', ...options, 'run echo fine')
    expect(passed.stdout).toContain('fine')
    expect(passed.stdout).not.toContain(reason)
  })

  it('guards a session of Claude Code, unchanged', async () => {
    const { cwd, env, options } = place()
    const dispatch = async (command: string) => {
      const call = { tool_name: 'Bash', tool_input: { command, description: 'x' }, tool_use_id: 'toolu_1' }
      const payload = { session_id: 's', cwd, hook_event_name: 'PreToolUse', permission_mode: 'default', ...call }
      const words = ['dispatch', '--dialect', 'claude-code', '--reply', ...options]
      return JSON.parse((await hookline(words, JSON.stringify(payload), { cwd, env })).stdout || '{}')
    }
    expect((await dispatch('rm -rf precious')).hookSpecificOutput).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    })
    expect((await dispatch('echo fine')).hookSpecificOutput?.permissionDecision).toBeUndefined()
  })
})
