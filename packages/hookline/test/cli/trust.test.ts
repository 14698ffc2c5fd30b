import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeToken } from '../../src/trust/index.ts'
import { hookline } from '../support/cli.ts'
import { missing, scratch } from '../support/scratch.ts'
import { terminal } from '../support/terminal.ts'

const config = `version: 1
hooks:
  - id: guard
    event: pre_tool_use
    matcher: { tool: shell }
    run: sh ./guard.sh
  - id: watcher
    event: post_tool_use
    run: jq .
`
const payload = JSON.stringify({ event: 'pre_tool_use', tool_name: 'shell', tool_input: { command: 'ls' } })

/** A project and a person with a home of their own. */
function world(files: Record<string, string> = {}) {
  const cwd = scratch({ 'hookline.yaml': config, 'guard.sh': 'touch ran; echo "not today" >&2; exit 2\n', ...files })
  const env = { HOME: scratch(), XDG_STATE_HOME: scratch(), HOOKLINE_APPROVE_TOKEN: '' }
  const run = (args: string[], input = '', more: Record<string, string> = {}) =>
    hookline(args, input, { cwd, env: { ...env, ...more } })
  /** At a terminal, one answer to each question. */
  const answer = async (args: string[], ...keys: string[]) => {
    const screen = terminal(args, { cwd, env: { ...env, NO_COLOR: '1' }, columns: 120 })
    for (const each of keys) {
      await screen.sees('[y/N] ')
      screen.types(each)
    }
    return screen.ended()
  }
  const dispatch = async () => JSON.parse((await run(['dispatch', '--config', 'hookline.yaml'], payload)).stdout)
  const states = async () => {
    const { stdout } = await run(['list', '--config', 'hookline.yaml', '--json'])
    return (JSON.parse(stdout) as { id: string; trust: string }[]).map(({ id, trust }) => `${id}: ${trust}`)
  }
  return { cwd, env, run, answer, dispatch, states }
}

const approveAll = ['approve', '--config', 'hookline.yaml', '--all']

