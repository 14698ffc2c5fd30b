import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeToken } from '../../src/trust/index.ts'
import { hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

/** Every file, link and directory of a tree, with what is in it and when it was last written; git only marks objects that it finds as used. */
function picture(directory: string, below = ''): string[] {
  return readdirSync(join(directory, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name)
    const whole = join(directory, path)
    if (entry.isSymbolicLink()) return [`${path} -> ${readlinkSync(whole)}`]
    const { mode, mtimeMs } = statSync(whole)
    if (entry.isDirectory()) return [`${path}/ ${mode}`, ...picture(directory, path)]
    const written = path.startsWith('.git/objects/') ? '' : mtimeMs
    return [`${path} ${mode} ${written} ${readFileSync(whole).toString('base64')}`]
  })
}

interface Doctored {
  ran_in: { in: string; live?: boolean; reason?: string }
  hooks: {
    id: string
    proof: string
    summary: string
    asked: { payload: { cwd: string }; failure: { detail: string } | null }[]
    findings: { code: string; where: string }[]
  }[]
}

async function doctor(cwd: string, args: readonly string[] = ['--trust', 'all'], env: Record<string, string> = {}) {
  const { exit, stdout, stderr } = await hookline(['doctor', '--json', ...args], '', { cwd, env })
  expect(stderr).toBe('')
  const json = JSON.parse(stdout) as Doctored
  return { exit, json, of: (id: string) => json.hooks.find((hook) => hook.id === id)! }
}

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd, encoding: 'utf8' })

function project(hooks: readonly object[], files: Record<string, string> = {}): string {
  return scratch({
    'hookline.yaml': JSON.stringify({ version: 1, hooks }),
    'src/a.js': 'let  a=1\n',
    '.gitignore': 'ignored.log\n',
    'ignored.log': 'old\n',
    ...files,
  })
}

const post = { event: 'post_tool_use' }

describe('hooks leave the project byte for byte as it was', () => {
  const destructive = [
    ['a formatter', 'sed -i.bak s/let/var/ src/*.js'],
    ['what it creates', 'touch new; mkdir -p build/x; echo y > build/x/y'],
    ['what it appends', 'echo x >> ignored.log; echo x >> hookline.yaml'],
    ['what it deletes', 'rm -rf ./* .gitignore'],
    ['what it commits', 'git add -A; git -c user.name=b -c user.email=b@example.com commit -qm x; git tag t'],
    ['what it resets', 'git checkout -q -- . ; git clean -fdxq; git stash -q; git reset -q --hard'],
    ['by the variable of the project', 'touch "$HOOKLINE_PROJECT_DIR/new"; rm -f "$HOOKLINE_PROJECT_DIR/src/a.js"'],
    ['by the directory that the shell says', 'touch "$PWD/new"; sh -c \'cd "$PWD" && rm -f src/a.js\''],
    ['by the payload', `d=$(sed 's/.*"cwd":"\\([^"]*\\)".*/\\1/'); touch "$d/new"`],
    ['through a link', 'echo x >> linked.js; echo x >> linked-absolutely.js'],
    ['its mode', 'chmod 600 src/a.js'],
  ] as const

  it.each(destructive)('%s: %s', async (_what, command) => {
    const cwd = project([{ id: 'it', ...post, run: `${command}; exit 0` }])
    symlinkSync('src/a.js', join(cwd, 'linked.js'))
    symlinkSync(join(cwd, 'src/a.js'), join(cwd, 'linked-absolutely.js'))
    git(cwd, 'init', '-q')
    git(cwd, 'add', '.')
    git(cwd, 'commit', '-qm', 'first')
    writeFileSync(join(cwd, 'src/a.js'), 'let  changed=1\n')
    const before = picture(cwd)
    const { json, of } = await doctor(cwd)
    expect(picture(cwd)).toEqual(before)
    expect(json.ran_in).toMatchObject({ in: 'copy' })
    expect(of('it').asked).toHaveLength(1)
  })

  it('by the path itself, in a module, from a working directory, and in a mount of the sandbox', async () => {
    const cwd = project([], {
      'write.mjs':
        "import { writeFileSync } from 'node:fs'\nexport default () => { writeFileSync('by-module', ''); writeFileSync(new URL('by-url', import.meta.url), '') }\n",
      'here.sh': '#!/bin/sh\ncat >/dev/null\ntouch "$(dirname "$0")/by-script"\n',
    })
    chmodSync(join(cwd, 'here.sh'), 0o755)
    const hooks = [
      { id: 'path', ...post, run: `touch '${cwd}/by-path'` },
      { id: 'script', ...post, run: `'${cwd}/here.sh'` },
      { id: 'variable', ...post, env: { D: cwd }, run: 'touch "$D/by-variable"' },
      { id: 'directory', ...post, working_dir: join(cwd, 'src'), run: 'touch by-directory' },
      { id: 'module', ...post, run: { type: 'function', module: './write.mjs' } },
      {
        id: 'mount',
        ...post,
        run: { type: 'sandbox', command: 'touch /m/by-mount', mounts: [{ source: cwd, target: '/m', mode: 'rw' }] },
      },
    ]
    writeFileSync(join(cwd, 'hookline.yaml'), JSON.stringify({ version: 1, hooks }))
    const before = picture(cwd)
    const { json } = await doctor(cwd)
    expect(json.hooks.map(({ id, proof }) => `${id}: ${proof}`)).toEqual(hooks.map(({ id }) => `${id}: answers`))
    expect(picture(cwd)).toEqual(before)
  })

  it('approved ones too, with the scripts that were approved', async () => {
    const state = scratch()
    mkdirSync(join(state, 'hookline'), { mode: 0o700 })
    const env = { XDG_STATE_HOME: state, HOOKLINE_APPROVE_TOKEN: makeToken(join(state, 'hookline')) }
    const cwd = project([{ id: 'it', event: 'pre_tool_use', run: './hooks/guard.sh' }], {
      'hooks/guard.sh': '#!/bin/sh\necho seen >> "$(dirname "$0")/log"\ntouch ran\nexit 2\n',
      'hooks/log': '',
    })
    chmodSync(join(cwd, 'hooks/guard.sh'), 0o755)
    const approved = await hookline(['approve', 'it', '--yes'], '', { cwd, env })
    expect(approved.exit, approved.stderr).toBe(0)
    const before = picture(cwd)
    const { exit, of } = await doctor(cwd, [], env)
    expect({ exit, proof: of('it').proof }).toEqual({ exit: 0, proof: 'proven' })
    expect(picture(cwd)).toEqual(before)
  })
})

