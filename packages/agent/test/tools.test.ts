import { readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratch } from '../../hookline/test/support/scratch.ts'
import { bench } from './tools-support.ts'

describe('toolsets of an agent file', () => {
  it('an unsupported toolset is a warning, and the others work', async () => {
    const { names, notes } = await bench(['shel', 'rag', 'think', 'user_prompt', 'background_agents'])
    expect(names()).toEqual(['think'])
    expect(notes.map(({ message }) => message)).toEqual([
      'The toolset `shel` is not supported, so its tools were left out. Did you mean `shell`?',
      'The toolset `rag` is not supported, so its tools were left out.',
    ])
  })

  it('an unknown option is ignored with a note, an invalid value closes the toolset', async () => {
    const { names, notes } = await bench([
      { type: 'think', toon: '.*' },
      { type: 'fetch', timeout: 'soon' },
    ])
    expect(names()).toEqual(['think'])
    expect(notes.map(({ code }) => code)).toEqual(['toolset-option-ignored', 'toolset-failed'])
    expect(notes[1]?.message).toMatch(/`timeout` must be/)
  })

  it('`tools` picks some, and of two with one name the first counts', async () => {
    const { names, notes } = await bench([{ type: 'filesystem', tools: ['read_file'] }, 'file'])
    expect(names()).toEqual(['read_file', 'write_file', 'edit_file'])
    expect(notes).toMatchObject([{ code: 'tool-name-taken' }])
  })

  it('one that is there stays there when a deferred one of the same name is looked for', async () => {
    const { names, call } = await bench(['filesystem', { type: 'file', defer: true }])
    const before = names()
    await call('search_tool', { query: 'read' })
    expect(names()).toEqual(before)
  })

  it('deferred ones are there once they were looked for and loaded', async () => {
    const { names, call } = await bench([
      'think',
      { type: 'todo', defer: true },
      { type: 'file', defer: ['edit_file'] },
    ])
    const loaded = ['think', 'read_file', 'write_file', 'search_tool', 'add_tool']
    expect(names()).toEqual(loaded)
    expect((await call('search_tool', { query: 'crtodos' })).content).toMatch(/^create_todos: /m)
    expect((await call('search_tool', { query: 'editfile' })).content).toMatch(/^edit_file: /m)
    expect(names()).toEqual(loaded)
    expect((await call('add_tool', { name: 'no_such' })).error).toBe(true)
    await call('add_tool', { name: 'list_todos' })
    await call('add_tool', { name: 'edit_file' })
    expect(names()).toEqual(expect.arrayContaining([...loaded, 'list_todos', 'edit_file']))
    expect(names()).toHaveLength(loaded.length + 2)
  })

  it('what docker-agent lists for them is there', async () => {
    const { names } = await bench(['filesystem', 'shell', 'think', 'todo', 'memory', 'fetch'])
    expect(names()).toEqual(
      expect.arrayContaining([
        ...['read_file', 'read_multiple_files', 'write_file', 'edit_file', 'list_directory', 'directory_tree'],
        ...['create_directory', 'remove_directory', 'search_files_content', 'search_files'],
        ...['shell', 'run_background_job', 'list_background_jobs', 'view_background_job', 'stop_background_job'],
        ...['think', 'create_todo', 'create_todos', 'update_todos', 'list_todos', 'fetch'],
        ...['add_memory', 'get_memories', 'search_memories', 'update_memory', 'delete_memory'],
      ]),
    )
  })
})

describe('todo', () => {
  it('keeps a list', async () => {
    const { call } = await bench(['todo'])
    await call('create_todos', { descriptions: ['read', 'write'] })
    expect((await call('create_todo', { description: 'test' })).content).toMatch(/todo_3: test/)
    const updates = [
      { id: 'todo_1', status: 'completed' },
      { id: 'todo_2', status: 'in-progress' },
    ]
    await call('update_todos', { updates })
    expect((await call('list_todos', {})).content).toBe('[x] todo_1: read\n[~] todo_2: write\n[ ] todo_3: test')
    const wrong = await call('update_todos', {
      updates: [
        { id: 'todo_1', status: 'pending' },
        { id: 'x', status: 'pending' },
      ],
    })
    expect(wrong).toMatchObject({
      error: true,
      content: expect.stringMatching(/There is no x\. Nothing was changed\.\n\[x\]/),
    })
  })

  it('agents share one list when they say so', async () => {
    const session = {}
    const shared = { type: 'todo', shared: true }
    const [one, other, alone] = [
      await bench([shared], {}, { session }),
      await bench([shared], {}, { session }),
      await bench(['todo'], {}, { session }),
    ]
    await one.call('create_todo', { description: 'ours' })
    expect((await other.call('list_todos', {})).content).toMatch(/ours/)
    expect((await alone.call('list_todos', {})).content).toBe('The list is empty.')
  })
})

describe('memory', () => {
  it('in the workspace stays in it, wherever a link of the workspace leads', async () => {
    const outside = scratch()
    const { cwd, call } = await bench([{ type: 'memory', path: 'kept/notes.db' }])
    symlinkSync(outside, join(cwd, 'kept'))
    expect(await call('add_memory', { content: 'x' })).toMatchObject({ error: true })
    expect(await call('get_memories', {})).toMatchObject({ error: true })
    expect(readdirSync(outside)).toEqual([])
    rmSync(join(cwd, 'kept'))
    expect((await call('add_memory', { content: 'x' })).error).toBeUndefined()
    expect(readdirSync(join(cwd, 'kept'))).toEqual(['notes.json'])
  })

  it('lasts beyond the session', async () => {
    const dataDir = scratch()
    const first = await bench(['memory'], {}, { dataDir })
    const added = await first.call('add_memory', { memory: 'Likes tabs', category: 'preference' })
    const id = /as (\w+)\./.exec(added.content)?.[1] ?? ''
    await Promise.all(Array.from({ length: 10 }, (_, at) => first.call('add_memory', { content: `fact ${at}` })))
    const later = await bench(['memory'], {}, { dataDir })
    expect((await later.call('get_memories', {})).content.split('\n')).toHaveLength(11)
    expect((await later.call('search_memories', { query: 'TABS likes' })).content).toBe(
      `${id} (preference): Likes tabs`,
    )
    await later.call('update_memory', { id, content: 'Likes spaces' })
    expect((await later.call('search_memories', { category: 'preference' })).content).toMatch(/spaces/)
    await later.call('delete_memory', { id })
    expect(await later.call('delete_memory', { id })).toMatchObject({ error: true })
    expect(JSON.parse(readFileSync(join(dataDir, 'memory/root.json'), 'utf8'))).toHaveLength(10)
  })
})