describe('without a terminal', () => {
  it('nothing new is trusted, and nothing runs', async () => {
    const { cwd, dispatch, run, states } = world()
    const { exit, stderr } = await run(approveAll, 'y\ny\n')
    expect(exit).toBe(1)
    expect(stderr).toMatch(/needs a person/)
    expect(await states()).toEqual(['guard: not-approved', 'watcher: not-approved'])
    const refused = {
      ruling: 'deny',
      reason: expect.stringMatching(/^Nobody has approved a hook \(\S*hookline\.yaml:3\)/),
    }
    expect(await dispatch()).toMatchObject({
      decision: refused,
      messages: [expect.stringMatching(/guard, watcher\. .*`hookline approve --config hookline\.yaml`/)],
      reports: [{ hook: 'guard', failure: 'untrusted' }],
    })
    // What waits is said once in a session.
    expect(await dispatch()).toMatchObject({ decision: refused, messages: [] })
    expect(existsSync(join(cwd, 'ran'))).toBe(false)
  })

  it('neither --yes nor a wrong token is enough', async () => {
    const { run, states } = world()
    expect((await run([...approveAll, '--yes'])).exit).toBe(1)
    expect((await run([...approveAll, '--yes'], '', { HOOKLINE_APPROVE_TOKEN: 'guess' })).exit).toBe(1)
    expect((await run(['approve', '--new-token'])).exit).toBe(1)
    expect(await states()).toEqual(['guard: not-approved', 'watcher: not-approved'])
  })

  it('a digest on the line lets that hook run, and no other', async () => {
    const { run } = world()
    const [guard] = JSON.parse((await run(['list', '--config', 'hookline.yaml', '--json'])).stdout)
    const line = ['dispatch', '--config', 'hookline.yaml', '--trust']
    expect(JSON.parse((await run([...line, guard.digest], payload)).stdout)).toMatchObject({
      decision: { reason: 'not today' },
    })
    const other = `sha256:${'0'.repeat(64)}`
    expect(JSON.parse((await run([...line, other], payload)).stdout).reports[0].failure).toBe('untrusted')
    expect((await run([...line, 'md5:00'], payload)).exit).toBe(64)
  })

  it('a project cannot approve itself', async () => {
    const { run } = world({ 'evil.yaml': 'version: 1\ntrusted: true\nhooks: []\n' })
    expect((await run(['list', '--config', 'evil.yaml'])).stderr).toMatch(/evil\.yaml:2:1: `trusted` was ignored/)
    const { cwd, env } = world()
    const state = join(cwd, 'state')
    const redirected = await hookline(['dispatch', '--config', 'hookline.yaml'], payload, {
      cwd,
      env: { ...env, XDG_STATE_HOME: state },
    })
    expect(JSON.parse(redirected.stdout).reports[0].detail).toMatch(/inside the workspace/)
  })

  it.each([
    ['a link that leads into it', (cwd: string) => ({ XDG_STATE_HOME: join(cwd, '../link') })],
    ['a home that lies in it', (cwd: string) => ({ XDG_STATE_HOME: '', HOME: join(cwd, 'inside') })],
  ])('nor by approvals that it holds, reached through %s', async (_how, env) => {
    const root = scratch({ 'repo/.git/HEAD': '', 'repo/hookline.yaml': config })
    const cwd = join(root, 'repo')
    symlinkSync(cwd, join(root, 'link'))
    // The digest that would be approved, where everything that could hold it does.
    const listed = await hookline(['list', '--json'], '', { cwd })
    const approvals = JSON.parse(listed.stdout).map(({ id, digest }: Record<string, string>) => ({
      ...{ id, digest, at: '2026-01-01T00:00:00.000Z' },
      subject: { version: 1, scope: 'workspace', file: null, hook: {}, files: [], programs: [] },
    }))
    for (const place of ['.', 'inside/.local/state']) {
      mkdirSync(join(cwd, place, 'hookline'), { recursive: true, mode: 0o700 })
      const file = join(cwd, place, 'hookline/approvals.json')
      writeFileSync(file, JSON.stringify({ version: 1, approvals }), { mode: 0o600 })
    }
    const { stdout } = await hookline(['dispatch', '--no-journal'], payload, { cwd, env: env(cwd) })
    expect(JSON.parse(stdout).reports[0].failure).toBe('untrusted')
  })
})

