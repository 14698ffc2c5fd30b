import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findCycles, readImports, roomOf } from '../../hookline/test/support/imports.ts'

/** Each room, the rooms it may enter, and whether it knows of hooks. The rest knows only that an event gets a verdict. */
const rooms: Record<string, { enters: string[]; hooks: boolean }> = {
  core: { enters: [], hooks: false },
  models: { enters: ['core'], hooks: false },
  outbound: { enters: ['core'], hooks: false },
  permissions: { enters: ['core'], hooks: false },
  sessions: { enters: ['core'], hooks: false },
  tools: { enters: ['core'], hooks: false },
  team: { enters: ['core', 'models', 'tools'], hooks: false },
  loop: { enters: ['core', 'models', 'permissions', 'sessions', 'tools'], hooks: false },
  trust: { enters: ['core', 'team', 'tools'], hooks: true },
  terminal: {
    enters: ['core', 'loop', 'models', 'outbound', 'permissions', 'sessions', 'team', 'tools', 'trust'],
    hooks: true,
  },
  commands: { enters: ['models', 'permissions', 'sessions', 'terminal', 'trust'], hooks: true },
  // The entries of the package: index.ts (the library), commands.ts, judge.ts.
  '': {
    enters: ['commands', 'core', 'loop', 'models', 'outbound', 'permissions', 'sessions', 'team', 'terminal', 'tools'],
    hooks: false,
  },
}

/** The rooms of hookline that know what a hook is. The files beside its rooms (room '') put them together. */
const roomsOfHooks = ['', 'hooks', 'builtins', 'cli', 'daemon', 'dialects', 'engine', 'hosts', 'journal', 'trust']

const imports = readImports(resolve(import.meta.dirname, '../src'))
const files = [...imports.keys()]
const internal = readImports(resolve(import.meta.dirname, '../../hookline/src')).get('internal.ts') ?? []
const aboutHooks = new Set(
  internal.flatMap(({ file = '', names }) => (roomsOfHooks.includes(roomOf(file)) ? names : [])),
)

describe('rooms of the agent', () => {
  it.each(files)('%s enters only the rooms it may, each through its index', (file) => {
    const room = roomOf(file)
    for (const { specifier, file: target } of imports.get(file)!) {
      if (target === undefined || roomOf(target) === room) continue
      expect(rooms[room]?.enters, `${file} imports ${specifier}`).toContain(roomOf(target))
      expect(target, `${file} imports ${specifier}`).toBe(`${roomOf(target)}/index.ts`)
    }
  })

  it.each(files.filter((file) => !rooms[roomOf(file)]?.hooks))('%s knows nothing of hooks', (file) => {
    const used = imports.get(file)!.filter(({ specifier }) => specifier === 'hookline/internal')
    expect(used.flatMap(({ names }) => names).filter((name) => name === '*' || aboutHooks.has(name))).toEqual([])
  })

  it('has no cycle of imports, types included', () => {
    expect(findCycles(imports)).toEqual([])
  })

  it('has rules for every folder of src', () => {
    expect(files.filter((file) => !Object.hasOwn(rooms, roomOf(file)))).toEqual([])
    expect(aboutHooks).toContain('createHooks')
  })
})
