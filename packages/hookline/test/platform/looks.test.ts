import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { discover, freshnessOf, markOf, readText } from '../../src/config/index.ts'
import { contentAt, recordLooks } from '../../src/platform/index.ts'
import { untrustedWriter, userLayerKnown } from '../../src/trust/index.ts'
import { scratch } from '../support/scratch.ts'

afterEach(() => vi.useRealTimers())

/** So that what a test has just written counts as old enough to be known by its stamp. */
const later = () => vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ['Date'] })

/** All that decides which config files are found from `outer/inner/deep`. */
const places = [
  ...['hookline.yaml', 'hookline.json', '.git', '.hookline', '.hookline/hooks.yaml', '.hookline/hooks.local.yaml'],
  ...['.hookline/hooks.d', '.hookline/hooks.d/10-a.yaml', '.hookline/hooks.d/20-b.json', 'config/shell_hooks.yaml'],
].flatMap((name) => ['outer', 'outer/inner', 'outer/inner/deep'].map((place) => join(place, name)))
const own = ['home/.config', 'home/.config/hookline', 'home/.config/hookline/hooks.yaml', 'home', 'elsewhere']

const step = fc.record({
  what: fc.constantFrom('file', 'directory', 'gone', 'link', 'shared', 'own', 'moved'),
  where: fc.oneof(fc.constantFrom(...places), fc.constantFrom(...own)),
})

function change(root: string, { what, where }: { what: string; where: string }): void {
  const path = join(root, where)
  try {
    if (what === 'shared' || what === 'own') chmodSync(path, what === 'own' ? 0o755 : 0o757)
    else if (what === 'moved') renameSync(path, `${path}.moved`)
    else rmSync(path, { recursive: true, force: true })
    if (what === 'file' || what === 'directory' || what === 'link') mkdirSync(dirname(path), { recursive: true })
    if (what === 'file') writeFileSync(path, 'version: 1\n')
    if (what === 'directory') mkdirSync(path)
    if (what === 'link') symlinkSync(join(root, 'elsewhere'), path)
  } catch {
    // Not there, or below a file: then nothing has changed.
  }
}

describe('looks', () => {
  it('never hold where a search that begins anew finds something else', () => {
    later()
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), fc.array(step, { minLength: 1, maxLength: 3 }), (before, after) => {
        const root = scratch()
        const [cwd, home] = [join(root, 'outer/inner/deep'), join(root, 'home')]
        mkdirSync(cwd, { recursive: true })
        change(root, { what: 'file', where: 'home/.config/hookline/hooks.yaml' })
        for (const each of before) change(root, each)
        mkdirSync(cwd, { recursive: true })
        const search = () => discover({ cwd, home, env: {}, ...userLayerKnown(home), untrustedWriter })
        const { result, looks } = recordLooks(search)
        expect(looks.hold()).toBe(true)
        for (const each of after) change(root, each)
        if (looks.hold()) expect(search()).toEqual(result)
      }),
      { numRuns: 80 },
    )
  })
})

it('a look at a file that is too young to be known by its stamp never holds', () => {
  const file = join(scratch(), 'approvals.json')
  writeFileSync(file, '{}')
  const { looks } = recordLooks(() => contentAt(file))
  expect(looks.hold()).toBe(false)
})

describe('a file that was read', () => {
  it.each([
    ['is replaced by one of the same length', (file: string) => writeFileSync(file, 'deny: b\n')],
    [
      'is so, and its time is set back',
      (file: string) => {
        const { atime, mtime } = lstatSync(file)
        writeFileSync(file, 'deny: b\n')
        utimesSync(file, atime, mtime)
      },
    ],
    ['is removed', (file: string) => rmSync(file)],
    [
      'becomes a link to another',
      (file: string) => {
        writeFileSync(`${file}.other`, 'deny: b\n')
        rmSync(file)
        symlinkSync(`${file}.other`, file)
      },
    ],
  ])('is known to be another when it %s, whether it is old or new', async (_what, edit) => {
    for (const isOld of [true, false]) {
      const file = join(scratch(), 'hookline.yaml')
      writeFileSync(file, 'deny: a\n')
      if (isOld) later()
      const isUnchanged = freshnessOf(new Map([[file, markOf(await readText(file))]]))
      expect([isUnchanged(), isUnchanged()]).toEqual([true, true])
      const { ctimeMs } = lstatSync(file)
      // A file system whose clock ticks slowly would not tell; a person does not write twice within such a tick.
      do edit(file)
      while (lstatSync(file, { throwIfNoEntry: false })?.ctimeMs === ctimeMs)
      expect(isUnchanged()).toBe(false)
      vi.useRealTimers()
    }
  })
})