describe('at a terminal', () => {
  it('everything that will run is shown, and a yes makes it run', async () => {
    const { answer, dispatch, states } = world({
      'hookline.yaml': `${config}    env: { TOKEN_FILE: ~/token }
  - id: remote
    event: stop
    run: { type: http, url: 'https://hooks.example/stop' }
`,
    })
    const { exit, screen } = await answer(['approve', '--config', 'hookline.yaml'], 'y\r', 'n\r', '\r')
    expect(exit).toBe(2)
    expect(screen).toMatch(/guard: not approved/)
    expect(screen).toMatch(/matcher +tool is shell/)
    expect(screen).toMatch(/command +sh \.\/guard\.sh/)
    expect(screen).toMatch(/guard\.sh\s+sha256:[0-9a-f]{64}\s+\d+\s+bytes/)
    expect(screen).toMatch(/program +\/bin\/sh → /)
    expect(screen).toMatch(/unpinned +jq is found by its name/)
    expect(screen).toMatch(/env +TOKEN_FILE=~\/token/)
    expect(screen).toMatch(/url +https:\/\/hooks\.example\/stop/)
    expect(screen).toMatch(/Approved `guard`\.[\s\S]*Not approved: `watcher`\.[\s\S]*Not approved: `remote`\./)
    expect(await states()).toEqual(['guard: approved', 'watcher: not-approved', 'remote: not-approved'])
    expect(await dispatch()).toMatchObject({ decision: { ruling: 'deny', reason: 'not today' } })
  })

  it.each(['\r', 'n\r', 'maybe\r', 'yy\r', '\u0004'])('anything but a yes is a no: %j', async (keys) => {
    const { answer, states } = world()
    expect((await answer(approveAll, keys)).exit).toBe(2)
    expect(await states()).toEqual(['guard: not-approved', 'watcher: not-approved'])
  })

  it('Ctrl+C leaves nothing behind, and what was approved before it stays', async () => {
    const { env, answer, states } = world()
    const store = join(env.XDG_STATE_HOME, 'hookline')
    expect((await answer(approveAll, '\u0003')).exit).toBe(130)
    expect(existsSync(join(store, 'approvals.json'))).toBe(false)
    expect((await answer(['approve', '--config', 'hookline.yaml'], 'y\r', '\u0003')).exit).toBe(130)
    expect(await states()).toEqual(['guard: approved', 'watcher: not-approved'])
    expect(readdirSync(store).filter((name) => /lock|\.[0-9a-f]{12}$/.test(name))).toEqual([])
  })

  it('a changed script does not run until what changed was shown and approved', async () => {
    const { cwd, answer, dispatch, states } = world()
    expect((await answer(approveAll, 'y\r')).exit).toBe(0)
    appendFileSync(join(cwd, 'guard.sh'), 'echo sneaky\n')
    writeFileSync(join(cwd, 'hookline.yaml'), config.replace('tool: shell', "tool: '.*'"))
    expect((await dispatch()).reports[0]).toMatchObject({
      failure: 'untrusted',
      detail: expect.stringMatching(/changed/),
    })
    expect(existsSync(join(cwd, 'ran'))).toBe(false)
    expect((await states())[0]).toBe('guard: changed')
    const { screen, exit } = await answer(['approve', '--config', 'hookline.yaml', 'guard'], 'yes\r')
    expect(screen).toMatch(/Changed since it was approved/)
    expect(screen).toMatch(/\+ echo sneaky/)
    expect(screen).toMatch(/matcher:[\s\S]*- [\s\S]*shell[\s\S]*\+ [\s\S]*\.\*/)
    expect(exit).toBe(0)
    expect((await states())[0]).toBe('guard: approved')
  })

  it('what a project writes cannot hide itself', async () => {
    const { answer } = world({
      'hookline.yaml': 'version: 1\nhooks:\n  - { event: stop, run: "evil #\\e[2K\\u202e" }\n',
    })
    expect((await answer(approveAll, 'n\r')).screen).toContain('evil #\\u{1b}[2K\\u{202e}')
  })

  it('a hook that others could change is not offered', async () => {
    const { cwd, answer } = world()
    chmodSync(join(cwd, 'guard.sh'), 0o666)
    const { exit, screen } = await answer(['approve', '--config', 'hookline.yaml', 'guard'])
    expect(exit).toBe(2)
    expect(screen).toMatch(/refused +.*changed by everybody/)
    expect(screen).not.toMatch(/\[y\/N\]/)
  })

  it('a script that cannot run from a copy is shown to run in place', async () => {
    const { answer } = world({ 'guard.sh': 'cd "$(dirname "$0")/.." && exit 2\n' })
    const { screen } = await answer(['approve', '--config', 'hookline.yaml', 'guard'], 'n\r')
    expect(screen).toMatch(/in place +\S*guard\.sh: it looks above its own directory/)
  })

  it('a token made there lets a program approve what it names', async () => {
    const { answer, run, states } = world()
    const token = (await answer(['approve', '--new-token'])).screen.trim().split('\n').at(-1)!
    const more = { HOOKLINE_APPROVE_TOKEN: token }
    expect((await run(['approve', '--config', 'hookline.yaml', '--yes'], '', more)).exit).toBe(64)
    const { exit, stdout } = await run(['approve', '--config', 'hookline.yaml', '--yes', '--json', 'guard'], '', more)
    expect(exit).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject([{ id: 'guard', state: 'approved' }])
    expect(await states()).toEqual(['guard: approved', 'watcher: not-approved'])
  })

  it('revoking takes it back; damaged approvals trust nothing and can be set aside', async () => {
    const { env, answer, run, states, dispatch } = world()
    await answer(approveAll, 'y\r')
    const revoked = await run(['revoke', '--json', 'watcher'])
    expect(JSON.parse(revoked.stdout)).toMatchObject([{ id: 'watcher', digest: expect.stringMatching(/^sha256:/) }])
    expect((await run(['revoke', 'watcher'])).exit).toBe(2)
    expect(await states()).toEqual(['guard: approved', 'watcher: not-approved'])
    expect(await dispatch()).toMatchObject({ decision: { reason: 'not today' } })
    expect((await run(['revoke', 'sh ./guard.sh'])).stdout).toMatch(/Revoked 1 approval: guard/)
    expect(readdirSync(join(env.XDG_STATE_HOME, 'hookline', 'copies'))).toEqual([])
    await answer(approveAll, 'y\r')
    const file = join(env.XDG_STATE_HOME, 'hookline', 'approvals.json')
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 50))
    expect((await dispatch()).reports[0].detail).toMatch(/cannot be read, so nothing is trusted/)
    expect((await run(['list', '--config', 'hookline.yaml'])).exit).toBe(1)
    expect((await run(['revoke', '--all'])).stderr).toMatch(/approvals\.json\.broken-/)
    expect(await states()).toEqual(['guard: not-approved', 'watcher: not-approved'])
  })
})

