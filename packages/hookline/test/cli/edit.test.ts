import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'
import { terminal } from '../support/terminal.ts'

const payload = JSON.stringify({ event: 'pre_tool_use', tool_name: 'shell', tool_input: { command: 'rm -rf /' } })

/** A project in which somebody begins. */
function project(files: Record<string, string> = {}) {
  const root = scratch(Object.fromEntries(Object.entries(files).map(([name, text]) => [`repo/${name}`, text])))
  for (const directory of ['repo/.git', 'home']) mkdirSync(join(root, directory), { recursive: true })
  const cwd = join(root, 'repo')
  const env = { HOME: join(root, 'home'), XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' }
  const run = (...args: string[]) => hookline(args, '', { cwd, env })
  const at = (...args: string[]) => terminal(args, { cwd, env })
  const read = (name = 'hookline.yaml') => readFileSync(join(cwd, name), 'utf8')
  const states = async () =>
    Object.fromEntries(
      JSON.parse((await run('list', '--json')).stdout).map(({ id, trust }: Record<string, string>) => [id, trust]),
    )
  const judge = async () => JSON.parse((await hookline(['dispatch'], payload, { cwd, env })).stdout).decision
  return { root, cwd, run, at, read, states, judge }
}

describe('hookline init', () => {
  it('--yes writes a config with comments, approved, and shows what it does', async () => {
    const { run, read, states, judge } = project()
    const { exit, stdout } = await run('init', '--yes')
    expect([exit, stdout]).toEqual([
      0,
      expect.stringMatching(/Wrote hookline\.yaml: \d+ hooks, approved[\s\S]*rm -rf \/ +✗ blocked[\s\S]*Next/),
    ])
    expect(read()).toMatch(/^# [\s\S]*\nuse:\n {2}# .*\n {2}- security\n/)
    expect(new Set(Object.values(await states()))).toEqual(new Set(['approved']))
    expect((await judge()).ruling).toBe('deny')
    expect((await run('check', '--strict')).exit).toBe(0)
  })

  it('asks where and which, and can be left at every question without a trace', async () => {
    const { at, cwd, states } = project()
    const left = at('init')
    await left.sees('Where should they hold?')
    left.types('\x03')
    expect((await left.ended()).exit).toBe(0)
    expect(existsSync(join(cwd, 'hookline.yaml'))).toBe(false)
    const stayed = at('init')
    await stayed.sees('Where should they hold?')
    stayed.types('\r')
    await stayed.sees('Which guards?')
    stayed.types(' ')
    stayed.types('\r')
    const { exit, screen } = await stayed.ended()
    expect([exit, screen]).toEqual([0, expect.stringContaining('Wrote hookline.yaml')])
    const names = new Set(Object.keys(await states()).map((id) => id.split(':')[0]))
    expect(names).toEqual(new Set(['secrets', 'git-safe', 'secret-files']))
  })

  it('takes bundles and a profile by name', async () => {
    const { run, read, states } = project()
    expect((await run('init', '--use', 'clod')).stderr).toContain('Did you mean `cloud`?')
    expect((await run('init', '--use', 'cloud', '--use', 'quiet', '--profile', 'strict')).exit).toBe(0)
    expect(read()).toMatch(/^profile: strict$[\s\S]*- cloud\n[\s\S]*- quiet\n/m)
    expect(new Set(Object.values(await states()))).toEqual(new Set(['approved']))
  })

  it('says so when it cannot approve what it has written', async () => {
    const { cwd } = project()
    // A file in place of the directory: to everybody, root included, nothing can be written there.
    const env = { HOME: cwd, XDG_STATE_HOME: '/dev/null/state' }
    const { exit, stderr } = await hookline(['init', '--yes'], '', { cwd, env })
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/is written, but not approved[\s\S]*The approvals in/)])
  })

  it('never touches a config that is there', async () => {
    const { run, read } = project({ 'hookline.yaml': 'version: 1\nhooks: []\n' })
    const { exit, stderr } = await run('init', '--yes')
    expect([exit, stderr, read()]).toEqual([1, expect.stringContaining('is there already'), 'version: 1\nhooks: []\n'])
  })

  it('--user writes your own config; without a terminal, it says how to approve', async () => {
    const { root, run } = project()
    expect((await run('init')).exit).toBe(64)
    const { file } = JSON.parse((await run('init', '--user', '--json')).stdout)
    expect(file).toBe(join(root, 'home/.config/hookline/hooks.yaml'))
    expect(existsSync(file)).toBe(true)
  })
})

