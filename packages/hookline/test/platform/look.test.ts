import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { actionsOf, machineLook } from 'hookline/guards'
import { describe, expect, it } from 'vitest'
import { missing, scratch } from '../support/scratch.ts'

const config = `[remote "origin"]
	url = gh:me/project.git ; a comment
	fetch = +refs/heads/*:refs/remotes/origin/*
[Remote "fork"]
	URL = "https://git.example/x y.git"
	pushurl = ssh://git@push.example/x.git
[branch "topic/one"]
	remote = origin
	merge = refs/heads/main
[alias]
	fp = push \\
--force
[url "git@github.com:"]
	insteadOf = gh:
`

describe('machineLook', () => {
  it('reads what git says of a repository from its files, from any directory below', () => {
    const project = scratch({ '.git/HEAD': 'ref: refs/heads/topic/one\n', '.git/config': config, 'a/b/c.txt': '' })
    const look = machineLook({ home: missing() })
    expect(look.git?.(join(project, 'a/b'))).toMatchObject({
      branch: 'topic/one',
      upstream: 'origin/main',
      remotes: { origin: 'git@github.com:me/project.git', fork: 'https://git.example/x y.git' },
      pushes: { fork: 'ssh://git@push.example/x.git' },
      aliases: { fp: 'push --force' },
    })
    expect(look.git?.(missing())).toBeUndefined()
  })

  it('follows a worktree to the repository it belongs to', () => {
    const main = scratch({ '.git/HEAD': 'ref: refs/heads/main\n', '.git/config': config })
    mkdirSync(join(main, '.git/worktrees/two'), { recursive: true })
    writeFileSync(join(main, '.git/worktrees/two/HEAD'), `${'0'.repeat(40)}\n`)
    writeFileSync(join(main, '.git/worktrees/two/commondir'), '../..\n')
    const tree = scratch({ '.git': `gitdir: ${join(main, '.git/worktrees/two')}\n` })
    const found = machineLook({ home: missing() }).git?.(tree)
    expect(found).toMatchObject({ branch: '', remotes: { origin: 'git@github.com:me/project.git' } })
  })

  it('takes aliases from the home and from what its settings include', () => {
    const home = scratch({ '.gitconfig': '[include]\n\tpath = more\n', more: '[alias]\n\tyolo = !rm -rf .\n' })
    const project = scratch({ '.git/HEAD': 'ref: refs/heads/main\n' })
    expect(machineLook({ home }).git?.(project)?.aliases).toMatchObject({ yolo: '!rm -rf .' })
  })

  it('has bounds: large files, large directories and what is no file are not read', () => {
    const directory = scratch({ small: 'x', large: 'x'.repeat(100), 'd/a': '', 'd/b': '', 'd/c': '' })
    const look = machineLook({ largestFile: 10, mostNames: 2 })
    expect(look.read?.(join(directory, 'small'))).toBe('x')
    expect(look.read?.(join(directory, 'large'))).toBeUndefined()
    expect(look.read?.(directory)).toBeUndefined()
    expect(look.list?.(join(directory, 'd'))).toBeUndefined()
    expect(look.list?.(missing())).toBeUndefined()
  })

  it('sees one state of the machine', () => {
    const directory = scratch({ a: 'before' })
    const look = machineLook()
    expect(look.read?.(join(directory, 'a'))).toBe('before')
    writeFileSync(join(directory, 'a'), 'after')
    expect(look.read?.(join(directory, 'a'))).toBe('before')
    expect(machineLook().read?.(join(directory, 'a'))).toBe('after')
  })

  it('leads actions through real links, also where nothing is yet', () => {
    const directory = scratch({ 'secret/key': '' })
    symlinkSync(join(directory, 'secret'), join(directory, 'door'))
    const look = machineLook()
    const real = look.realpath?.(join(directory, 'secret'))
    const paths = (command: string) =>
      actionsOf({ tool: 'shell', input: { command }, cwd: directory }, look).actions.flatMap((action) =>
        'paths' in action ? action.paths.map(({ parts }) => parts.join('…')) : [],
      )
    expect(paths('cat door/key')).toContain(`${real}/key`)
    expect(paths('touch door/new/x')).toContain(`${real}/new/x`)
    expect(paths('cat door/../secret/key')).toContain(`${real}/key`)
    expect(paths('cat door/"$X"')).toContain(`${real}/…`)
    expect(paths('cat doo*/k*')).toContain(`${real}/key`)
  })
})
