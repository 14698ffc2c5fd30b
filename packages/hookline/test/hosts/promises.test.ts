import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { HooklineError } from '../../src/core/index.ts'
import { type Ground, type Host, loadHost, type Scope, triedHosts, type WantedFile } from '../../src/hosts/index.ts'
import { installationOf, installHost, statusOf, uninstallHost } from '../../src/install/index.ts'
import { scratch } from '../support/scratch.ts'

/**
 * What installing promises about files of others, for every agent that was run for real, for a person and for a project. The engine is not
 * copied here: that is the business of `cli/hosts.test.ts`.
 */
const hosts = await Promise.all(triedHosts.map(async (name) => (await loadHost(name))!))
const scopes: Scope[] = ['user', 'project']
const anywhere: Ground = { home: '/h', project: '/p', env: {} }
const ours = { entry: '/d/bin/hookline-hook', mark: '/d/marks/x.json' }
const everyCase = hosts.flatMap((host) =>
  scopes.filter((scope) => host.setup.files(scope, anywhere, ours)).map((scope) => ({ name: host.name, host, scope })),
)
const withShared = everyCase.filter(({ host, scope }) => sharedIn(host, scope, anywhere))

let ground: Ground
beforeEach(() => {
  const root = scratch({
    'home/.profile': '# mine\n',
    'project/README.md': '# Mine\n',
    'data/hookline/bin/hookline-hook': '',
  })
  chmodSync(join(root, 'data/hookline/bin/hookline-hook'), 0o755)
  ground = { home: join(root, 'home'), project: join(root, 'project'), env: {} }
  vi.stubEnv('XDG_STATE_HOME', join(root, 'state'))
  vi.stubEnv('XDG_DATA_HOME', join(root, 'data'))
  vi.stubEnv('HOOKLINE_DATA_DIR', '')
})

const install = (host: Host, scope: Scope) => installHost(host, scope, ground, () => installationOf(scope))
const uninstall = (host: Host, scope: Scope) => uninstallHost(host, scope, ground)
const filesOf = (host: Host, scope: Scope): readonly WantedFile[] => host.setup.files(scope, ground, ours)!
function sharedIn(host: Host, scope: Scope, at: Ground) {
  return host.setup.files(scope, at, ours)?.find((file) => file.kind === 'shared')
}

/** Every directory, link and file, with its mode and its bytes. */
function tree(): string[] {
  return [ground.home, ground.project].flatMap((root) =>
    (readdirSync(root, { recursive: true }) as string[]).sort().map((name) => {
      const path = join(root, name)
      const { mode } = lstatSync(path)
      const is = lstatSync(path)
      const content = is.isSymbolicLink() ? readlinkSync(path) : is.isFile() ? readFileSync(path, 'latin1') : ''
      return `${path} ${mode.toString(8)} ${content}`
    }),
  )
}

function put(path: string, text: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

describe.each(everyCase)('$name, $scope', ({ host, scope }) => {
  it('installing twice changes nothing, and uninstalling leaves nothing', () => {
    const before = tree()
    install(host, scope)
    const once = tree()
    expect(once).not.toEqual(before)
    expect(install(host, scope).every(({ did }) => did === 'kept')).toBe(true)
    expect(tree()).toEqual(once)
    uninstall(host, scope)
    expect(tree()).toEqual(before)
    expect(statusOf(host, ground)).toMatchObject({ installed: false, status: 'not-installed' })
  })

  it('what others have beside ours stays, and directories that were there', () => {
    for (const file of filesOf(host, scope)) put(join(dirname(file.path), 'of-others.txt'), 'mine\r\n', 0o600)
    const before = tree()
    install(host, scope)
    uninstall(host, scope)
    expect(tree()).toEqual(before)
  })

  it('nothing is written when a file of ours is taken or cannot be read', () => {
    for (const file of filesOf(host, scope)) {
      put(file.path, '{ "mine": ')
      const before = tree()
      expect(() => install(host, scope)).toThrow(HooklineError)
      expect(tree()).toEqual(before)
      rmSync(file.path)
    }
  })

  it('status notices when a file is damaged later', () => {
    install(host, scope)
    expect(statusOf(host, ground).status).toMatch(/^(?:installed|untrusted)$/)
    for (const file of filesOf(host, scope)) {
      const good = readFileSync(file.path, 'utf8')
      writeFileSync(file.path, `${good.slice(0, -20)}//`)
      const { status, installed, problems } = statusOf(host, ground)
      expect([status, installed]).toEqual([file.path.endsWith('.json') ? 'unreadable' : 'outdated', false])
      expect(problems.length).toBeGreaterThan(0)
      writeFileSync(file.path, good)
    }
    expect(statusOf(host, ground).status).toMatch(/^(?:installed|untrusted)$/)
  })
})

describe.each(withShared)('$name, $scope: a file that others write too', ({ host, scope }) => {
  const file = () => sharedIn(host, scope, ground) as Extract<WantedFile, { kind: 'shared' }>
  const event = () => file().entries[0]!.path.at(-1)!
  const mine = () =>
    `{\n\t"z": "é",\n    "hooks": { "${event()}": [ { "hooks": [ { "type": "command", "command": "mine" } ] } ], "other": [] },\n  "a": [1,  2]\n}`

  it.each<[string, (text: string) => string]>([
    ['as it is', (text) => text],
    ['with an end of the last line', (text) => `${text}\n`],
    ['with line ends of Windows', (text) => text.replaceAll('\n', '\r\n')],
    ['on one line', (text) => text.replaceAll('\n', ' ')],
    ['with a byte-order mark', (text) => `\uFEFF${text}`],
    ['with comments', (text) => `// first\n${text.replace('"z"', '/* in */ "z"')}\n// last`],
    ['empty', () => '{}'],
  ])('%s, and edited elsewhere since: own hooks stay, and uninstalling gives back the bytes', (_how, made) => {
    const text = made(mine())
    const { path, format } = file()
    const isRead = (format.byteOrderMark || !text.startsWith('\uFEFF')) && (format.comments || !text.includes('//'))
    put(path, text, 0o640)
    if (!isRead) {
      expect(() => install(host, scope)).toThrow(HooklineError)
      expect(readFileSync(path, 'utf8')).toBe(text)
      return
    }
    install(host, scope)
    const installed = readFileSync(path, 'utf8')
    if (text !== '{}') expect(installed).toMatch(/"command": "mine"[\s\S]*hookline-hook/)
    if (text.includes('\r\n')) expect(installed.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    uninstall(host, scope)
    expect(readFileSync(path, 'utf8')).toBe(text)
    install(host, scope)
    const edit = (given: string) => given.replace('"z": "é"', '"z": "changed", "more": {}').replace('[1,  2]', '[ ]')
    writeFileSync(path, edit(readFileSync(path, 'utf8')))
    uninstall(host, scope)
    expect(readFileSync(path, 'utf8')).toBe(edit(text))
    expect(lstatSync(path).mode & 0o777).toBe(0o640)
  })

  it('a link stays a link', () => {
    const { path } = file()
    const real = join(ground.home, 'dotfiles', 'real.json')
    put(real, mine(), 0o600)
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(real, path)
    const before = tree()
    install(host, scope)
    expect([readlinkSync(path), lstatSync(real).mode & 0o777]).toEqual([real, 0o600])
    uninstall(host, scope)
    expect(tree()).toEqual(before)
  })
})
