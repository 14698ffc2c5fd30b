import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { simpleWords } from '../../src/shell/syntax/index.ts'
import fc from '../support/property.ts'

const environment = { PATH: process.env['PATH'] ?? '', HOME: '/home/me', DIR: '/a b', ONE: 'one', EMPTY: '', STAR: '*' }

/** What the shell itself makes of the same words: every command in one run. */
function wordsOfShell(commands: readonly string[]): string[][] {
  const script = commands.map((command) => `printf '%s\\0' ${command}; printf '\\n\\0'`).join('\n')
  const output = execFileSync('/bin/sh', { input: script, env: environment, encoding: 'utf8', maxBuffer: 1e8 })
  const all = output.split('\n\0').slice(0, -1)
  return all.map((one) => one.split('\0').slice(0, -1))
}

const plain = [
  './x.sh',
  '/a/b',
  'x',
  ' ',
  '\t',
  '$ONE',
  '"$DIR"',
  '"$EMPTY"',
  "'a b'",
  '"a b"',
  "''",
  '-x',
  '--y=z',
  ' ~/',
  '.',
  ':',
  '"$HOME/b c"',
]
const odd = [
  ...[
    "'",
    '"',
    '$',
    '$DIR',
    '$EMPTY',
    '$STAR',
    '$NONE',
    '~',
    '=',
    'A=1',
    '\\',
    '|',
    ';',
    '&',
    '>',
    '*',
    '?',
    '#',
    '!',
    '`',
    '(',
  ],
  ...[
    '{a,b}',
    '$1',
    '$10x',
    '$?',
    '$$',
    '$(x)',
    '$((1))',
    '"$(x)"',
    '"`x`"',
    '"\\$ONE"',
    '\n',
    '漢',
    '[a]',
    '"$1"',
    '"$10x"',
  ],
]
const bit = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...plain) },
  { weight: 1, arbitrary: fc.constantFrom(...odd) },
)

describe('simple words', () => {
  test('are understood as the shell understands them, or left to it', () => {
    const command = fc.array(bit, { minLength: 1, maxLength: 8 }).map((bits) => bits.join(''))
    const seed = 20261
    const tried = fc.sample(command, { numRuns: 20_000, seed })
    const understood = [...new Set(tried)].flatMap((text) => {
      const words = simpleWords(text, environment)
      return words === undefined ? [] : [{ text, words }]
    })
    expect(understood.length).toBeGreaterThan(2_000)
    const shell = wordsOfShell(understood.map(({ text }) => text.trim()))
    for (const [index, { text, words }] of understood.entries()) expect([text, words]).toEqual([text, shell[index]])
  })

  test('begin with a path', () => {
    expect(simpleWords('x.sh a', environment)).toBeUndefined()
    expect(simpleWords('A=1 ./x.sh', environment)).toBeUndefined()
    expect(simpleWords('./x.sh\n./y.sh', environment)).toBeUndefined()
    expect(simpleWords('"$' + '{DIR}/x.sh" a', environment)).toEqual(['/a b/x.sh', 'a'])
    expect(simpleWords("~/x.sh ''", environment)).toEqual(['/home/me/x.sh', ''])
  })
})
