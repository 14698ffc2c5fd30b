import { describe, expect, it } from 'vitest'
import { samplesOf } from '../../src/cli/doctor/pattern-sample.ts'
import { compilePattern } from '../../src/core/regex.ts'
import fc from '../support/property.ts'

const first = (pattern: string, whole: boolean) => samplesOf(pattern, whole).next().value as string | undefined

describe('a text is found that a pattern matches', () => {
  it.each([
    ['git push .*--force', false],
    ['(^|/)\\.env', false],
    ['rm\\s+-rf\\s+/', false],
    ['^rm\\s+-(?:rf|fr)\\b', false],
    ['mcp__(github|gitlab)__.*', true],
    ['(?i)drop\\s+table\\s+\\w+', false],
    ['[^a-z]{3,}x?$', false],
    ['\\bsudo\\b|\\bdoas\\b', false],
    ['^[[:alpha:]]+\\d{2}$', true],
    ['(?P<name>a|b)+?\\.\\p{Greek}', true],
    ['^curl [^|]*\\| *(ba|z)?sh$', true],
    ['\\x41\\t\\\\', true],
  ])('%s', (pattern, whole) => {
    const sample = first(pattern, whole)
    const compiled = compilePattern(pattern, whole)
    expect(compiled.ok && sample !== undefined && compiled.pattern.test(sample), sample).toBe(true)
  })

  it('whatever is written with the usual means', () => {
    const piece = fc.letrec<{ any: string; atom: string }>((tie) => ({
      atom: fc.oneof(
        fc.constantFrom('a', 'rm', ' ', '\\d', '\\w', '\\s', '.', '\\.', '[a-c]', '[^x]', '\\/'),
        tie('any').map((inner) => `(?:${inner})`),
      ),
      any: fc
        .array(fc.tuple(tie('atom'), fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}')), {
          minLength: 1,
          maxLength: 4,
        })
        .chain((parts) => {
          const sequence = parts
            .map(([atom, times]) => (atom.length > 2 && !/^[([\\]/.test(atom) ? atom : atom + times))
            .join('')
          return fc.oneof(
            fc.constant(sequence),
            fc.constantFrom('x', 'yz').map((other) => `${sequence}|${other}`),
          )
        }),
    })).any
    fc.assert(
      fc.property(piece, fc.boolean(), (pattern, whole) => {
        const compiled = compilePattern(pattern, whole)
        const sample = first(pattern, whole)
        return !compiled.ok || (sample !== undefined && compiled.pattern.test(sample))
      }),
      { numRuns: 300 },
    )
  })

  it('what cannot match has no sample', () => {
    expect([...samplesOf('a$b', false)]).toEqual([])
    expect([...samplesOf('(', false)]).toEqual([])
  })
})
