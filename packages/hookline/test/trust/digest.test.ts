import { describe, expect, it } from 'vitest'
import type { Hook } from '../../src/core/index.ts'
import { canonicalJson, digestOf, isDigest, subjectOf } from '../../src/trust/index.ts'
import fc from '../support/property.ts'
import { hookIn } from './hook.ts'

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
