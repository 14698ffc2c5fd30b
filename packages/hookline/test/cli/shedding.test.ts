import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { entryScript } from '../../src/install/engine.ts'
import { makeToken } from '../../src/trust/index.ts'
import { hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const payload = JSON.stringify({
  event: 'pre_tool_use',
  tool_name: 'shell',
  tool_input: { command: 'git push --force' },
})
const rules = "version: 1\nrules:\n  - deny: { run: git push --force }\n    because: 'No force.'\n"

/** A person with hooks of their own, all approved, and a project. */
async function world(files: Record<string, string>) {
  const root = scratch(files)
  mkdirSync(join(root, 'home/repo/.git'), { recursive: true })
  const home = join(root, 'home')
  const env = { HOME: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', XDG_DATA_HOME: '' }
  const run = (args: string[], input = '', more: Record<string, string> = {}, cwd = join(home, 'repo')) =>
    hookline(args, input, { cwd, env: { ...env, ...more } })
  return {
    root,
    home,
    run,
    async approve(more: Record<string, string> = {}) {
      const HOOKLINE_APPROVE_TOKEN = makeToken(join(home, '.local/state/hookline'))
      expect((await run(['approve', '--all', '--yes'], '', { ...more, HOOKLINE_APPROVE_TOKEN })).exit).toBe(0)
    },
    async judge(more: Record<string, string> = {}, cwd?: string) {
      const { stdout, stderr } = await run(['dispatch'], payload, more, cwd)
      return { verdict: JSON.parse(stdout || '{}'), stderr }
    },
  }
}

describe('a variable does not take a person’s own hooks away', () => {
  it('those at the usual place', async () => {
    const { root, approve, judge } = await world({ 'home/.config/hookline/hooks.yaml': rules, 'empty/x': '' })
    await approve()
    expect((await judge()).verdict).toMatchObject({ decision: { ruling: 'deny' }, notes: [] })
    const led = await judge({ XDG_CONFIG_HOME: join(root, 'empty') })
    expect(led.verdict.decision).toMatchObject({ ruling: 'deny' })
    expect(led.stderr).toMatch(/Your own hooks in .*\.config\/hookline count, although XDG_CONFIG_HOME leads to/)
    const state = join(root, 'elsewhere')
    const both = await judge({ XDG_CONFIG_HOME: join(root, 'empty'), XDG_STATE_HOME: state })
    expect(both.verdict.decision).toMatchObject({ ruling: 'deny' })
  })

  it('nor those at a place of their own, once they were approved there', async () => {
    const { root, approve, judge } = await world({ 'mine/hookline/hooks.yaml': rules })
    await approve({ XDG_CONFIG_HOME: join(root, 'mine') })
    expect((await judge()).verdict.decision).toMatchObject({ ruling: 'deny' })
    expect((await judge({ XDG_CONFIG_HOME: join(root, 'empty') })).verdict.decision).toMatchObject({ ruling: 'deny' })
  })

  it('and what a variable calls the person’s is remembered nowhere', async () => {
    const { root, judge } = await world({ 'home/repo/x/hookline/hooks.yaml': rules, 'home/repo/hookline.yaml': rules })
    await judge({ XDG_CONFIG_HOME: join(root, 'home/repo/x') })
    expect((await judge()).verdict.notes).toEqual([])
  })
})

describe('a file of a person’s own hooks that is gone lets nothing through', () => {
  const ls = JSON.stringify({ event: 'pre_tool_use', tool_name: 'shell', tool_input: { command: 'ls' } })

  it.each(['.config', '.config/hookline', '.config/hookline/hooks.yaml'])(
    'by whatever it was taken away with, until they begin anew: %s',
    async (taken) => {
      const { root, home, approve, run } = await world({ 'home/.config/hookline/hooks.yaml': rules })
      await approve()
      renameSync(join(home, taken), join(root, 'away'))
      const refused = await run(['dispatch', '--reply'], ls)
      expect(JSON.parse(refused.stdout)).toMatchObject({
        decision: 'deny',
        reason: expect.stringContaining('could not be loaded'),
      })
      expect((await run(['list'])).stderr).toMatch(
        /hooks\.yaml: .*This file is gone, and you have approved hooks in it/,
      )
      mkdirSync(join(home, '.config/hookline'), { recursive: true })
      writeFileSync(join(home, '.config/hookline/hooks.json'), '{ "version": 1, "hooks": [] }')
      expect(JSON.parse((await run(['dispatch'], ls)).stdout).decision).toBeNull()
    },
  )

  it('or until they want none any more', async () => {
    const { home, approve, run } = await world({
      'home/.config/hookline/hooks.yaml': rules,
      'home/repo/hookline.yaml': 'version: 1\nhooks:\n  - { id: ours, event: stop, run: exit 0 }\n',
    })
    await approve()
    const file = join(home, '.config/hookline/hooks.yaml')
    rmSync(file)
    expect((await run(['revoke', '--all', '--config', file])).stdout).toMatch(/^Revoked 1 approval/)
    expect(JSON.parse((await run(['dispatch'], ls)).stdout).decision).toBeNull()
    expect((await run(['list', '--json'])).stdout).toMatch(/"trust": ?"approved"/)
  })

  it('not one of several that were dropped in', async () => {
    const { home, approve, run } = await world({
      'home/.config/hookline/hooks.yaml': rules,
      'home/.config/hookline/hooks.d/more.yaml': rules.replace('--force', '--mirror'),
    })
    await approve()
    rmSync(join(home, '.config/hookline/hooks.d/more.yaml'))
    expect(JSON.parse((await run(['dispatch'], ls)).stdout).decision).toBeNull()
  })
})

describe('what a project sets for its agent runs nothing in front of the guards', () => {
  it('options of Node', () => {
    const root = scratch({
      'engine.cjs': "console.log('guarded')",
      'evil.cjs': "require('node:fs').writeFileSync(__dirname + '/ran', '')",
    })
    const NODE_OPTIONS = `--require=${join(root, 'evil.cjs')}`
    const { stdout, stderr } = spawnSync(
      '/bin/sh',
      ['-c', entryScript(process.execPath, join(root, 'engine.cjs')), 'entry', 'claude', 'pre_tool_use'],
      { env: { ...process.env, NODE_OPTIONS }, input: '{}', encoding: 'utf8' },
    )
    expect([stdout, stderr, existsSync(join(root, 'ran'))]).toEqual(['guarded\n', '', false])
  })
})

describe('an agent does not take Hookline out of agents', () => {
  it('hookline uninstall', async () => {
    const { run } = await world({})
    expect(await run(['uninstall', '--all', '--yes'], '', { CLAUDECODE: '1' })).toMatchObject({
      exit: 1,
      stderr: expect.stringMatching(/runs under Claude Code/),
    })
  })
})

describe('a repository inside another does not shed the outer one’s hooks', () => {
  it.each(['sub', 'sub/deeper/still'])('git init %s', async (place) => {
    const { home, judge } = await world({ 'home/repo/hookline.yaml': rules, [`home/repo/${place}/.git/HEAD`]: '' })
    const { verdict } = await judge({}, join(home, 'repo', place))
    expect(verdict.decision).toMatchObject({ ruling: 'deny' })
  })

  it('a submodule and a worktree have a file of that name', async () => {
    const { home, judge } = await world({ 'home/repo/hookline.yaml': rules, 'home/repo/sub/.git': 'gitdir: x\n' })
    expect((await judge({}, join(home, 'repo/sub'))).verdict.decision).toMatchObject({ ruling: 'deny' })
  })

  it('nor does what it mutes', async () => {
    const muting = "version: 1\ndisabled: ['*', rules, no-force]\nrules: [{ allow: { run: git push } }]\n"
    const { home, judge } = await world({
      'home/repo/hookline.yaml': rules,
      'home/repo/sub/.git/HEAD': '',
      'home/repo/sub/hookline.yaml': muting,
      'home/repo/sub/.hookline/hooks.local.yaml': muting,
    })
    expect((await judge({}, join(home, 'repo/sub'))).verdict.decision).toMatchObject({ ruling: 'deny' })
  })

  it('and what is added there is added to its own config', async () => {
    const { home, run } = await world({ 'home/repo/hookline.yaml': rules, 'home/repo/sub/.git/HEAD': '' })
    const { stdout } = await run(['deny', 'npm publish', '--json'], '', {}, join(home, 'repo/sub'))
    expect(JSON.parse(stdout).file).toBe('hookline.yaml')
  })
})
