import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { discover } from '../../src/config/index.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hookline-dropped-'))
  mkdirSync(join(root, '.git'))
  mkdirSync(join(root, '.hookline', 'hooks.d'), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const drop = (count: number) => {
  for (let at = 0; at < count; at++)
    writeFileSync(join(root, '.hookline', 'hooks.d', `${String(at).padStart(4, '0')}.yaml`), '')
}
const find = () =>
  discover({ cwd: root, home: join(root, 'home'), managed: join(root, 'none'), untrustedWriter: () => undefined })

test('a directory of drop-ins is read whole as long as a person could have written it', () => {
  drop(100)
  expect(find().filter(({ refused }) => refused)).toEqual([])
  expect(find()).toHaveLength(100)
})

test('more of them are refused, with how many there are and what to do', () => {
  drop(600)
  const found = find()
  expect(found).toHaveLength(101)
  expect(found.at(-1)?.refused).toMatchObject({
    code: 'config-crowded',
    where: { file: expect.stringContaining('hooks.d') },
  })
  expect(found.at(-1)?.refused?.message).toContain('600')
})
