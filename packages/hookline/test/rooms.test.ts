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
  hosts: { enters: ['core', 'dialects', 'config'], platform: true },
}

/** Libraries that the pure rooms may use: none of them does I/O. */
const pureLibraries = new Set(['zod/mini', 're2js', 'lossless-json', 'fastest-levenshtein', 'unbash', 'ipaddr.js'])

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
