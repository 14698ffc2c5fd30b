import { describe, expect, it } from 'vitest'
import type { Hook, Run } from '../../src/core/index.ts'
import { canonicalJson, digestOf, isDigest, pinnedBy, subjectOf } from '../../src/trust/index.ts'
import fc from '../support/property.ts'
import { hookIn, placeIn } from './hook.ts'

const nothing = { files: [], programs: [] }
const digest = (hook: Hook) => digestOf(subjectOf(hook, '/p/hookline.yaml', nothing))
const base = hookIn('/p', 'echo hi')

describe('the digest of a hook', () => {
  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse())
        expect(canonicalJson(turned)).toBe(canonicalJson(value))
      }),
    )
  })

  it('is the same text for the same data, and reads back as that data', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it.each<[string, Partial<Hook>]>([
    ['one character of the command', { run: { type: 'command', command: 'echo hj' } }],
    ['the event', { event: 'post_tool_use' }],
    ['a wider matcher', { matcher: [{ facet: 'tool', test: { any: true } }] }],
    ['a variable', { env: { NODE_OPTIONS: '--require ./x.js' } }],
    ['the working directory', { workingDir: 'sub' }],
    ['the time-out', { timeoutMs: 1 }],
    ['the failure policy', { onFailure: 'open' }],
    ['the mode', { mode: 'shadow' }],
    ['the dialect', { dialect: 'crush' }],
    ['the type', { run: { type: 'sandbox', command: 'echo hi' } }],
    ['a higher layer', { origin: { layer: 'user' } }],
  ])('changes with %s', (_, change) => {
    expect(digest({ ...base, ...change })).not.toBe(digest(base))
  })

  it.each(['http://a.example/x', 'https://a.example/y', 'https://a.example/x?q', 'https://a.example:444/x'])(
    'changes with the address: %s',
    (url) => {
      const at = (url: string) => digest({ ...base, run: { type: 'http', url } })
      expect(at(url)).not.toBe(at('https://a.example/x'))
    },
  )

  it.each<[string, Partial<Hook>]>([
    ['its name', { id: 'other' }],
    ['its description', { description: 'words' }],
    ['being switched off', { enabled: false }],
    ['its line in the file', { origin: { layer: 'project', where: { file: '/p/hookline.yaml', line: 9 } } }],
    ['having been found or named', { origin: { layer: 'session' } }],
  ])('does not change with %s', (_, change) => {
    expect(digest({ ...base, ...change })).toBe(digest(base))
  })

  it('changes with the file it is written in', () => {
    expect(digestOf(subjectOf(base, '/q/hookline.yaml', nothing))).not.toBe(digest(base))
  })

  it('is of one known making', () => {
    expect(isDigest(digest(base))).toBe(true)
    expect(isDigest(`md5:${'0'.repeat(32)}`)).toBe(false)
    expect(isDigest(`sha1:${'0'.repeat(64)}`)).toBe(false)
    expect(isDigest(`sha256:${'g'.repeat(64)}`)).toBe(false)
  })
})

describe('an approval of an earlier version stays valid', () => {
  it.each<[Run, string]>([
    [
      { type: 'command', command: '/nowhere/at-all/guard.sh', args: ['x'], files: ['/nowhere/at-all/lib.sh'] },
      '3d10722861fbede951410f67b2718ddb5d257230d78508dfd87123ad885bc0ba',
    ],
    [
      { type: 'resident', command: '/nowhere/at-all/guard.sh', args: [] },
      'e4902c9cc95d1a8767cfe40b15decf1fcb5ff8c8f2646f3ca1df52a58e2b6074',
    ],
    [
      { type: 'function', module: './guard.mjs#name' },
      '71172f0bb8f15515e9bc5894b65ac87346c070272c7d7a50eccb095c14f25a50',
    ],
    [
      { type: 'builtin', name: 'require_tests_on_stop', args: { command: ['/nowhere/at-all/test.sh'] } },
      '424674e121f6dbc0af0288af0dda8d045a1ba3a5bc58d444742789a799cefb3e',
    ],
    [
      { type: 'builtin', name: 'rate_limit', args: { limit: 2 } },
      '4e5ba9ab9dfcddf6e5ae0eb2376a8fbdc8262d1adbaae808fce7bd2765f2c7ff',
    ],
    [
      { type: 'http', url: 'https://hooks.example/' },
      '240d3ca094269f5d5e3cb692766470856f1c1cb58e0b0a211135e2eac09b450f',
    ],
    [
      { type: 'model', model: 'openai/small', prompt: 'Is it safe?' },
      '1e119abfd61954f9906f395f77e514051fe8c3d0aa538390570c7068ebd5764e',
    ],
    [{ type: 'sandbox', command: 'exit 2' }, 'f5e86fe9c8d8db7fc1b8813800949838714043be8c9aab6db160d5f3a6c55c50'],
  ])('%o', (run, expected) => {
    const directory = '/nowhere/at-all'
    const hook = hookIn(directory, run)
    const pinned = pinnedBy(hook, placeIn(directory, { PATH: '' }))
    expect(digestOf(subjectOf(hook, `${directory}/hookline.yaml`, pinned))).toBe(`sha256:${expected}`)
  })
})
