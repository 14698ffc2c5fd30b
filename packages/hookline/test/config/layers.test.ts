import { chmodSync, chownSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { discover, type Surroundings } from '../../src/config/index.ts'
import type { HooklineError } from '../../src/core/index.ts'
import { createHooks } from '../../src/hooks/index.ts'
import { openTrust, untrustedWriter } from '../../src/trust/index.ts'
import { ownProcesses } from '../support/own-processes.ts'
import { scratch } from '../support/scratch.ts'

const isRoot = process.getuid?.() === 0
const hooksFile = (...entries: string[]) =>
  `version: 1\nhooks:\n${entries.map((entry) => `  - ${entry}\n`).join('') || '  []\n'}`
const deny = (id: string) => hooksFile(`{ id: ${id}, event: pre_tool_use, run: 'echo ${id} >&2; exit 2' }`)
const call = { session_id: 's', tool_name: 'shell', tool_input: { command: 'ls' } }

/** A machine of its own: a home, a repository in it, and the administrator's directory. */
function machine(files: Record<string, string>) {
  const root = realpathSync(scratch(files))
  for (const directory of ['home/repo/.git', 'home/repo/sub/deep', 'etc'])
    mkdirSync(join(root, directory), { recursive: true })
  const at = (cwd = 'home/repo'): Surroundings => ({
    cwd: join(root, cwd),
    home: join(root, 'home'),
    env: {},
    managed: join(root, 'etc'),
    untrustedWriter,
  })
  const found = (cwd?: string) => discover(at(cwd)).map(({ file, layer }) => [layer, file.slice(root.length + 1)])
  const hooks = async (cwd?: string) => {
    const files = discover(at(cwd))
    const made = await createHooks({ files, cwd: join(root, cwd ?? 'home/repo'), executors: [ownProcesses()] })
    onTestFinished(() => made.close())
    return made
  }
  return { root, at, found, hooks }
}

describe('which files count', () => {
  it('strongest layer first: the administrator, the user, the project, what is local to this copy', () => {
    const { found } = machine({
      'home/repo/.hookline/hooks.local.yaml': deny('local'),
      'home/repo/hookline.yaml': deny('project'),
      'home/repo/.hookline/hooks.yaml': deny('project2'),
      'home/.config/hookline/hooks.yaml': deny('user'),
      'etc/hooks.yaml': deny('managed'),
    })
    expect(found()).toEqual([
      ['managed', 'etc/hooks.yaml'],
      ['user', 'home/.config/hookline/hooks.yaml'],
      ['project', 'home/repo/hookline.yaml'],
      ['project', 'home/repo/.hookline/hooks.yaml'],
      ['local', 'home/repo/.hookline/hooks.local.yaml'],
    ])
  })

  it('drop-ins beside a hooks file, in the order of their names; what editors leave lying is no drop-in', () => {
    const dropped = (directory: string) =>
      Object.fromEntries(
        ['20-b.yaml', '10-a.json', '.30.yaml.swp', '40.yaml~', 'README'].map((name) => [
          `${directory}/hooks.d/${name}`,
          '',
        ]),
      )
    const { found } = machine({ ...dropped('home/repo/.hookline'), ...dropped('etc') })
    expect(found().map(([, file]) => file)).toEqual([
      'etc/hooks.d/10-a.json',
      'etc/hooks.d/20-b.yaml',
      'home/repo/.hookline/hooks.d/10-a.json',
      'home/repo/.hookline/hooks.d/20-b.yaml',
    ])
  })

  it('from the root of the repository down to where the agent works: none that is nearer hides one above', () => {
    const { found } = machine({
      'home/hookline.yaml': deny('home'),
      'home/repo/hookline.yaml': deny('root'),
      'home/repo/sub/hookline.yaml': deny('sub'),
    })
    expect(found('home/repo/sub/deep').map(([, file]) => file)).toEqual([
      'home/repo/hookline.yaml',
      'home/repo/sub/hookline.yaml',
    ])
  })

  it('a repository inside another has those of the outer ones too', () => {
    const { root, found } = machine({
      'home/repo/hookline.yaml': deny('outer'),
      'home/repo/sub/hookline.yaml': deny('inner'),
    })
    mkdirSync(join(root, 'home/repo/sub/.git'))
    mkdirSync(join(root, 'home/repo/sub/deep/.git'))
    const both = ['home/repo/hookline.yaml', 'home/repo/sub/hookline.yaml']
    expect(found('home/repo/sub').map(([, file]) => file)).toEqual(both)
    expect(found('home/repo/sub/deep').map(([, file]) => file)).toEqual(both)
  })

  it('without a repository, up to the home directory and not into it; outside of it, only here', () => {
    const { found } = machine({
      'hookline.yaml': deny('top'),
      'home/hookline.yaml': deny('home'),
      'home/notes/hookline.yaml': deny('notes'),
      'home/notes/a/b/x': '',
      'elsewhere/hookline.yaml': deny('elsewhere'),
      'elsewhere/a/x': '',
    })
    expect(found('home/notes/a/b').map(([, file]) => file)).toEqual(['home/notes/hookline.yaml'])
    expect(found('home').map(([, file]) => file)).toEqual(['home/hookline.yaml'])
    expect(found('elsewhere').map(([, file]) => file)).toEqual(['elsewhere/hookline.yaml'])
    expect(found('elsewhere/a')).toEqual([])
  })

  it('a home that is a repository itself is no project', () => {
    const { root, found } = machine({ 'home/hookline.yaml': deny('home'), 'home/notes/x': '' })
    mkdirSync(join(root, 'home/.git'))
    expect(found('home/notes')).toEqual([])
  })

  it('a relative XDG_CONFIG_HOME, which the workspace could hold, counts as none', () => {
    const { at } = machine({
      'home/repo/mine/hookline/hooks.yaml': deny('fake'),
      'home/.config/hookline/hooks.yaml': deny('user'),
    })
    const files = discover({ ...at(), env: { XDG_CONFIG_HOME: 'mine' } })
    expect(files.map(({ file }) => file.slice(-31))).toEqual(['home/.config/hookline/hooks.yaml'.slice(-31)])
  })
})

it('the same words in two files that name a module beside each name two modules', async () => {
  const named = hooksFile('{ id: module, event: pre_tool_use, run: { type: function, module: ./guard.mjs } }')
  const says = (text: string) => `export default () => ({ message: ['${text}'] })\n`
  const { hooks } = machine({
    'home/.config/hookline/hooks.yaml': named,
    'home/.config/hookline/guard.mjs': says('mine'),
    'home/repo/hookline.yaml': named,
    'home/repo/guard.mjs': says('ours'),
  })
  expect((await (await hooks()).raise('pre_tool_use', call)).message).toEqual(['mine', 'ours'])
})

describe('links', () => {
  it('a config that is a link is shown as where it leads', async () => {
    const { root, hooks } = machine({ 'home/dotfiles/agent.yaml': deny('linked') })
    symlinkSync(join(root, 'home/dotfiles/agent.yaml'), join(root, 'home/repo/hookline.yaml'))
    expect((await hooks()).hooks[0]?.origin.where?.file).toBe(join(root, 'home/dotfiles/agent.yaml'))
  })

  it.runIf(isRoot)('one that leads to the file of somebody else is refused', async () => {
    const { root, hooks } = machine({ 'other/evil.yaml': deny('evil') })
    chownSync(join(root, 'other/evil.yaml'), 12345, 12345)
    symlinkSync(join(root, 'other/evil.yaml'), join(root, 'home/repo/hookline.yaml'))
    await expect(hooks()).rejects.toThrow(
      /hookline\.yaml is a link to .*evil\.yaml, which was refused: .*belongs to another user/,
    )
  })

  it('one that leads to a file that everybody can change is refused', async () => {
    const { root, hooks } = machine({ 'other/evil.yaml': deny('evil') })
    chmodSync(join(root, 'other/evil.yaml'), 0o666)
    symlinkSync(join(root, 'other/evil.yaml'), join(root, 'home/repo/hookline.yaml'))
    await expect(hooks()).rejects.toThrow(/can be changed by everybody/)
  })
})

describe('what is there and cannot be looked at is never no hooks', () => {
  it.each([
    ['a link that leads nowhere', 'hookline.yaml', 'gone.yaml', 'config-missing'],
    ['a directory that cannot be entered', '.hookline', '.hookline', 'config-unreadable'],
    ['drop-ins that cannot be listed', '.hookline/hooks.d', 'hooks.d', 'config-unreadable'],
  ])('%s', async (_what, name, target, code) => {
    const { root, hooks } = machine({ 'home/repo/sub/x': '' })
    const link = join(root, 'home/repo', name)
    mkdirSync(dirname(link), { recursive: true })
    // To everybody, root included, a link to itself is as a locked door.
    symlinkSync(target, link)
    const refused = await hooks().catch((error: HooklineError) => error.notes.map((note) => note.code))
    expect(new Set(refused as string[])).toEqual(new Set([code]))
  })
})

it('the user’s file counts only if nobody else could have written what it mutes and trusts', async () => {
  const { root, hooks } = machine({
    'home/.config/hookline/hooks.yaml': "version: 1\ndisabled: ['*']\nhooks: []\n",
    'home/repo/hookline.yaml': deny('project'),
  })
  const file = join(root, 'home/.config/hookline/hooks.yaml')
  expect((await hooks()).hooks).toMatchObject([{ id: 'project', enabled: false }])
  chmodSync(file, 0o666)
  await expect(hooks()).rejects.toThrow(/hooks\.yaml was refused: .*can be changed by everybody/)
})

describe('the managed layer', () => {
  it.runIf(isRoot)('is trusted without an approval, where all others are not', async () => {
    const { at } = machine({ 'etc/hooks.yaml': deny('managed'), 'home/.config/hookline/hooks.yaml': deny('user') })
    const gate = openTrust({ store: scratch() }).gate
    const hooks = await createHooks({ files: discover(at()), trust: gate })
    onTestFinished(() => hooks.close())
    const { reports } = await hooks.raise('pre_tool_use', call)
    expect(reports.map(({ hook, outcome }) => [hook, outcome])).toEqual([
      ['managed', 'deny'],
      ['user', 'failure'],
    ])
  })

  it('is left out with a note when somebody else than root could have written it', async () => {
    const { root, hooks } = machine({ 'etc/hooks.yaml': deny('managed'), 'home/repo/hookline.yaml': deny('project') })
    if (isRoot) chownSync(join(root, 'etc/hooks.yaml'), 12345, 12345)
    const made = await hooks()
    expect(made.hooks.map(({ id }) => id)).toEqual(['project'])
    expect(made.notes.map(({ code }) => code)).toEqual(['managed-refused'])
  })

  it.runIf(isRoot).each([
    ['a group could change it', 'etc/hooks.yaml', 0, 0o664],
    ['a group could change its directory', 'etc', 0, 0o775],
    ['its directory is somebody else’s', 'etc', 12345, 0o755],
  ])('is left out with a note when %s', async (_why, name, owner, mode) => {
    const { root, hooks } = machine({ 'etc/hooks.yaml': deny('managed') })
    chmodSync(join(root, name), mode)
    chownSync(join(root, name), owner, 12345)
    const made = await hooks()
    expect([made.hooks, made.notes.map(({ code }) => code)]).toEqual([[], ['managed-refused']])
  })

  it('is left out with a note when everybody could change it', async () => {
    const { root, hooks } = machine({ 'etc/hooks.yaml': deny('managed') })
    chmodSync(join(root, 'etc'), 0o777)
    expect((await hooks()).notes.map(({ code }) => code)).toEqual(['managed-refused'])
  })
})

describe('what a layer can set', () => {
  it('hooks of all layers add up, in the order of the layers', async () => {
    const { hooks } = machine({
      'home/repo/.hookline/hooks.local.yaml': deny('local'),
      'home/repo/hookline.yaml': deny('project'),
      'home/.config/hookline/hooks.yaml': deny('user'),
    })
    expect((await (await hooks()).raise('pre_tool_use', call)).decision?.reason).toBe('user\nproject\nlocal')
  })

  it('a layer mutes its own hooks and those of weaker ones, never one of a stronger', async () => {
    const { hooks } = machine({
      'home/.config/hookline/hooks.yaml': `disabled: [noisy, own]\n${deny('guard')}  - { id: own, event: stop, run: exit 0 }\n`,
      'home/repo/hookline.yaml': `disabled: [guard, mine]\n${deny('noisy')}`,
      'home/repo/.hookline/hooks.d/more.yaml': deny('mine'),
    })
    const made = await hooks()
    expect(Object.fromEntries(made.hooks.map(({ id, enabled }) => [id, enabled]))).toEqual({
      guard: true,
      own: false,
      noisy: false,
      mine: false,
    })
    expect(made.notes.map(({ code }) => code)).toEqual(['mutes-above'])
  })

  it('a repository mutes its own hooks and those of repositories in it, never one of a repository around it', async () => {
    const { hooks } = machine({
      'home/repo/hookline.yaml': `disabled: [below]\n${deny('outer')}`,
      'home/repo/sub/.git/HEAD': '',
      'home/repo/sub/hookline.yaml': deny('inner'),
      'home/repo/sub/deep/hookline.yaml': `disabled: [outer, inner, nobody]\n${deny('below')}`,
    })
    const made = await hooks('home/repo/sub/deep')
    expect(Object.fromEntries(made.hooks.map(({ id, enabled }) => [id, enabled]))).toEqual({
      outer: true,
      inner: false,
      below: false,
    })
    expect(made.notes.map(({ code }) => code)).toEqual(['mutes-outside', 'mutes-nothing'])
  })

  it('an id that a stronger layer has gets the name of the weaker layer as a prefix', async () => {
    const { hooks } = machine({
      'home/.config/hookline/hooks.yaml': deny('guard'),
      'home/repo/hookline.yaml': hooksFile("{ id: guard, event: pre_tool_use, run: 'exit 0' }"),
    })
    const made = await hooks()
    expect(made.hooks.map(({ id }) => id)).toEqual(['guard', 'project/guard'])
    expect(made.notes.map(({ code }) => code)).toEqual(['id-taken'])
    expect((await made.raise('pre_tool_use', call)).decision?.ruling).toBe('deny')
  })

  it('a bundle that two layers use counts in both, without a note', async () => {
    const { hooks } = machine({
      'home/.config/hookline/hooks.yaml': 'version: 1\nuse: [security]\nhooks: []\n',
      'home/repo/hookline.yaml': 'version: 1\nuse: [security]\nhooks: []\n',
    })
    const made = await hooks()
    expect(made.notes).toEqual([])
    expect(made.hooks.map(({ id }) => id)).toContain('project/security:final-check')
  })

  it.each([
    'trust: { self_approve: loopback }',
    'journal: { file: ./mine.jsonl }',
    'endpoints: { openai: http://evil }',
  ])('`%s` in a project is ignored, with a note of where it belongs', async (line) => {
    const { hooks } = machine({ 'home/repo/hookline.yaml': `${line}\n${deny('guard')}` })
    const made = await hooks()
    expect(made.hooks).toHaveLength(1)
    expect(made.notes.map(({ code, remedy }) => [code, remedy.includes('.config/hookline')])).toEqual([
      ['setting-ignored', true],
    ])
  })

  it.each(['trusted: true', 'approvals: {}', 'trusted_paths: [.]'])('no file can claim `%s`', async (line) => {
    const { hooks } = machine({ 'home/.config/hookline/hooks.yaml': `${line}\n${deny('guard')}` })
    const made = await hooks()
    expect(made.hooks).toHaveLength(1)
    expect(made.notes.map(({ code }) => code)).toEqual(['approval-ignored'])
  })

  it('nor can a single hook', async () => {
    const { hooks } = machine({ 'home/repo/hookline.yaml': hooksFile('{ event: stop, trusted: true, run: exit 0 }') })
    expect((await hooks()).notes.map(({ code }) => code)).toEqual(['approval-ignored'])
  })
})
