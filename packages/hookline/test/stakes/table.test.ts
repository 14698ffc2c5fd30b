import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { type Answer, answerFor, rowNames } from '../../src/stakes/index.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../../../docs/stakes.md'), 'utf8')
const words: Record<Answer, string> = { pass: 'passes', ask: 'asked', snapshot: 'kept in a snapshot', deny: 'blocked' }

it.each(rowNames)('the page says what follows from %s', (name) => {
  const line = page.split('\n').find((each) => each.startsWith('|') && each.includes(`\`${name}\``)) ?? ''
  const cells = line.split('|').slice(-4, -1)
  const answers = (['person', 'waiting', 'nobody'] as const).map((audience) => words[answerFor(name, audience)])
  expect(cells.map((cell, at) => cell.trim().startsWith(answers[at]!))).toEqual([true, true, true])
  expect(line.includes('`strict`: blocked')).toBe(answerFor(name, 'person', 'strict') !== answerFor(name, 'person'))
})
