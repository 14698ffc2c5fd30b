import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'
import { terminal } from '../support/terminal.ts'

const payload = JSON.stringify({ event: 'pre_tool_use', tool_name: 'shell', tool_input: { command: 'ls' } })
const denying = (id: string) =>
  `version: 1\nhooks:\n  - { id: ${id}, event: pre_tool_use, run: 'echo ${id} >&2; exit 2' }\n`

/** A person with a home, at work in a repository. */
function person(files: Record<string, string> = {}) {
  const root = scratch({ 'repo/.git/HEAD': '', 'repo/sub/x': '', ...files })
  const env = { HOME: join(root, 'home'), XDG_CONFIG_HOME: '', XDG_STATE_HOME: join(root, 'state') }
  mkdirSync(env.HOME, { recursive: true })
  const run = (args: string[], input = '', cwd = 'repo') => hookline(args, input, { cwd: join(root, cwd), env })
  const dispatch = async (...args: string[]) => {
    const { stdout, stderr } = await run(['dispatch', '--trust', 'all', ...args], payload)
    if (stdout === '') throw new Error(stderr)
    return JSON.parse(stdout)
  }
  const at = (args: string[]) => terminal(args, { cwd: join(root, 'repo'), env })
  return { root, env, run, dispatch, at }
}

describe('which hooks count', () => {
  it('without a word, those of all layers; list shows them in the order of their layers', async () => {
    const { run, dispatch } = person({
      'home/.config/hookline/hooks.yaml': denying('mine'),
      'repo/hookline.yaml': denying('ours'),
      'repo/.hookline/hooks.local.yaml': denying('here'),
    })
    expect((await dispatch()).decision.reason).toBe('mine\nours\nhere')
    const { stdout } = await run(['list', '--json'], '', 'repo/sub')
    expect(JSON.parse(stdout).map(({ id, layer }: Record<string, string>) => [id, layer])).toEqual([
      ['mine', 'user'],
      ['ours', 'project'],
      ['here', 'local'],
    ])
  })

  it('a named file stands in place of those of the project, not of those of the user', async () => {
    const { dispatch } = person({
      'home/.config/hookline/hooks.yaml': denying('mine'),
      'repo/hookline.yaml': denying('ours'),
      'repo/other.yaml': denying('other'),
    })
    expect((await dispatch('--config', 'other.yaml')).decision.reason).toBe('mine\nother')
  })

  it('a link in the project to a file of a stronger layer takes nothing from it', async () => {
    const { root, run, dispatch } = person({
      'home/.config/hookline/hooks.yaml': denying('mine'),
      'repo/.hookline/hooks.yaml': "version: 1\ndisabled: ['*']\nhooks: []\n",
    })
    symlinkSync(join(root, 'home/.config/hookline/hooks.yaml'), join(root, 'repo/hookline.yaml'))
    const listed = JSON.parse((await run(['list', '--json'])).stdout)
    expect(listed).toMatchObject([{ id: 'mine', layer: 'user', enabled: true }])
    expect((await dispatch()).decision.reason).toBe('mine')
  })

  it('where there are none, it lists where it looked', async () => {
    const { exit, stderr } = await person().run(['list'])
    expect([exit, stderr]).toEqual([64, expect.stringContaining('neither hookline.yaml nor .hookline/hooks.yaml')])
  })
})

describe('a broken config', () => {
  const claudePayload = JSON.stringify({
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
  })

  it('refuses what can be refused, in the language of the host: a broken project must not disable the user', async () => {
    const { run } = person({
      'home/.config/hookline/hooks.yaml': denying('mine'),
      'repo/hookline.yaml': 'version: 1\nhoks: []\n',
    })
    const { exit, stdout } = await run(['dispatch', '--dialect', 'claude-code', '--reply'], claudePayload)
    expect(exit).toBe(0)
    expect(JSON.parse(stdout).hookSpecificOutput).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringMatching(/could not be loaded, so nothing is let through.*hookline check/),
    })
  })

  it('is an error where nothing can be refused, or nobody reads a reply', async () => {
    const { run } = person({ 'repo/hookline.yaml': 'version: 1\nhoks: []\n' })
    const stop = JSON.stringify({ event: 'session_end' })
    expect((await run(['dispatch', '--reply'], stop)).exit).toBe(1)
    expect((await run(['dispatch'], payload)).exit).toBe(1)
  })

  it.each([
    ['cannot be parsed', 'version: 1\nhooks: [\n', ''],
    ['has one bad entry', `${denying('good')}  - { id: bad, event: nope, run: x }\n`, 'good'],
  ])('is never listed as no hooks: a file that %s', async (_what, text, listed) => {
    const { exit, stdout, stderr } = await person({ 'repo/hookline.yaml': text }).run(['list'])
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/hookline\.yaml:\d+:\d+: .*\nA config is broken/)])
    expect(stdout).not.toContain('no hooks')
    expect(stdout).toContain(listed)
  })

  it('cannot send escape sequences to the terminal through its texts', async () => {
    const { run } = person({ 'repo/hookline.yaml': denying(String.raw`"a\e]0;owned\ab"`) })
    for (const command of [['list'], ['explain', '--tool', 'shell'], ['check']]) {
      const { stdout, stderr } = await run(command)
      expect(stdout + stderr).toContain(String.raw`a\u{1b}]0;owned`)
      expect(stdout + stderr).not.toContain('\u001b')
    }
  })
})