describe('hookline add', () => {
  const mine = `# Ours.\nversion: 1 # the only one\nhooks:\n  # Why this one.\n  - { id: own, event: stop, run: exit 0 } # see the wiki\n`

  it('adds by name, and leaves everything else as it is, comments included', async () => {
    const { run, read } = project({ 'hookline.yaml': mine })
    expect((await run('add', 'security')).exit).toBe(0)
    expect((await run('add', 'add_date')).exit).toBe(0)
    const lines = read().split('\n')
    for (const line of mine.trim().split('\n')) expect(lines).toContain(line)
    expect(read()).toMatch(/use:\n {2}# .*\n {2}- security\n[\s\S]*- id: add-date\n {4}event: turn_start\n/)
    expect((await run('check', '--strict')).exit).toBe(0)
  })

  it('adds by number, as the list counts them, to a file that is made for it', async () => {
    const { run, read } = project()
    const list = JSON.parse((await run('add', '--json')).stdout) as { number: number; name: string; kind: string }[]
    const { number } = list.find(({ name }) => name === 'audit')!
    const { stdout } = await run('add', String(number), '--local', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ file: '.hookline/hooks.local.yaml', id: 'audit', approved: false })
    expect(read('.hookline/hooks.local.yaml')).toContain('- audit')
  })

  it('asks which on a terminal, shows what would run, and approves it on a yes', async () => {
    const { at, states } = project({ 'hookline.yaml': mine })
    const session = at('add')
    await session.sees(/1 +security[\s\S]*Which one\?/)
    session.types('security\r')
    await session.sees('Approve it, exactly as it is?')
    session.types('y')
    const { exit, screen } = await session.ended()
    expect([exit, screen]).toEqual([0, expect.stringMatching(/digest +sha256:[\s\S]*Added security/)])
    expect(await states()).toMatchObject({ own: 'not-approved', 'security:final-check': 'approved' })
  })

  it('adds a script of yours, and it runs', async () => {
    const { run, cwd, states } = project()
    writeFileSync(join(cwd, 'no more.sh'), '#!/bin/sh\necho no >&2; exit 2\n', { mode: 0o755 })
    await run('add', 'no more.sh', '--tool', 'shell')
    expect(await states()).toEqual({ 'no-more': 'not-approved' })
    const { stdout } = await hookline(['dispatch', '--trust', 'all'], payload, { cwd })
    expect(JSON.parse(stdout).decision).toEqual({ ruling: 'deny', reason: 'no' })
  })

  it('edits JSON with comments as well', async () => {
    const { run, read } = project({ 'hookline.jsonc': '{\n  // ours\n  "version": 1,\n  "hooks": []\n}\n' })
    await run('add', 'add_date')
    expect(read('hookline.jsonc')).toMatch(/\/\/ ours[\s\S]*"name": "add_date"/)
  })

  it.each([
    [['add', 'secrity'], 64, /Did you mean `security`\?/],
    [['add', 'own'], 64, /There is no bundle, builtin or file/],
    [['add', 'security', '--args', '{"moed": 1}'], 1, /was not changed[\s\S]*moed/],
    [['add', 'add_date', '--args', '{"bogus":1}'], 1, /`args\.bogus` is not known here\.[\s\S]*→ Remove it/],
    [['add', 'add_date', '--event', 'pre_tool_usee'], 64, /Did you mean `pre_tool_use`/],
  ])('%j changes nothing, and says why', async (args, code, words) => {
    const { run, read } = project({ 'hookline.yaml': mine })
    const { exit, stderr } = await run(...args)
    expect([exit, stderr, read()]).toEqual([code, expect.stringMatching(words), mine])
  })

  it('what is there already is not added twice', async () => {
    const { run, read } = project({ 'hookline.yaml': mine })
    await run('add', 'security')
    const once = read()
    expect([(await run('add', 'security')).exit, read()]).toEqual([64, once])
  })
})

describe('hookline remove', () => {
  it('takes out what was added, and the file is as it was', async () => {
    const before = '# Ours.\nversion: 1\nhooks:\n  # Why.\n  - id: own\n    event: stop\n    run: exit 0\n'
    const { run, read } = project({ 'hookline.yaml': before })
    await run('add', 'add_date')
    const { exit, stdout } = await run('remove', 'add-date')
    expect([exit, stdout, read()]).toEqual([0, '✔ Removed add-date from hookline.yaml.\n', before])
  })

  it('knows bundles by their names, and hooks by the ids that were made for them', async () => {
    const { run, states } = project({
      'hookline.yaml':
        'version: 1\nuse: [security, audit]\nhooks:\n  - { event: stop, run: exit 0 }\n  - { event: stop, run: exit 1 }\n',
    })
    expect(JSON.parse((await run('remove', 'security', 'stop_2', '--json')).stdout)).toHaveLength(2)
    expect(Object.keys(await states()).filter((id) => !id.startsWith('audit:'))).toEqual(['stop_1'])
  })

  it('a hook that does not exist is reported, and so is one that is part of a bundle', async () => {
    const { run } = project({ 'hookline.yaml': 'version: 1\nuse: [security]\n' })
    const { exit, stderr } = await run('remove', 'secuity', 'security:final-check')
    expect(exit).toBe(2)
    expect(stderr).toMatch(
      /Did you mean `security`\?[\s\S]*part of the bundle `security`.*disabled: \[security:final-check\]/,
    )
  })
})

describe('a config from which something is removed', () => {
  it('takes the comment of what it removes along, and leaves all others', async () => {
    const before = 'version: 1\n# Sets of hooks.\nuse:\n  # Of security.\n  - security\n  # Of secrets.\n  - secrets\n'
    const { run, read } = project({ 'hookline.yaml': before })
    await run('remove', 'security')
    expect(read()).toBe('version: 1\n# Sets of hooks.\nuse:\n  # Of secrets.\n  - secrets\n')
    await run('add', 'security')
    await run('remove', 'security')
    expect(read()).toBe('version: 1\n# Sets of hooks.\nuse:\n  # Of secrets.\n  - secrets\n')
  })

  it('for a file that cannot be read, names what is wrong with it, not a missing hook', async () => {
    const { run } = project({ 'hookline.yaml': 'version: 1\nhooks: [\n' })
    const { exit, stderr } = await run('remove', 'guard')
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/hookline\.yaml:\d+:\d+ {2}error {2}.*not valid YAML/)])
  })
})
