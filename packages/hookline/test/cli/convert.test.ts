import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { dialectNames } from '../../src/dialects/index.ts'
import { hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const settings = {
  hooks: {
    PreToolUse: [{ matcher: 'Bash|Edit', hooks: [{ type: 'command', command: './guard.sh', timeout: 5 }] }],
    Stop: [{ hooks: [{ type: 'command', command: 'exit 0' }] }],
  },
}
/** Reads what only Claude Code sends, and answers as only Claude Code understands. */
const guard = `#!/bin/sh
grep -q '"hook_event_name":"PreToolUse"' || exit 0
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not here"}}'
`

function project() {
  const cwd = scratch({ 'settings.json': JSON.stringify(settings), 'guard.sh': guard })
  chmodSync(join(cwd, 'guard.sh'), 0o755)
  return cwd
}

describe('hookline convert', () => {
  it('prints the config of the other system, and on standard error what changes meaning', async () => {
    const { exit, stdout, stderr } = await hookline(['convert', '--to', 'native', 'settings.json'], '', {
      cwd: project(),
    })
    expect(exit).toBe(0)
    expect(parse(stdout)).toMatchObject({
      version: 1,
      hooks: [
        { event: 'pre_tool_use', matcher: { tool: 'shell|edit_file' }, run: { command: './guard.sh' }, timeout: 5 },
        { event: 'stop', run: { command: 'exit 0' } },
      ],
    })
    expect(stderr).toMatch(/^2 of 2 hooks converted from claude-code to native\.$/m)
    expect(stderr).toMatch(/reads the payload of claude-code[\s\S]*Hookline reads the original file as it is/)
  })

  it('what a system cannot express is reported, and counted', async () => {
    const { stdout, stderr } = await hookline(['convert', '--to', 'crush', 'settings.json'], '', { cwd: project() })
    expect(JSON.parse(stdout)).toEqual({
      hooks: { PreToolUse: [{ matcher: '^(bash|edit|multiedit)$', command: './guard.sh', timeout: 5 }] },
    })
    expect(stderr).toMatch(/^1 of 2 hooks converted/)
    expect(stderr).toMatch(/The event stop has no counterpart in crush/)
  })

  it.each(dialectNames.filter((name) => name !== 'native'))('--bridge to %s calls Hookline', async (to) => {
    const { exit, stdout } = await hookline(['convert', '--to', to, 'settings.json', '--bridge'], '', {
      cwd: project(),
    })
    expect(exit).toBe(0)
    expect(stdout).toContain(`hookline dispatch --dialect ${to} --config-dialect claude-code`)
  })

  it('across a bridge, a script answers another system in its own language', async () => {
    const cwd = project()
    const { stdout } = await hookline(['convert', '--to', 'crush', 'settings.json', '--bridge'], '', { cwd })
    const { hooks } = JSON.parse(stdout) as { hooks: { PreToolUse: [{ command: string }] } }
    const [, ...words] = hooks.PreToolUse[0].command.split(' ')
    const payload = { event: 'PreToolUse', session_id: 's', cwd, tool_name: 'Bash', tool_input: { command: 'ls' } }
    const reply = await hookline([...words, '--trust', 'all'], JSON.stringify(payload), { cwd })
    expect(JSON.parse(reply.stdout)).toMatchObject({ decision: 'deny', reason: 'not here' })
  })

  it('refuses to write a guard that would run for other calls, unless it is told to', async () => {
    const run = { type: 'command', command: 'exit 2' }
    const entry = { event: 'pre_tool_use', matcher: { tool: 'shell', args: { path: '$.command', matches: 'rm' } }, run }
    const cwd = scratch({ 'hookline.json': JSON.stringify({ version: 1, hooks: [entry] }) })
    const refused = await hookline(['convert', '--to', 'claude-code', 'hookline.json'], '', { cwd })
    expect(refused).toMatchObject({ exit: 1, stdout: '' })
    expect(refused.stderr).toContain('its matcher would be dropped')
    const lossy = await hookline(['convert', '--to', 'claude-code', 'hookline.json', '--lossy'], '', { cwd })
    expect(lossy.exit).toBe(0)
    expect(JSON.parse(lossy.stdout).hooks.PreToolUse[0].matcher).toBe('Bash')
  })

  it('refuses to write a config that guards nothing, and one whose event does the work itself there', async () => {
    const hooks = { worktree_create: [{ type: 'command', command: 'npm ci' }] }
    const cwd = scratch({ 'agent.json': JSON.stringify({ agents: { root: { hooks } } }) })
    const from = ['convert', '--from', 'docker-agent', 'agent.json', '--to']
    const there = await hookline([...from, 'claude-code'], '', { cwd })
    expect(there).toMatchObject({ exit: 1, stdout: '' })
    expect(there.stderr).toContain('WorktreeCreate')
    const empty = await hookline([...from, 'crush'], '', { cwd })
    expect(empty).toMatchObject({ exit: 1, stdout: '' })
    expect(empty.stderr).toContain('guard nothing')
  })

  it('writes the names and keys of the other system', async () => {
    const crush = { hooks: { PreToolUse: [{ matcher: '^bash$', command: 'exit 2' }] } }
    const cwd = scratch({ 'crush.json': JSON.stringify(crush) })
    const { exit, stdout } = await hookline(['convert', '--to', 'native', 'crush.json'], '', { cwd })
    expect(exit).toBe(0)
    expect(parse(stdout).hooks[0].matcher).toEqual({ tool: 'shell' })
  })

  it('writes a file in the format of its name, and keeps one that is there', async () => {
    const cwd = project()
    const args = ['convert', '--to', 'native', 'settings.json', '-o', 'hookline.json']
    expect(await hookline(args, '', { cwd })).toMatchObject({ exit: 0, stdout: '' })
    expect(JSON.parse(readFileSync(join(cwd, 'hookline.json'), 'utf8'))).toMatchObject({ version: 1 })
    expect(await hookline(args, '', { cwd })).toMatchObject({ exit: 1, stderr: expect.stringContaining('--force') })
    expect(await hookline([...args, '--force'], '', { cwd })).toMatchObject({ exit: 0 })
  })

  it('to the same system nothing changes meaning', async () => {
    const cwd = scratch({ 'hookline.yaml': 'version: 1\nhooks: [{ id: a, event: stop, run: exit 0 }]\n' })
    const { stdout } = await hookline(['convert', '--to', 'native', 'hookline.yaml', '--json'], '', { cwd })
    expect(JSON.parse(stdout)).toMatchObject({ from: 'native', to: 'native', hooks: 1, notes: [] })
  })

  it('a broken file is refused whole, or read as far as it goes with --lenient', async () => {
    const cwd = scratch({
      'hookline.yaml': 'version: 1\nhooks:\n  - { event: stopp, run: exit 0 }\n  - { event: stop, run: exit 0 }\n',
    })
    const args = ['convert', '--to', 'claude-code', 'hookline.yaml']
    const refused = await hookline(args, '', { cwd })
    expect(refused).toMatchObject({ exit: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^hookline\.yaml:3:\d+ {2}error {2}Unknown event `stopp`/)
    const { exit, stdout } = await hookline([...args, '--lenient'], '', { cwd })
    expect(exit).toBe(0)
    expect(Object.keys((JSON.parse(stdout) as { hooks: object }).hooks)).toEqual(['Stop'])
  })

  it.each([
    [['convert', '--to', 'native'], 64, /Name one file/],
    [['convert', 'settings.json'], 64, /`--to` native/],
    [['convert', '--to', 'native', '--bridge', 'settings.json'], 64, /needs no bridge/],
    [['convert', '--to', 'crsh', 'settings.json'], 1, /Did you mean `crush`\?/],
    [['convert', '--to', 'crush', 'none.json'], 1, /There is no config file/],
  ])('%j is refused with a reason', async (args, code, words) => {
    const { exit, stderr } = await hookline(args, '', { cwd: project() })
    expect(exit).toBe(code)
    expect(stderr).toMatch(words)
  })
})
