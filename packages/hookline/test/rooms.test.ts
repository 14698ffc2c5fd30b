import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findCycles, readImports, roomOf } from './support/imports.ts'

/** Who may enter whom: each room, the rooms it may import, and whether it may touch the machine (`node:*`). */
const rooms: Record<string, { enters: string[]; machine: boolean }> = {
  core: { enters: [], machine: false },
  shell: { enters: [], machine: false },
  engine: { enters: ['core'], machine: false },
  dialects: { enters: ['core', 'shell'], machine: false },
  hosts: { enters: ['core', 'shell', 'dialects'], machine: false },
  guards: { enters: ['shell'], machine: false },
  rules: { enters: ['core', 'shell', 'guards'], machine: false },
  stakes: { enters: ['core', 'shell', 'guards', 'rules'], machine: false },
  seam: { enters: ['core'], machine: false },
  platform: { enters: ['core', 'shell', 'guards', 'rules', 'stakes'], machine: true },
  builtins: { enters: ['core', 'shell', 'guards', 'stakes'], machine: true },
  executors: { enters: ['core', 'shell', 'guards', 'rules', 'stakes', 'builtins', 'platform'], machine: true },
  config: { enters: ['core', 'dialects', 'platform', 'fleet'], machine: true },
  trust: { enters: ['core', 'shell', 'platform'], machine: true },
  person: { enters: ['core', 'hosts', 'platform', 'trust'], machine: true },
  journal: { enters: ['core', 'guards', 'platform'], machine: true },
  hooks: {
    enters: [
      ...['core', 'shell', 'rules', 'seam', 'engine', 'dialects', 'hosts', 'executors', 'builtins'],
      ...['config', 'trust', 'journal', 'platform'],
    ],
    machine: true,
  },
  fleet: { enters: ['core', 'platform', 'journal'], machine: true },
  install: { enters: ['core', 'shell', 'hosts', 'platform', 'daemon'], machine: true },
  daemon: { enters: ['core', 'platform'], machine: true },
  edge: {
    enters: ['core', 'guards', 'rules', 'dialects', 'hosts', 'executors', 'config', 'journal'],
    machine: false,
  },
  compat: { enters: ['core', 'dialects', 'builtins', 'executors', 'hooks'], machine: true },
  cli: {
    enters: [
      ...['core', 'shell', 'engine', 'dialects', 'hosts', 'guards', 'rules', 'stakes', 'builtins', 'executors'],
      ...['platform', 'config', 'trust', 'person', 'journal', 'hooks', 'install', 'daemon', 'fleet'],
    ],
    machine: true,
  },
}

/** Libraries that the pure rooms may use: none of them does I/O. */
const pureLibraries = new Set([
  'zod/mini',
  're2js',
  'lossless-json',
  'fastest-levenshtein',
  'unbash',
  'ipaddr.js',
  '@noble/hashes/sha2.js',
  '@noble/hashes/utils.js',
])

/** Doors beside `index.ts`: each loads a library or a page of text that most who enter the room do without. */
const sideDoors = new Set([
  ...['core/regex.ts', 'core/json-schema.ts', 'config/document.ts', 'builtins/document.ts'],
  ...['fleet/current.ts', 'fleet/policy.ts', 'fleet/named-journals.ts'],
])

/** The files beside the rooms are the doors of the package; what our other packages need is listed in `internal.ts`. */
const outermost = ''

const imports = readImports(resolve(import.meta.dirname, '../src'))

describe('rooms', () => {
  it.each([...imports].filter(([file]) => roomOf(file) !== outermost))(
    '%s enters only the rooms it may',
    (file, list) => {
      const { enters, machine } = rooms[roomOf(file)]!
      for (const { specifier, file: target } of list) {
        if (target !== undefined)
          expect([roomOf(file), ...enters], `${file} imports ${target}`).toContain(roomOf(target))
        else if (!machine) expect(pureLibraries, `${file} imports ${specifier}`).toContain(specifier)
      }
    },
  )

  it.each([...imports].filter(([file]) => ![outermost, 'edge'].includes(roomOf(file))))(
    '%s enters rooms by their doors',
    (file, list) => {
      for (const { file: target } of list) {
        if (target === undefined || roomOf(target) === roomOf(file) || sideDoors.has(target)) continue
        expect(target, `${file} imports ${target}`).toMatch(/(?:^|\/)index\.ts$/)
      }
    },
  )

  it('no files import each other in a circle', () => {
    expect(findCycles(imports)).toEqual([])
  })

  it('every folder of src is a room with rules', () => {
    const folders = new Set([...imports.keys()].map(roomOf).filter((room) => room !== outermost))
    expect([...folders].sort()).toEqual(Object.keys(rooms).sort())
  })
})