describe('an approved hook', () => {
  const approvedWorld = async (files: Record<string, string>, args: string[]) => {
    const made = world(files)
    const token = makeToken(join(made.env.XDG_STATE_HOME, 'hookline'))
    const { exit, stderr } = await made.run(['approve', '--yes', '--all', ...args], '', {
      HOOKLINE_APPROVE_TOKEN: token,
    })
    expect(exit, stderr).toBe(0)
    return made
  }

  it('runs where it was approved, and not the script of the same name where the agent has gone', async () => {
    const { cwd, run } = await approvedWorld({ 'sub/guard.sh': 'touch evil\n' }, ['--config', 'hookline.yaml'])
    const ask = async (directory: string) => {
      const input = JSON.stringify({ ...JSON.parse(payload), cwd: directory })
      return JSON.parse((await run(['dispatch', '--config', 'hookline.yaml'], input)).stdout).reports[0]
    }
    expect(await ask(cwd)).toMatchObject({ outcome: 'deny' })
    expect(await ask(join(cwd, 'sub'))).toMatchObject({ failure: 'untrusted' })
    expect(existsSync(join(cwd, 'sub/evil'))).toBe(false)
    expect(await ask(missing('at', 'all'))).toMatchObject({ outcome: 'deny' })
  })

  it('of another system is found through that system’s variables, whatever the event brings', async () => {
    const settings = {
      hooks: {
        PreToolUse: [
          { matcher: 'Bash', hooks: [{ type: 'command', command: 'sh "$CLAUDE_PROJECT_DIR"/.claude/hooks/no.sh' }] },
        ],
      },
    }
    const files = {
      '.claude/settings.json': JSON.stringify(settings),
      '.claude/hooks/no.sh': 'echo "not here" >&2; exit 2\n',
    }
    const where = ['--config', '.claude/settings.json', '--config-dialect', 'claude-code']
    const { cwd, run } = await approvedWorld(files, where)
    const input = (command: string) =>
      JSON.stringify({
        hook_event_name: 'PreToolUse',
        cwd,
        session_id: 's',
        tool_name: 'Bash',
        tool_input: { command },
      })
    const ask = async (command: string) =>
      JSON.parse(
        (await run(['dispatch', '--dialect', 'claude-code', '--config', '.claude/settings.json'], input(command)))
          .stdout,
      )
    expect(await ask('ls')).toMatchObject({ decision: { ruling: 'deny', reason: expect.stringContaining('not here') } })
    expect(await ask('./other.sh')).toMatchObject({ decision: { reason: expect.stringContaining('not here') } })
    writeFileSync(join(cwd, '.claude/hooks/no.sh'), 'exit 0\n')
    expect((await ask('ls')).reports[0]).toMatchObject({ failure: 'untrusted' })
  })
})

describe('hookline list', () => {
  it('shows where each hook is from, when it runs, and what is needed', async () => {
    const { run } = world()
    const { stdout } = await run(['list', '--config', 'hookline.yaml'])
    expect(stdout).toMatch(
      /guard +pre_tool_use +tool is shell +command +enforce +project +\S*hookline\.yaml:3:5 +not approved/,
    )
    expect(stdout).toMatch(/watcher .* not approved, unpinned/)
    expect(stdout).toMatch(/2 hooks will not run/)
  })
})

