import { describe, expect, test } from 'vitest'
import { pathsOf, shellOf } from '../../src/builtins/tools.ts'
import { toolRowOf } from '../../src/core/index.ts'
import { createHooks } from '../../src/hooks/index.ts'
import { askBuiltin } from '../support/ask-builtin.ts'

const call = (tool_name: string, tool_input: Record<string, unknown>) => ({ tool_name, tool_input })

describe('what a call runs', () => {
  test.each([
    ['Bash', { command: 'ls' }, 'ls'],
    ['shell', { cmd: 'ls' }, 'ls'],
    ['run_shell_command', { command: 'ls' }, 'ls'],
    ['mcp__box__exec', { commands: 'ls' }, 'ls'],
    ['shell', { command: ['bash', '-lc', "echo 'a b'"] }, "bash -lc 'echo '\\''a b'\\'''"],
    ['my_custom_runner', { command: 'ls' }, 'ls'],
    ['bash', { script: 'ls' }, 'ls'],
    ['bash', { command: 'a', cmd: 'b' }, 'a\nb'],
  ])('%s %o runs %s', (name, input, command) => {
    expect(shellOf(call(name, input), {})?.command).toBe(command)
  })

  test('an editor whose argument is called command runs nothing', () => {
    expect(shellOf(call('str_replace_based_edit_tool', { command: 'create', path: 'a' }), {})).toBeUndefined()
    expect(shellOf(call('read_file', { path: 'a' }), {})).toBeUndefined()
  })

  test('it runs where the call says', () => {
    expect(shellOf({ ...call('shell', { cmd: 'ls', cwd: 'sub' }), cwd: '/w' }, {})).toEqual({
      command: 'ls',
      cwd: '/w/sub',
    })
  })
})

describe('which files a call names', () => {
  test.each([
    ['Write', { file_path: 'a.ts' }, [{ path: 'a.ts', access: 'write' }]],
    ['read_file', { path: 'a.ts' }, [{ path: 'a.ts', access: 'read' }]],
    [
      'mcp__fs__read_multiple_files',
      { paths: ['a', 'b'] },
      [
        { path: 'a', access: 'read' },
        { path: 'b', access: 'read' },
      ],
    ],
    [
      'MultiEdit',
      { edits: [{ path: 'a' }, { path: 'b' }] },
      [
        { path: 'a', access: 'write' },
        { path: 'b', access: 'write' },
      ],
    ],
    [
      'apply_patch',
      { input: '*** Begin Patch\n*** Update File: src/a.ts\n*** Add File: b.ts\n' },
      [
        { path: 'src/a.ts', access: 'write' },
        { path: 'b.ts', access: 'write' },
      ],
    ],
    ['apply_diff', { diff: '--- a/x.py\n+++ b/x.py\n@@' }, [{ path: 'x.py', access: 'write' }]],
    ['upload_thing', { file: 'a' }, [{ path: 'a', access: 'write' }]],
    ['think', { thought: 'path' }, []],
    ['search_files', { pattern: '*.ts', path: 'src', content: 'x' }, [{ path: 'src', access: 'read' }]],
    ['remove_directory', { path: 'a' }, [{ path: 'a', access: 'write' }]],
    ['edit_file', { edits: [{ path: 'a' }] }, [{ path: 'a', access: 'write' }]],
    ['read_multiple_files', { paths: [{ path: 'a' }] }, [{ path: 'a', access: 'read' }]],
  ] as const)('%s %o', (name, input, expected) => {
    expect(pathsOf(call(name, input), {})).toEqual(expected)
  })
})

describe('a tool that somebody declared', () => {
  const refund = toolRowOf({ args: { receipt: 'writes', ledger: 'reads', script: 'command', path: 'string' } })
  const kit = { toolRow: (name: string) => (name === 'refund' ? refund : undefined) }

  test('does what its arguments mean, whatever they are called', () => {
    expect(pathsOf(call('refund', { receipt: 'a', ledger: ['b', 'c'] }), kit)).toEqual([
      { path: 'a', access: 'write' },
      { path: 'b', access: 'read' },
      { path: 'c', access: 'read' },
    ])
    expect(shellOf(call('refund', { script: 'ls' }), kit)?.command).toBe('ls')
  })

  test('is not cleared by it: a path under a usual name still counts', () => {
    expect(pathsOf(call('refund', { path: 'a' }), kit)).toEqual([{ path: 'a', access: 'write' }])
  })

  test.each(['claude-code', 'native'])('is guarded by bundles, in a call of %s', async (host) => {
    const hooks = await createHooks({
      use: ['security'],
      tools: { refund: { args: { receipt: 'writes', step: 'command' } } },
      journal: false,
    })
    for (const input of [
      { receipt: '~/.ssh/authorized_keys' },
      { receipt: '.git/hooks/pre-commit' },
      { step: 'rm -rf /' },
    ]) {
      const payload = { hook_event_name: 'PreToolUse', event: 'pre_tool_use', tool_name: 'refund', tool_input: input }
      expect((await hooks.raiseAs(host, payload)).decision?.ruling, JSON.stringify(input)).toBe('deny')
    }
    await hooks.close()
  })
})

