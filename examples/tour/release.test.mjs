import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const read = (file) => readFileSync(new URL(file, import.meta.url), 'utf8')

test('the build took less than a minute', () => {
  assert.ok(Number(/in (\d+) s/.exec(read('build-report.txt'))[1]) < 60)
})

test('the settings name a region', () => {
  assert.match(read('settings.ini'), /^region = \S+$/m)
})
