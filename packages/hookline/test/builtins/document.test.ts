import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { documentBuiltins } from '../../src/builtins/document.ts'
import { builtins } from '../../src/builtins/index.ts'

test('the page of the builtins is what their definitions say', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/builtins.md'), 'utf8')
  expect(page).toBe(documentBuiltins())
})

test('every builtin has its place on the page', () => {
  for (const name of Object.keys(builtins)) expect(documentBuiltins()).toContain(`\n## ${name}\n`)
})
