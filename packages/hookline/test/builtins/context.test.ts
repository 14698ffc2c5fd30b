import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { askBuiltin } from '../support/ask-builtin.ts'
import { makeWorld, type RealWorld } from '../support/world.ts'

let world: RealWorld
afterEach(() => world.remove())

const contextOf = async (name: string, args?: unknown, payload: Record<string, unknown> = {}) =>
  (await askBuiltin(name, 'turn_start', payload, args, world))?.context?.[0]

describe('context from git', () => {
  test('the latest commits come first, as many as wanted', async () => {
    world = makeWorld({ commits: ['one', 'two', 'three'] })
    expect(await contextOf('add_recent_commits', ['2'])).toMatch(/^Recent commits:\n\n[0-9a-f]+ three\n[0-9a-f]+ two$/)
    expect((await contextOf('add_recent_commits'))?.split('\n')).toHaveLength(5)
  })

  test('a long diff is cut at 4 KiB, never inside a character', async () => {
    world = makeWorld({ files: { 'a.txt': '' }, commits: ['one'], edits: { 'a.txt': '€\n'.repeat(4_000) } })
    const context = (await contextOf('add_git_diff', { full: true })) ?? ''
    const [, , body = ''] = /^(Current working-tree diff:)\n\n([\s\S]*)$/.exec(context) ?? []
    expect(body.endsWith('\n... (truncated)')).toBe(true)
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(4_096 + Buffer.byteLength('\n... (truncated)'))
    expect(body).not.toContain('\uFFFD')
  })

  test('programs that a repository names in its config are not run', async () => {
    world = makeWorld({ files: { 'a.txt': '1\n' }, commits: ['one'], edits: { 'a.txt': '2\n' } })
    for (const [key, value] of [
      ['core.fsmonitor', 'touch pwned'],
      ['diff.external', 'touch pwned; true'],
      ['core.pager', 'touch pwned'],
    ])
      world.git('config', key as string, value as string)
    for (const name of ['add_git_status', 'add_git_diff', 'add_recent_commits']) await contextOf(name)
    await contextOf('add_git_diff', { full: true })
    expect(world.git('-c', 'core.fsmonitor=false', 'status', '--short')).not.toContain('pwned')
  })

  test('a worktree, whose .git is a file, is a repository too', async () => {
    world = makeWorld({ commits: ['one'] })
    const tree = join(world.home, 'tree')
    world.git('worktree', 'add', '-q', tree)
    expect(await contextOf('add_environment_info', undefined, { cwd: tree })).toContain('Is directory a git repo: Yes')
    expect(await contextOf('add_environment_info', undefined, { cwd: world.home })).toContain(
      'Is directory a git repo: No',
    )
  })
})

describe('context from files', () => {
  test('of more than a hundred entries, the rest is counted', async () => {
    world = makeWorld({ files: Object.fromEntries(Array.from({ length: 103 }, (_, index) => [`f${index}`, ''])) })
    const lines = (await contextOf('add_directory_listing'))?.split('\n') ?? []
    expect(lines.filter((line) => line.startsWith('- '))).toHaveLength(100)
    expect(lines.at(-1)).toBe('... and 3 more')
  })

  test('the nearest prompt file upwards is taken, once', async () => {
    world = makeWorld({ files: { 'GUIDE.md': 'outer', 'a/GUIDE.md': 'inner', 'a/b/c.txt': '' } })
    const cwd = join(world.cwd, 'a', 'b')
    const opinion = await askBuiltin('add_prompt_files', 'turn_start', { cwd }, ['GUIDE.md', './GUIDE.md'], world)
    expect(opinion?.context).toEqual([`Instructions from: ${join(world.cwd, 'a/GUIDE.md')}\ninner`])
  })

  test('a field that the event does not have is a failure, not a hollow text', async () => {
    world = makeWorld()
    const run = askBuiltin('add_context', 'turn_start', {}, ['Hello {{ tool_name }}'], world)
    await expect(run).rejects.toMatchObject({
      kind: 'spawn',
      message: expect.stringContaining('turn_start does not have'),
    })
  })
})