describe('hooks at the command line', () => {
  it('are appended, repeatable, for every tool, and trusted, because the user typed them', async () => {
    const { run } = person({ 'repo/hookline.yaml': denying('ours') })
    const flags = ['--hook-pre-tool-use', 'echo one >&2; exit 2', '--hook-pre-tool-use', 'echo two >&2; exit 2']
    const { reports, decision } = JSON.parse((await run(['dispatch', ...flags, '--hook-stop', 'true'], payload)).stdout)
    expect(reports.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['failure', 'deny', 'deny'])
    expect(decision.reason).toMatch(/Nobody has approved.*\none\ntwo$/s)
  })

  it('need no config file, and run at each of the six moments', async () => {
    const { run } = person()
    const events = ['pre-tool-use', 'post-tool-use', 'session-start', 'session-end', 'on-user-input', 'stop']
    const { stdout } = await run(['list', '--json', ...events.flatMap((event) => [`--hook-${event}`, 'true'])])
    expect(JSON.parse(stdout).map(({ event, layer, trust }: Record<string, string>) => [event, layer, trust])).toEqual(
      events.map((event) => [event.replaceAll('-', '_'), 'session', 'vouched']),
    )
  })

  it('use the dialect of docker-agent', async () => {
    const denyCommand = `echo '{"hook_specific_output":{"permission_decision":"deny","permission_decision_reason":"no"}}'`
    const { decision } = await person().dispatch('--hook-pre-tool-use', denyCommand)
    expect(decision).toEqual({ ruling: 'deny', reason: 'no' })
  })
})

describe('hookline off, hookline on', () => {
  it('off switches all hooks off, everywhere, until on; and whoever reads hooks says so', async () => {
    const { run, dispatch, at } = person({ 'repo/hookline.yaml': denying('ours') })
    expect((await dispatch()).decision.ruling).toBe('deny')
    const { exit, screen } = await at(['off']).ended()
    expect([exit, screen]).toEqual([0, expect.stringMatching(/Hooks are off.*administrator.*stay on/s)])
    const off = await dispatch()
    expect([off.decision, off.reports[0].why, off.notes[0].code]).toEqual([null, 'disabled', 'switched-off'])
    for (const command of [['list'], ['check'], ['explain', '--tool', 'shell']])
      expect((await run(command)).stderr).toContain('Hooks are switched off since')
    expect((await run(['on'])).stdout).toMatch(/^Hooks are on\. They were off since/)
    expect((await dispatch()).decision.ruling).toBe('deny')
  })

  it('off needs a person: an agent must not rid itself of its hooks', async () => {
    const { run, dispatch } = person({ 'repo/hookline.yaml': denying('ours') })
    const { exit, stderr } = await run(['off', '--yes'])
    expect([exit, stderr]).toEqual([1, expect.stringContaining('needs a person')])
    expect((await dispatch()).decision.ruling).toBe('deny')
  })

  it('off for a while ends by itself, and the journal says who, why and until when', async () => {
    const { run, dispatch, at } = person({ 'repo/hookline.yaml': denying('ours') })
    const { exit, screen } = await at(['off', '--for', '6s', '--reason', 'moving a file']).ended()
    expect([exit, screen]).toEqual([0, expect.stringMatching(/none runs until \d{4}-.*Z, or until/)])
    expect((await run(['list'])).stderr).toMatch(/switched off since .* until .* \(moving a file\)/)
    await expect.poll(async () => (await dispatch()).decision?.ruling, { interval: 500 }).toBe('deny')
    expect((await run(['list'])).stderr).not.toContain('switched off')
    const [entry] = (await run(['log', '--json'])).stdout.split('\n').filter((line) => line.includes('switched-off'))
    expect(entry).toMatch(/"reason":"moving a file"/)
    expect(entry).toMatch(/"by":"person"/)
  })

  it('a clock that is set back makes it no longer', async () => {
    const { root, dispatch } = person({ 'repo/hookline.yaml': denying('ours'), 'state/hookline/off': '' })
    const file = join(root, 'state/hookline/off')
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
    chmodSync(join(root, 'state/hookline'), 0o700)
    const offSince = (since: number) => {
      writeFileSync(file, JSON.stringify({ since: inMinutes(since), until: inMinutes(since + 15) }), { mode: 0o600 })
      chmodSync(file, 0o600)
      return dispatch()
    }
    expect((await offSince(-1)).decision).toBeNull()
    expect((await offSince(60)).decision).toMatchObject({ ruling: 'deny' })
    expect((await offSince(-60)).decision).toMatchObject({ ruling: 'deny' })
  })

  it('on ends it earlier, without a person, and is recorded', async () => {
    const { run, dispatch, at } = person({ 'repo/hookline.yaml': denying('ours') })
    await at(['off', '--for', '2h']).ended()
    const { decision, notes } = await dispatch()
    expect([decision, notes[0].code]).toEqual([null, 'switched-off'])
    expect((await run(['on'])).stdout).toMatch(/Hooks are on/)
    expect((await dispatch()).decision.ruling).toBe('deny')
    expect((await run(['log', '--json'])).stdout).toMatch(/switched-on/)
  })

  it.each(['', 'soon', '0m', '25h', '-5m', '1w'])('off for %j is no time', async (span) => {
    const { run } = person()
    expect((await run(['off', `--for=${span}`])).exit).toBe(64)
  })

  it('a switch that the workspace holds counts for nothing', async () => {
    const { root, env, run } = person({ 'repo/hookline.yaml': denying('ours') })
    mkdirSync(join(root, 'repo/state/hookline'), { recursive: true })
    writeFileSync(join(root, 'repo/state/hookline/off'), 'x', { mode: 0o600 })
    const redirected = await hookline(['dispatch', '--trust', 'all'], payload, {
      cwd: join(root, 'repo'),
      env: { ...env, XDG_STATE_HOME: join(root, 'repo/state') },
    })
    expect(JSON.parse(redirected.stdout).decision.ruling).toBe('deny')
    expect((await run(['on', '--json'])).stdout).toBe('{"hooks":"on","were_off_since":null}\n')
  })
})
