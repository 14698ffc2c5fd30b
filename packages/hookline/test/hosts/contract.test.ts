import { describe, expect, it } from 'vitest'
import type { Opinion, Verdict } from '../../src/core/index.ts'
import { type EventName, eventRow } from '../../src/core/index.ts'
import { ourDialects } from '../../src/dialects/index.ts'
import { createHooks } from '../../src/hooks/index.ts'
import { callerOf, dialectOfHost, loadHost, triedHosts } from '../../src/hosts/index.ts'
import { hookline } from '../support/cli.ts'
import fc from '../support/property.ts'
import { scratch } from '../support/scratch.ts'

const hosts = await Promise.all(triedHosts.map(async (name) => (await loadHost(name))!))
const claudes = (hookEventName: string, more: object) => ({ hookSpecificOutput: { hookEventName, ...more } })
const denied = (permissionDecisionReason: string) =>
  claudes('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason })

/** What each agent wants to read, so that a call does not run and its model learns why. */
const refusals: Record<string, (reason: string) => object> = {
  claude: denied,
  codex: denied,
  qwen: denied,
  grok: denied,
  copilot: (reason) => ({ permissionDecision: 'deny', permissionDecisionReason: reason }),
  gemini: (reason) => ({ decision: 'deny', reason }),
  goose: (reason) => ({ decision: 'block', reason }),
  cline: (reason) => ({ skip: true, reason }),
  opencode: (reason) => ({ throw: reason }),
  pi: (reason) => ({ block: true, reason }),
}

const payload = {
  session_id: 's',
  tool_name: 'x',
  tool_input: { command: 'ls' },
  prompt: 'p',
  permission_mode: 'default',
}
async function replyTo(host: string, event: EventName, opinion: Opinion, more: object = {}) {
  const dialect = await dialectOfHost(host, ourDialects)
  const verdict = { event, payload: { ...payload, ...more }, reports: [], notes: [], ...opinion } as unknown as Verdict
  const { value } = dialect.reply.encode(verdict)
  return { exit: value.exit, said: JSON.parse(value.stdout) as Record<string, unknown>, stderr: value.stderr }
}

describe.each(hosts)('$name', ({ name, events, takes }) => {
  it('refuses a call in the words of the host, with a reason', async () => {
    expect(await replyTo(name, 'pre_tool_use', { decision: { ruling: 'deny', reason: 'No.' } })).toEqual({
      exit: 0,
      said: refusals[name]!('No.'),
      stderr: '',
    })
  })

  it('gives a reason where the hook has none', async () => {
    const { said } = await replyTo(name, 'pre_tool_use', { decision: { ruling: 'deny', reason: '' } })
    expect(said).toEqual(refusals[name]!('A hook refuses this.'))
  })

  it('never lets a call run because the host ignores the answer', async () => {
    const halted = await replyTo(name, 'pre_tool_use', { halt: { reason: 'Enough.' } })
    expect(halted.said).toMatchObject(refusals[name]!('Enough.'))
    if (!takes.halt) expect(halted.said).toEqual(refusals[name]!('Enough.'))
    const asked = await replyTo(name, 'pre_tool_use', { decision: { ruling: 'ask', reason: 'Sure?' } })
    if (takes.ask === false)
      expect(asked.said).toEqual(refusals[name]!(`Sure? ${name} cannot ask its user about this, so it does not run.`))
    else expect(JSON.stringify(asked.said)).toContain('"ask"')
  })

  it('says one JSON object, whatever the verdict', async () => {
    const event = fc.constantFrom(...(Object.keys(events) as EventName[]).filter((each) => each !== 'pre_compact'))
    const text = fc.string()
    const opinion = fc.record(
      {
        decision: fc.record({
          ruling: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
          reason: text,
        }),
        halt: fc.record({ reason: text }),
        context: fc.array(text, { minLength: 1 }),
        message: fc.array(text, { minLength: 1 }),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(event, opinion, async (name_, given) => {
        const honoured = Object.fromEntries(
          Object.entries(given).filter(([effect]) => eventRow(name_).effects.includes(effect as never)),
        )
        const { said, exit } = await replyTo(name, name_, honoured)
        expect(typeof said === 'object' && said !== null && !Array.isArray(said)).toBe(true)
        expect(exit).toBe(0)
      }),
      { numRuns: 100 },
    )
  })

  it('has nothing to say in an empty object', async () => {
    for (const event of Object.keys(events) as EventName[])
      expect((await replyTo(name, event, {})).said, event).toEqual({})
  })

  it('dispatch answers in its words', async () => {
    const cwd = scratch({ 'hookline.yaml': "version: 1\nrules:\n  - deny: { run: 'rm *' }\n    because: Keep it.\n" })
    const shell = Object.values((await loadHost(name))!.tools.calls['shell']!)[0] as readonly string[]
    const input = name === 'cline' ? { commands: ['rm -rf x'] } : { command: 'rm -rf x' }
    const call = { session_id: 's', cwd, tool_name: shell[0], tool_input: input }
    const words = ['dispatch', '--dialect', name, '--event', 'pre_tool_use', '--reply', '--trust', 'all']
    const { stdout, exit } = await hookline(words, JSON.stringify(call), { cwd })
    expect(exit).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject(refusals[name]!(expect.stringContaining('Keep it.') as never))
  })
})

describe('rewrites', () => {
  const rewritten = { rewrite: { mode: 'replace', value: { command: 'ls -l' } } } as const
  it.each([
    ['claude', claudes('PreToolUse', { updatedInput: { command: 'ls -l' } })],
    ['codex', claudes('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'ls -l' } })],
    ['copilot', { modifiedArgs: { command: 'ls -l' } }],
    ['gemini', claudes('BeforeTool', { tool_input: { command: 'ls -l' } })],
    ['grok', claudes('PreToolUse', { updatedInput: { command: 'ls -l' } })],
    ['opencode', { args: { command: 'ls -l' } }],
    ['pi', { input: { command: 'ls -l' } }],
    ['cline', { input: { command: 'ls -l' } }],
  ])('%s takes new input so', async (host, wanted) => {
    expect((await replyTo(host, 'pre_tool_use', rewritten)).said).toEqual(wanted)
  })

  it('Gemini merges, so a call that loses an argument is refused and says what to run', async () => {
    const hooks = await createHooks({ journal: false })
    hooks.on('pre_tool_use', () => ({ rewrite: { mode: 'replace', value: { command: 'ls' } } }))
    const raise = async (tool_input: object) => {
      const call = { hook_event_name: 'BeforeTool', tool_name: 'run_shell_command', tool_input }
      return JSON.parse((await hooks.replyAs('gemini', await hooks.raiseAs('gemini', call))).stdout)
    }
    expect(await raise({ command: 'x' })).toEqual(claudes('BeforeTool', { tool_input: { command: 'ls' } }))
    expect(await raise({ command: 'x', dir_path: '/' })).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('ls'),
    })
    await hooks.close()
  })

  it.each(['qwen', 'goose'])('%s ignores them, so the call is refused and says what to run', async (host) => {
    const hooks = await createHooks({ journal: false })
    hooks.on('pre_tool_use', () => ({ rewrite: { mode: 'merge', value: { command: 'ls -l' } } }))
    const tool_name = host === 'qwen' ? 'run_shell_command' : 'shell'
    const raised = await hooks.raiseAs(host, { tool_name, tool_input: { command: 'ls' } }, { event: 'PreToolUse' })
    const { stdout } = await hooks.replyAs(host, raised)
    await hooks.close()
    expect(JSON.parse(stdout)).toEqual(refusals[host]!(expect.stringContaining('ls -l') as never))
  })
})

describe('ways around a hook are closed:', () => {
  const raise = async (host: string, call: Record<string, unknown>, event = 'pre_tool_use') => {
    const hooks = await createHooks({ journal: false })
    const verdict = await hooks.raiseAs(host, call, { event })
    const { stdout } = await hooks.replyAs(host, verdict)
    await hooks.close()
    return JSON.parse(stdout) as object
  }
  const codex = (command: string) => raise('codex', { tool_name: 'Bash', tool_input: { command } })

  it.each([
    ...[
      'bash',
      'bash -i',
      'sh -s',
      'env FOO=1 zsh',
      'sudo -i',
      'sudo bash',
      'python3',
      'python3 -i x.py',
      'node',
      'psql db',
    ],
    ...['ls; sh', 'cat | sh', 'bash /dev/stdin', 'source /dev/stdin', 'vim x', 'timeout 9 bash', 'exec bash', 'irb'],
  ])('Codex does not open a prompt with `%s`', async (command) => {
    expect(await codex(command)).toEqual(denied(expect.stringContaining('opens a prompt') as never))
  })

  it.each([
    ...[
      'bash -c ls',
      'bash x.sh',
      'sh < x.sh',
      'curl x | sh',
      'python3 x.py',
      'python3 -c 1',
      'python3 -m http.server',
    ],
    ...[
      'node -e 1',
      'node --version',
      'ls',
      'psql -c "select 1"',
      "bash <<'E'\nls\nE",
      'grep -r bash .',
      'which python3',
    ],
  ])('Codex runs `%s`', async (command) => {
    expect(await codex(command)).toEqual({})
  })

  it('goose hands no work to sub-agents', async () => {
    const call = { event: 'PreToolUse', tool_name: 'delegate', tool_input: { instructions: 'x' } }
    expect(await raise('goose', call)).toEqual(refusals['goose']!(expect.stringContaining('Sub-agents') as never))
  })

  it('Grok runs nothing that was cut before hooks saw it', async () => {
    const cut = {
      hook_event_name: 'PreToolUse',
      toolName: 'write',
      toolInput: '{"file_path":"x[truncated]',
      toolInputTruncated: true,
    }
    expect(await raise('grok', cut)).toEqual(denied(expect.stringContaining('128 KiB') as never))
  })

  it('what another agent runs of the files of Claude Code is known by its payload', () => {
    const base = { hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'Bash', tool_input: {} }
    expect(callerOf('claude', { ...base, permission_mode: 'default', transcript_path: '/t' })).toBe('claude')
    expect(callerOf('claude', { ...base, hookEventName: 'pre_tool_use', workspaceRoot: '/p/', timestamp: 't' })).toBe(
      'grok',
    )
    expect(callerOf('claude', { ...base, timestamp: '2026-01-01T00:00:00Z' })).toBe('copilot')
    expect(callerOf('gemini', { ...base, timestamp: 't' })).toBe('gemini')
  })
})

describe('Claude Code is asked only in modes that ask:', () => {
  it.each([
    ['default', 'ask'],
    ['acceptEdits', 'ask'],
    ['plan', 'ask'],
    ['auto', 'deny'],
    ['bypassPermissions', 'deny'],
    ['dontAsk', 'deny'],
    ['a mode of tomorrow', 'deny'],
  ])('%s: %s', async (permission_mode, wanted) => {
    const { said } = await replyTo(
      'claude',
      'pre_tool_use',
      { decision: { ruling: 'ask', reason: 'Sure?' } },
      { permission_mode },
    )
    expect(said).toMatchObject({ hookSpecificOutput: { permissionDecision: wanted } })
  })
})
