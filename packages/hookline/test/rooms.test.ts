import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Who may enter whom: each room, the rooms it may import, and whether it may touch the platform. */
const rooms: Record<string, { enters: string[]; platform: boolean }> = {
  core: { enters: [], platform: false },
  engine: { enters: ['core'], platform: false },
  shell: { enters: [], platform: false },
  dialects: { enters: ['core', 'shell'], platform: false },
  guards: { enters: ['shell'], platform: false },
  platform: { enters: ['core', 'guards'], platform: true },
  executors: { enters: ['core', 'shell', 'guards', 'builtins', 'platform'], platform: true },
  builtins: { enters: ['core', 'shell', 'guards'], platform: true },
  config: { enters: ['core', 'dialects', 'platform'], platform: true },
  trust: { enters: ['core', 'shell', 'platform'], platform: true },
  journal: { enters: ['core', 'guards', 'platform'], platform: true },
  agent: { enters: ['core', 'shell', 'guards', 'platform'], platform: true },
  hooks: {
    enters: ['core', 'shell', 'engine', 'dialects', 'executors', 'builtins', 'config', 'trust', 'journal', 'platform'],
    platform: true,
  },
  hosts: { enters: ['core', 'dialects', 'config'], platform: true },
}

/** Libraries that the pure rooms may use: none of them does I/O. */
const pureLibraries = new Set(['zod/mini', 're2js', 'lossless-json', 'fastest-levenshtein', 'unbash', 'ipaddr.js'])

/** Rooms that are entered only through an `index.ts`, their own or that of a part, and whose files form no circle. */
const behindDoors = ['shell', 'guards', 'trust', 'platform', 'journal']

const root = resolve(import.meta.dirname, '../src')
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replaceAll('\\', '/'))

describe('rooms', () => {
  it.each(files.filter((file) => roomOf(file) in rooms))('%s enters only the rooms it may', (file) => {
    const { enters, platform } = rooms[roomOf(file)]!
    const room = roomOf(file)
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith('.')) {
        const target = roomOf(relative(root, join(root, dirname(file), specifier)))
        expect([room, ...enters], `${file} imports ${specifier}`).toContain(target)
      } else if (!platform) expect(pureLibraries, `${file} imports ${specifier}`).toContain(specifier)
    }
  })

  it.each(files)('%s enters rooms by their doors', (file) => {
    for (const target of importsWithin(file)) {
      const isOutside = behindDoors.includes(roomOf(target)) && roomOf(target) !== roomOf(file)
      if (isOutside) expect(target, `${file} imports ${target}`).toMatch(/(?:^|\/)index\.ts$/)
    }
  })

  it.each(behindDoors)('no files of %s import each other in a circle', (room) => {
    const done = new Set<string>()
    const visit = (file: string, path: readonly string[]): void => {
      expect(path, `${[...path, file].join(' → ')}`).not.toContain(file)
      if (done.has(file)) return
      for (const target of importsWithin(file)) if (roomOf(target) === room) visit(target, [...path, file])
      done.add(file)
    }
    for (const file of files.filter((each) => roomOf(each) === room)) visit(file, [])
  })

  it('every folder of src is a room with rules, or an outermost one', () => {
    const outermost = ['server', 'console', 'cli', 'compat']
    const known = [...Object.keys(rooms), ...outermost]
    const unknown = files.filter((file) => file.includes('/') && !known.includes(roomOf(file)))
    expect(unknown).toEqual([])
  })
})

function roomOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : ''
}

function importsOf(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8')
  const found = source.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^'"\n;]*?(?:\{[^}]*\}[^'"\n]*)?from\s+'([^']+)'|\bimport\(\s*'([^']+)'|(?:^|\n)import '([^']+)'/g,
  )
  return [...found].map((match) => (match[1] ?? match[2] ?? match[3])!)
}

const importsWithin = (file: string): string[] =>
  importsOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => relative(root, join(root, dirname(file), specifier)).replaceAll('\\', '/'))
