import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ParsedConfig, parseConfig } from '../../src/config/index.ts'

/** What a config says, and where each part of it is written; or what kind of problem it has. */
function reading(parsed: ParsedConfig): unknown {
  if (!parsed.ok) return parsed.problem.code
  return { document: parsed.document, places: pathsIn(parsed.document).map((path) => ({ ...parsed.locate(path) })) }
}

function pathsIn(value: unknown): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [[]]
  const steps = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [[], ...steps.flatMap(([step, item]) => pathsIn(item).map((path) => [step, ...path]))]
}

/** A text, and the same with a few characters changed, gone, or written twice. */
const mistaken = (text: string, alphabet: readonly string[]) =>
  fc
    .array(fc.tuple(fc.nat(text.length), fc.nat(3), fc.oneof(fc.constantFrom(...alphabet), fc.constant(''))), {
      maxLength: 2,
    })
    .map((changes) =>
      changes.reduce((left, [at, length, by]) => left.slice(0, at) + by + left.slice(at + length), text),
    )

describe('JSON that is read without looking for places', () => {
  const sample = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }).chain((value) => fc.constantFrom(0, 2).map((by) => JSON.stringify(value, null, by))),
    fc.constantFrom(
      '{"a": 1, "b": {"a": ":"}, "a": 2}',
      '{"a": "\\"", "\\u0061": 1}',
      '{"__proto__": {"a": 1}}',
      '[{"a:b": "\\\\"}, {"c": "\\ud800"}]',
      ' \t\r\n{"x":[1e400,-0,1.50,123456789012345678901]}',
    ),
  )
  const alphabet = ['"', '\\', ':', ',', '{', '}', '[', ']', ' ', '\n', '\t', '\0', '\u2028', '/', '0', '-', '"a":1,']

  // A comment at the end is what the quick way does not know.
  test('says the same, at the same places, as JSON that is', async () => {
    await fc.assert(
      fc.asyncProperty(
        sample.chain((text) => mistaken(text, alphabet)),
        async (text) => {
          const [quick, thorough] = await Promise.all([
            parseConfig(text, 'a.jsonc'),
            parseConfig(`${text}\n//`, 'a.jsonc'),
          ])
          expect(reading(quick)).toEqual(reading(thorough))
        },
      ),
      { numRuns: 1_000 },
    )
  })
})