describe('the copy is the project', () => {
  it('from any directory of it, with its scripts, tools, branch and changes', async () => {
    const look = [
      'test "$(git status --porcelain)" = " M src/a.js"',
      'test "$(git symbolic-ref --short HEAD)" = topic',
      'test "$(git log --format=%s)" = first',
      'test -z "$(git remote)"',
      'test -f a.js',
      'test "$(../node_modules/.bin/tool)" = ran',
      'test "$(cat ../ignored.log)" = old',
    ]
    const cwd = project([{ id: 'it', ...post, run: `${look.join(' && ')} || exit 1` }])
    mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true })
    writeFileSync(join(cwd, 'node_modules/.bin/tool'), '#!/bin/sh\necho ran\n', { mode: 0o755 })
    writeFileSync(join(cwd, '.gitignore'), 'node_modules\nignored.log\n')
    git(cwd, 'init', '-q', '-b', 'topic')
    git(cwd, 'add', '.')
    git(cwd, 'commit', '-qm', 'first')
    git(cwd, 'remote', 'add', 'origin', 'https://example.com/x.git')
    writeFileSync(join(cwd, 'src/a.js'), 'changed\n')
    const { of } = await doctor(join(cwd, 'src'))
    expect(of('it').findings).toEqual([])
    expect(of('it').proof).toBe('answers')
  })

  it('and what is reported is of the project: payloads, messages, places', async () => {
    const cwd = project([{ id: 'it', ...post, run: 'pwd >&2; exit 7' }])
    const { of } = await doctor(cwd)
    expect(of('it').asked[0]).toMatchObject({ payload: { cwd }, failure: { detail: expect.stringContaining(cwd) } })
    expect(of('it').findings[0]!.where).toMatch(/^hookline\.yaml:/)
    expect(JSON.stringify(of('it'))).not.toContain('hookline-dry-')
  })
})

it('a project that is too big to copy is left alone: its hooks are only checked, and it says so', async () => {
  const cwd = project([
    { id: 'writes', ...post, run: 'touch ran' },
    { id: 'ours', event: 'pre_tool_use', run: { type: 'builtin', name: 'security' } },
  ])
  execFileSync('truncate', ['-s', '300M', join(cwd, 'big.bin')])
  const { json, of } = await doctor(cwd)
  expect(json.ran_in).toMatchObject({ in: 'nowhere', reason: expect.stringContaining('256 MiB') })
  expect(of('writes')).toMatchObject({ proof: 'unproven', asked: [], summary: expect.stringContaining('--live') })
  expect(of('ours').proof).toBe('proven')
  expect(existsSync(join(cwd, 'ran'))).toBe(false)
  const { stdout } = await hookline(['doctor', '--trust', 'all'], '', { cwd })
  expect(stdout).toMatch(/not copied, because it is larger than 256 MiB.*hookline doctor --live/)
})

it('with --live they run in the project itself; either way it says which', async () => {
  const cwd = project([{ id: 'it', ...post, run: 'touch ran' }])
  expect((await hookline(['doctor', '--trust', 'all'], '', { cwd })).stdout).toContain(`Hooks ran in a copy of ${cwd}`)
  expect(existsSync(join(cwd, 'ran'))).toBe(false)
  const { stdout } = await hookline(['doctor', '--trust', 'all', '--live'], '', { cwd })
  expect(stdout).toContain('Hooks ran in the project itself (--live)')
  expect(existsSync(join(cwd, 'ran'))).toBe(true)
})