describe('programs that approve for themselves', () => {
  const allow = 'version: 1\ntrust: { self_approve: loopback }\n'
  const self = ['approve', '--self', '--config', 'hookline.yaml']

  it('may not, unless the user allows it', async () => {
    const { run, states } = world()
    const { exit, stderr } = await run([...self, '--all'])
    expect(exit).toBe(1)
    expect(stderr).toMatch(/Programs may not approve hooks here/)
    expect(await states()).toEqual(['guard: not-approved', 'watcher: not-approved'])
  })

  it('may not by what a project says, nor by what is called the user’s and lies in the workspace', async () => {
    const { cwd, run } = world({
      'hookline.yaml': `${allow}${config.replace('version: 1\n', '')}`,
      'own/hookline/hooks.yaml': allow,
    })
    const refused = await run([...self, '--all'])
    expect(refused.exit).toBe(1)
    expect(refused.stderr).toMatch(/Programs may not approve hooks here/)
    expect((await run(['list'])).stderr).toMatch(/`trust`.*ignored/s)
    expect((await run([...self, '--all'], '', { XDG_CONFIG_HOME: join(cwd, 'own') })).exit).toBe(1)
    const link = join(scratch(), 'link')
    symlinkSync(join(cwd, 'own'), link)
    expect((await run([...self, '--all'], '', { XDG_CONFIG_HOME: link })).exit).toBe(1)
  })

  it('may where the user allows it: what they name, and everybody can see who did it', async () => {
    const { run, states } = world()
    const more = { XDG_CONFIG_HOME: scratch({ 'hookline/hooks.yaml': allow }) }
    expect((await run(self, '', more)).exit).toBe(64)
    const { exit, stdout } = await run([...self, '--json', 'sh ./guard.sh'], '', more)
    expect(exit).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject([{ id: 'guard', state: 'approved' }])
    expect(await states()).toEqual(['guard: approved', 'watcher: not-approved'])
    expect((await run(['list', '--config', 'hookline.yaml'])).stdout).toMatch(/guard .* approved by a program/)
    expect((await run(['log', '--json'])).stdout).toMatch(/hook-self-approved/)
  })
})

describe('a guard that nobody has approved, of a system that goes on without it', () => {
  const crush = { hooks: { PreToolUse: [{ matcher: 'bash', command: './guard.sh' }] } }
  const starchild = 'hooks:\n  - { event: pre_tool_call, command: ./guard.sh }\n'
  it.each([
    [
      'crush',
      'crush.json',
      JSON.stringify(crush),
      { event: 'PreToolUse', session_id: 's', tool_name: 'bash', tool_input: { command: 'ls' } },
    ],
    [
      'starchild',
      'shell_hooks.yaml',
      starchild,
      { event: 'pre_tool_call', tool_name: 'bash', tool_input: { command: 'ls' } },
    ],
  ])('is seen not to be active: %s', async (dialect, file, text, payload) => {
    const { run } = world({ [file]: text, 'guard.sh': '#!/bin/sh\nexit 2\n' })
    const line = ['dispatch', '--dialect', dialect, '--config', file]
    const dispatched = await run(line, JSON.stringify(payload))
    expect(JSON.parse(dispatched.stdout)).toMatchObject({
      decision: null,
      notes: expect.arrayContaining([
        { code: 'hook-inactive', message: expect.stringMatching(/NOT ACTIVE.*hookline approve/s) },
      ]),
    })
    expect(dispatched.stderr).toMatch(/NOT ACTIVE/)
    const replied = await run([...line, '--reply'], JSON.stringify(payload))
    expect(replied).toMatchObject({ exit: 0, stderr: expect.stringMatching(/NOT ACTIVE/) })
    const listed = ['list', '--config', file, '--config-dialect', dialect]
    expect((await run(listed)).stdout).toMatch(/not approved, so NOT ACTIVE/)
    expect(JSON.parse((await run([...listed, '--json'])).stdout)[0]).toMatchObject({ inactive: true })
  })
})