describe('security', () => {
  const ruling = async (tool: string, input: Record<string, unknown>, args?: unknown) =>
    (await askBuiltin('security', 'pre_tool_use', call(tool, input), args))?.decision?.ruling

  test.each([
    ['write_file', { path: '../../etc/passwd' }],
    ['write_file', { path: '/etc/cron.d/x' }],
    ['edit_file', { file_path: '.env' }],
    ['write_file', { path: '~/.SSH/authorized_keys' }],
    ['read_file', { path: '/etc//shadow' }],
    ['read_file', { path: '.env.production' }],
    ['execute', { command: 'echo pwned >> ~/.zshrc' }],
    ['execute', { command: 'cat /etc/shadow | head -1' }],
    ['execute', { command: ':(){ :|:& };:' }],
    ['execute', { command: 'dd if=/dev/zero of=/dev/sda' }],
    ['shell', { command: ['bash', '-lc', 'rm -rf /'] }],
  ])('%s %o is refused', async (tool, input) => expect(await ruling(tool, input)).toBe('deny'))

  test.each([
    ['read_file', { path: 'src/env.ts' }],
    ['write_file', { path: '.env.example' }],
    ['execute', { command: 'rm -rf node_modules' }],
    ['execute', { command: 'git push --force-with-lease' }],
    ['execute', { command: 'grep -rn "rm -rf /" docs' }],
    ['execute', { command: 'git commit -m "never rm -rf / again"' }],
    ['execute', { command: 'man mkfs' }],
  ])('%s %o passes', async (tool, input) => expect(await ruling(tool, input)).toBeUndefined())

  test('a list replaces its default, and an empty one switches the rule off', async () => {
    expect(await ruling('read_file', { path: '.env' }, { blocked_read_paths: [] })).toBeUndefined()
    expect(await ruling('execute', { command: 'cat .env' }, { blocked_read_paths: [] })).toBeUndefined()
    expect(await ruling('read_file', { path: 'secret/plans.md' }, { blocked_read_paths: ['^secret/'] })).toBe('deny')
    expect(await ruling('execute', { command: 'cat secret/plans.md' }, { blocked_read_paths: ['^secret/'] })).toBe(
      'deny',
    )
    expect(await ruling('execute', { command: 'rm -rf /' }, { blocked_commands: ['\\bsudo\\b'] })).toBeUndefined()
  })

  test('results lose secrets, also by patterns of one’s own, also in warn mode, and the reason never shows the pattern', async () => {
    const response = { text: 'id EMP-1234 ok', list: ['EMP-9999'] }
    const args = { secret_patterns: ['EMP-\\d{4}'], mode: 'warn' }
    const opinion = await askBuiltin('security', 'post_tool_use', { ...call('t', {}), tool_response: response }, args)
    expect(opinion?.rewrite?.value).toEqual({ text: 'id [REDACTED] ok', list: ['[REDACTED]'] })
    const refused = await askBuiltin('security', 'pre_tool_use', call('bash', { command: 'x EMP-1' }), {
      blocked_commands: ['EMP-\\d'],
    })
    expect(refused?.decision?.reason).not.toContain('\\d')
  })
})

describe('self_protection', () => {
  const ruling = async (tool: string, input: Record<string, unknown>, args?: unknown) =>
    (await askBuiltin('self_protection', 'pre_tool_use', call(tool, input), args))?.decision?.ruling

  test.each([
    ['write_file', { path: '.claude/settings.json' }],
    ['write_file', { path: 'HOOKLINE.yaml' }],
    ['edit_file', { path: './x/../hookline.yaml' }],
    ['write_file', { path: '~/.local/share/hookline/trust.json' }],
    ['apply_patch', { input: '*** Delete File: hookline.yaml\n' }],
    ['shell', { command: 'rm -rf .hookline' }],
    ['shell', { command: 'mv hookline.yaml /tmp' }],
    ['shell', { command: 'python3 -c "open(1)" hooks/guard.py' }, { files: ['hooks'] }],
  ])('%s %o is refused', async (tool, input, args?: unknown) => expect(await ruling(tool, input, args)).toBe('deny'))

  test.each([
    ['read_file', { path: 'hookline.yaml' }],
    ['shell', { command: 'cat hooks/guard.py' }, { files: ['hooks'] }],
    ['shell', { command: 'npm test' }],
    ['write_file', { path: 'src/hookline.ts' }],
  ])('%s %o passes', async (tool, input, args?: unknown) => expect(await ruling(tool, input, args)).toBeUndefined())
})
