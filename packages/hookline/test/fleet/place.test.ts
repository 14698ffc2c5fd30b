import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { writeWhole } from '../../src/fleet/place.ts'
import { scratch } from '../support/scratch.ts'

it('what everybody shall read, everybody reads, also where a daemon keeps new files to its user', () => {
  const place = scratch({})
  const before = process.umask(0o077)
  onTestFinished(() => void process.umask(before))
  writeWhole(join(place, 'current'), 'x', 0o644)
  writeWhole(join(place, 'key'), 'x', 0o600)
  expect(statSync(join(place, 'current')).mode & 0o777).toBe(0o644)
  expect(statSync(join(place, 'key')).mode & 0o777).toBe(0o600)
})
