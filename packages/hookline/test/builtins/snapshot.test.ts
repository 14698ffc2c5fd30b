import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Snapshots } from '../../src/builtins/snapshot/index.ts'
import type { EventName } from '../../src/core/index.ts'
import { createBuiltinExecutor } from '../../src/executors/builtin.ts'
import { openSessionSnapshots } from '../../src/executors/snapshots.ts'
import { makeCall } from '../support/call.ts'
import { makeWorld, type RealWorld } from '../support/world.ts'

let world: RealWorld
afterEach(() => world.remove())

const start = { files: { 'a.txt': 'a1', 'dir/b.txt': 'b1', '.gitignore': 'ignored/\n*.log\n' }, commits: ['first'] }
const text = (path: string) => readFileSync(join(world.cwd, path), 'utf8')
const gone = (path: string) => !existsSync(join(world.cwd, path))

/** As the agent or a command line would. */
async function snapshots<T>(work: (snapshots: Snapshots) => Promise<T>, cwd = world.cwd): Promise<T> {
  const opened = await openSessionSnapshots({ cwd, session: 's1', dataDir: world.dataDir })
  if (!opened) throw new Error('there is no repository')
  return work(opened)
}

async function raise(event: EventName, more: Record<string, unknown> = {}, cwd = world.cwd) {
  const executor = createBuiltinExecutor({ dataDir: world.dataDir })
  const payload = { session_id: 's1', cwd, tool_name: 'edit', tool_input: {}, ...more }
  const reply = await executor.run(
    { name: 'snapshot' },
    makeCall({ type: 'builtin' }, { event, payload, timeoutMs: 20_000 }),
  )
  expect(reply).toEqual({ kind: 'opinion', opinion: undefined })
}

async function turn(work: () => void) {
  await raise('turn_start')
  work()
  await raise('turn_end')
}

describe('snapshot', () => {
  beforeEach(() => {
    world = makeWorld(start)
  })

  test('a turn is undone: what was changed, made and deleted is as before', async () => {
    await turn(() => {
      world.write({ 'a.txt': 'a2', 'new/c.txt': 'c1' })
      rmSync(join(world.cwd, 'dir/b.txt'))
    })
    expect(await snapshots((each) => each.list())).toMatchObject([
      { files: ['a.txt', 'dir/b.txt', 'new/c.txt'], by: 'turn' },
    ])
    expect(await snapshots((each) => each.undo())).toEqual(['a.txt', 'dir/b.txt', 'new/c.txt'])
    expect([text('a.txt'), text('dir/b.txt'), gone('new/c.txt')]).toEqual(['a1', 'b1', true])
    expect(await snapshots((each) => each.list())).toEqual([])
    expect(await snapshots((each) => each.undo())).toEqual([])
  })

  test('a turn that changes nothing leaves no checkpoint', async () => {
    await turn(() => world.write({ 'a.txt': 'a2' }))
    await turn(() => {})
    expect(await snapshots((each) => each.list())).toHaveLength(1)
  })

  test('reset goes back to the oldest state of each file', async () => {
    await turn(() => world.write({ 'a.txt': 'a2' }))
    await turn(() => world.write({ 'a.txt': 'a3', 'dir/b.txt': 'b2' }))
    await turn(() => world.write({ 'a.txt': 'a4' }))
    await snapshots((each) => each.reset(1))
    expect([text('a.txt'), text('dir/b.txt')]).toEqual(['a2', 'b1'])
    await snapshots((each) => each.reset(0))
    expect(text('a.txt')).toBe('a1')
  })

  test('a tool call is undone by its id, whatever runs beside it', async () => {
    await raise('pre_tool_use', { tool_use_id: 'one' })
    await raise('pre_tool_use', { tool_use_id: 'two' })
    world.write({ 'a.txt': 'a2' })
    await raise('post_tool_use', { tool_use_id: 'one' })
    expect(await snapshots((each) => each.list())).toMatchObject([{ by: 'one', files: ['a.txt'] }])
  })

  test('the user’s repository is only read', async () => {
    const state = () => [world.git('rev-parse', 'HEAD'), world.git('status', '--porcelain'), world.git('count-objects')]
    world.git('status')
    const before = state()
    await raise('session_start')
    await turn(() => world.write({ 'a.txt': 'a2' }))
    await snapshots((each) => each.undo())
    await raise('session_end')
    expect(state()).toEqual(before)
  })

  test('ignored files and large new files are neither kept nor touched', async () => {
    writeFileSync(join(world.cwd, '.git/info/exclude'), 'private.txt\n')
    await turn(() => {
      world.write({
        'ignored/x.txt': '1',
        'debug.log': '1',
        'private.txt': '1',
        'big.bin': 'x'.repeat(2 * 1024 * 1024 + 1),
        'a.txt': 'a2',
      })
    })
    expect(await snapshots((each) => each.list())).toMatchObject([{ files: ['a.txt'] }])
    await snapshots((each) => each.undo())
    expect([gone('ignored/x.txt'), gone('private.txt'), gone('big.bin'), text('a.txt')]).toEqual([
      false,
      false,
      false,
      'a1',
    ])
  })

  test('a known file may grow beyond the limit and still comes back', async () => {
    await turn(() => world.write({ 'a.txt': 'x'.repeat(3 * 1024 * 1024) }))
    await snapshots((each) => each.undo())
    expect(text('a.txt')).toBe('a1')
  })

  test('a large file that the repository tracks comes back, also when it was large before', async () => {
    const large = 'x'.repeat(3 * 1024 * 1024)
    world.write({ 'data.csv': large })
    world.git('add', 'data.csv')
    await turn(() => world.write({ 'data.csv': 'gone' }))
    expect(await snapshots((each) => each.undo())).toEqual(['data.csv'])
    expect(text('data.csv')).toBe(large)
  })

  test('bytes come back as they were, whatever line endings and filters the repository asks for', async () => {
    world.write({ '.gitattributes': '* text=auto eol=crlf\n*.bin filter=upper\n' })
    const odd = 'one\r\ntwo\nthree\r\n'
    world.write({ 'odd.bin': odd, 'strange name*?.txt': odd })
    await turn(() => world.write({ 'odd.bin': 'changed', 'strange name*?.txt': 'changed' }))
    await snapshots((each) => each.undo())
    expect([text('odd.bin'), text('strange name*?.txt')]).toEqual([odd, odd])
  })

  test('from a folder inside the repository, only that folder is looked at', async () => {
    const cwd = join(world.cwd, 'dir')
    await raise('turn_start', {}, cwd)
    world.write({ 'dir/b.txt': 'b2', 'a.txt': 'a2' })
    await raise('turn_end', {}, cwd)
    expect(await snapshots((each) => each.list(), cwd)).toMatchObject([{ files: ['dir/b.txt'] }])
    await snapshots((each) => each.undo(), cwd)
    expect([text('dir/b.txt'), text('a.txt')]).toEqual(['b1', 'a2'])
  })

  test('undo does not follow a link out of the working tree', async () => {
    const outside = join(world.home, 'precious')
    mkdirSync(outside)
    writeFileSync(join(outside, 'c.txt'), 'precious')
    await turn(() => world.write({ 'new/c.txt': 'c1' }))
    rmSync(join(world.cwd, 'new'), { recursive: true })
    symlinkSync(outside, join(world.cwd, 'new'))
    await snapshots((each) => each.undo())
    expect(readFileSync(join(outside, 'c.txt'), 'utf8')).toBe('precious')
  })

  test('outside a repository there is nothing to open', async () => {
    await expect(snapshots((each) => each.list(), world.home)).rejects.toThrow('there is no repository')
  })
})
