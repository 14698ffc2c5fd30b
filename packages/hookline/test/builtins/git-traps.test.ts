import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { copyProject } from '../../src/cli/doctor/project-copy.ts'
import { inSurroundings } from '../../src/platform/index.ts'
import { keptFiles, machineLook } from '../../src/platform/look/index.ts'
import { askBuiltin } from '../support/ask-builtin.ts'
import { makeWorld, type RealWorld } from '../support/world.ts'

let world: RealWorld
afterEach(() => world.remove())

/** Every builtin that calls git, and the events it does so on. */
const callers: [string, 'turn_start' | 'session_start' | 'stop' | 'pre_tool_use', unknown?][] = [
  ['add_git_status', 'turn_start'],
  ['add_git_diff', 'turn_start'],
  ['add_git_diff', 'turn_start', { full: true }],
  ['add_recent_commits', 'session_start'],
  ['add_environment_info', 'turn_start'],
  ['require_tests_on_stop', 'session_start', ['true']],
  ['snapshot', 'session_start'],
  ['snapshot', 'turn_start'],
]

const callAll = async () => {
  for (const [name, event, args] of callers) await askBuiltin(name, event, { session_id: 's' }, args, world)
  const env = { ...process.env, PATH: `.:${world.cwd}:${process.env['PATH']}` }
  await inSurroundings({ env, cwd: world.cwd, umask: 0o022 }, lookAround)
}

/** What rules, stakes and `doctor` see of a repository comes from git too. */
async function lookAround() {
  expect(machineLook({ home: world.home }).git?.(world.cwd)?.dirty).toBe(true)
  expect((await keptFiles({ workspace: world.cwd })([world.cwd])).get(world.cwd)).toMatchObject({ repository: true })
  expect(copyProject(world.cwd, [], world.home)).toMatchObject({ ok: true })
}

/** Each arms one trap; what it runs leaves a file behind. */
const traps: Record<string, (spring: string) => void> = {
  'a file system monitor': (spring) => world.git('config', 'core.fsmonitor', spring),
  'a clean filter': (spring) => filter('clean', spring),
  'a smudge filter': (spring) => filter('smudge', spring),
  'a filter process': (spring) => filter('process', spring),
  'a filter that is required': (spring) => {
    filter('clean', spring)
    world.git('config', 'filter.trap.required', 'true')
  },
  'a filter whose name holds an equals sign': (spring) => {
    world.git('config', 'filter.a=b.clean', spring)
    writeFileSync(join(world.cwd, '.gitattributes'), '* filter=a=b\n')
  },
  'an external diff': (spring) => world.git('config', 'diff.external', spring),
  'a diff driver': (spring) => {
    world.git('config', 'diff.trap.command', spring)
    writeFileSync(join(world.cwd, '.gitattributes'), '* diff=trap\n')
  },
  'a text conversion': (spring) => {
    world.git('config', 'diff.trap.textconv', spring)
    writeFileSync(join(world.cwd, '.gitattributes'), '* diff=trap\n')
  },
  'attributes of the repository alone': (spring) => {
    world.git('config', 'filter.trap.clean', spring)
    writeFileSync(join(world.cwd, '.git', 'info', 'attributes'), '* filter=trap\n')
  },
  'a pager': (spring) => {
    world.git('config', 'core.pager', spring)
    world.git('config', 'pager.status', spring)
  },
  'a credential helper': (spring) => world.git('config', 'credential.helper', spring),
  'a signature check': (spring) => {
    world.git('config', 'log.showSignature', 'true')
    world.git('config', 'gpg.program', spring)
  },
  'every hook': (spring) => {
    for (const name of [
      'post-index-change',
      'pre-commit',
      'post-checkout',
      'fsmonitor-watchman',
      'reference-transaction',
    ])
      writeFileSync(join(world.cwd, '.git', 'hooks', name), `#!/bin/sh\n${spring}\n`, { mode: 0o755 })
    world.git('config', 'core.hooksPath', join(world.cwd, '.git', 'hooks'))
  },
  'the monitor of a repository inside': (spring) => {
    const inner = join(world.cwd, 'inner')
    mkdirSync(inner)
    world.git('-C', inner, 'init', '-q')
    world.git('-C', inner, 'commit', '-q', '--allow-empty', '-m', 'inner')
    world.git('add', 'inner')
    world.git('-C', inner, 'config', 'core.fsmonitor', spring)
  },
  'a git of its own': (spring) => {
    writeFileSync(join(world.cwd, 'git'), `#!/bin/sh\n${spring}\n`, { mode: 0o755 })
  },
}

const filter = (kind: string, spring: string) => {
  world.git('config', `filter.trap.${kind}`, spring)
  writeFileSync(join(world.cwd, '.gitattributes'), '* filter=trap\n')
}

describe('nothing of ours ever runs a program that the repository names', () => {
  test.each(Object.keys(traps))('%s', async (name) => {
    world = makeWorld({
      files: { 'a.txt': '1\n' },
      commits: ['one'],
      edits: { 'a.txt': '2\n', 'new.txt': 'n\n' },
      env: { PATH: `.:${process.env.PATH}` },
    })
    const proof = join(world.home, 'sprung')
    traps[name]?.(`touch ${proof}; cat`)
    // Written again, so that git has to look into it.
    writeFileSync(join(world.cwd, 'a.txt'), '3\n')
    await callAll()
    expect(existsSync(proof)).toBe(false)
  })

  test('and still says what it sees', async () => {
    world = makeWorld({ files: { 'a.txt': '1\n' }, commits: ['one'], edits: { 'a.txt': '2\n' } })
    filter('clean', 'false')
    const status = await askBuiltin('add_git_status', 'turn_start', {}, undefined, world)
    expect(status?.context?.[0]).toContain(' M a.txt')
    const diff = await askBuiltin('add_git_diff', 'turn_start', {}, { full: true }, world)
    expect(diff?.context?.[0]).toContain('+2')
  })
})
