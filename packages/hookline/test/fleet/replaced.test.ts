import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { whenReplaced } from '../../src/install/index.ts'
import { scratch } from '../support/scratch.ts'

it('a package that is replaced is noticed once, when it is whole again, and not while it is away', async () => {
  const root = scratch({ 'own/cli.js': 'one' })
  const file = join(root, 'own', 'cli.js')
  let times = 0
  onTestFinished(whenReplaced(() => times++, { file, everyMs: 10 }))
  await delay(60)
  expect(times).toBe(0)
  // As package managers do it: the old directory goes, and later the new one is there.
  rmSync(join(root, 'own'), { recursive: true })
  await delay(60)
  expect(times).toBe(0)
  mkdirSync(join(root, 'next'))
  writeFileSync(join(root, 'next', 'cli.js'), 'another')
  renameSync(join(root, 'next'), join(root, 'own'))
  await expect.poll(() => times).toBe(1)
  await delay(60)
  expect(times).toBe(1)
})
