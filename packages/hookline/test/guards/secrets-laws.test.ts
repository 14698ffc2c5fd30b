import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { sha256, useSha256 } from '../../src/guards/secrets/checks/encodings.ts'
import {
  createRedactor,
  findSecrets,
  plainMarker,
  redactText,
  redactValue,
  secretsInFile,
  standsOut,
} from '../../src/guards/secrets/index.ts'
import { searchByAutomaton, searchByPairs } from '../../src/guards/secrets/keywords.ts'
import { rules as allRules } from '../../src/guards/secrets/rules/index.ts'
import fc from '../support/property.ts'
import { built, pem, randomFrom, sample } from './secrets-samples.ts'

const rules = allRules()

const token = fc.tuple(fc.nat(rules.length - 1), fc.nat()).map(([row, seed]) => {
  const rule = rules[row]!
  const random = randomFrom(seed)
  return (built[rule.type] ?? (() => sample(rule.pattern, random)))(random)
})
const glue = fc.constantFrom(
  ...[
    ' ',
    '\n',
    '\r\n',
    '"',
    "'",
    '=',
    ':',
    ', ',
    '; ',
    '\\n',
    '\\"',
    '%3D',
    '\u001b[1m',
    '\u200b',
    '\\',
    '[',
    ']',
    '@',
    '://',
    '&',
    '-',
    '_',
    '\u{1f511}',
    '\ud83d',
  ],
)
const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow '
const words = fc.constantFrom(
  ...[
    'password',
    'api_key: ',
    'token=',
    'Authorization: Bearer ',
    'the',
    'legal winner',
    phrase,
    'hunter2',
    '[REDACTED:jwt]',
    '[REDACTED:',
    'Cookie: ',
  ],
  ...[
    '-----BEGIN PRIVATE KEY-----',
    '-----END PRIVATE KEY-----',
    pem(randomFrom(1)),
    pem(randomFrom(2)).slice(0, 150),
    '[1, 2, 3',
    '""',
    '" + "',
    'csrf_',
    'x',
  ],
  `[${Array.from({ length: 64 }, (_, i) => (i * 67 + 13) % 256).join(', ')}]`,
)
const text = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: token },
      { weight: 3, arbitrary: glue },
      { weight: 3, arbitrary: words },
      fc.string({ unit: 'binary', maxLength: 12 }),
    ),
    {
      maxLength: 14,
    },
  )
  .map((pieces) => pieces.join(''))

const runs = { numRuns: 500 }

describe('laws', () => {
  it('redacting twice equals redacting once', () => {
    fc.assert(
      fc.property(text, (given) => {
        const { redacted } = redactText(given)
        expect(redactText(redacted)).toEqual({ redacted, found: [] })
        const plain = redactText(given, () => plainMarker).redacted
        expect(redactText(plain)).toEqual({ redacted: plain, found: [] })
      }),
      runs,
    )
  })

  it('a stream cut anywhere equals the whole', () => {
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 20 }), (given, sizes) => {
        const redactor = createRedactor()
        let out = ''
        for (let at = 0, i = 0; at < given.length; i++) {
          const size = sizes[i % sizes.length]!
          out += redactor.push(given.slice(at, at + size))
          at += size
        }
        expect(out + redactor.end()).toBe(redactText(given).redacted)
      }),
      runs,
    )
  })

  it('a stream of whole lines equals the whole', () => {
    fc.assert(
      fc.property(text, (given) => {
        const redactor = createRedactor()
        const out = given.split(/(?<=\n)/).map((line) => redactor.push(line))
        expect(out.join('') + redactor.end()).toBe(redactText(given).redacted)
      }),
      runs,
    )
  })

  it('a line that nothing undecided stands in is given out with its end', () => {
    const redactor = createRedactor()
    expect(redactor.push('42 tests passed\n')).toBe('42 tests passed\n')
    expect(redactor.push('-----BEGIN RSA PRIVATE KEY-----\n')).toBe('')
  })

  it('offsets are ordered, apart and inside the text, and everything outside them is kept', () => {
    fc.assert(
      fc.property(text, (given) => {
        const found = findSecrets(given)
        let last = 0
        let outside = ''
        for (const { start, end } of found) {
          expect(start).toBeGreaterThanOrEqual(last)
          expect(end).toBeGreaterThan(start)
          outside += given.slice(last, start)
          last = end
        }
        expect(last).toBeLessThanOrEqual(given.length)
        outside += given.slice(last)
        const { redacted } = redactText(given)
        expect(redacted.length).toBeGreaterThanOrEqual(outside.length)
        if (found.length === 0) expect(redacted).toBe(given)
      }),
      runs,
    )
  })

  it('JSON stays JSON, indented or not', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(text, { maxLength: 3 }), fc.constantFrom(0, 2), (value, texts, indent) => {
        const json = JSON.stringify({ value, texts, nested: JSON.stringify(texts) }, undefined, indent)
        expect(() => JSON.parse(redactText(json).redacted)).not.toThrow()
      }),
      runs,
    )
  })

  it('a redacted value keeps its shape, and redacting it again finds nothing', () => {
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.constant(null),
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(
          fc.oneof(fc.constantFrom('password', 'token', 'a', 'b'), fc.string({ maxLength: 6 })),
          tie('node'),
          { maxKeys: 4 },
        ),
      ),
    })).node
    fc.assert(
      fc.property(value, (given) => {
        const once = redactValue(given)
        expect(shapeOf(once.value)).toEqual(shapeOf(given))
        const twice = redactValue(once.value)
        expect(twice.found).toBe(0)
        expect(twice.value).toBe(once.value)
        if (once.found === 0) expect(once.value).toBe(given)
      }),
      runs,
    )
  })

  it('random text never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (given) => {
        expect(redactText(given).redacted).toBeTypeOf('string')
      }),
      runs,
    )
  })
})

/** The tree of kinds, with every text alike. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.values(value).map(shapeOf)
}

describe('what is done by hand to begin sooner is the same as what is done in earnest', () => {
  it('keywords are found by how they begin as by the automaton', () => {
    const letters = fc.stringMatching(/^[a-c.]{1,4}$/)
    const text = fc.string({ unit: fc.constantFrom(...'abcABC..\0 \u212a\u0130é') })
    const hits = (search: ReturnType<typeof searchByPairs>, within: string, from: number) => {
      const found: string[] = []
      search(within, from, (word, at) => found.push(`${word} at ${at}`))
      return found.toSorted()
    }
    fc.assert(
      fc.property(fc.uniqueArray(letters, { minLength: 1 }), text, fc.nat(4), (words, within, from) => {
        expect(hits(searchByPairs(words), within, from)).toEqual(hits(searchByAutomaton(words), within, from))
      }),
    )
  })
})

describe('SHA-256 comes from outside', () => {
  afterEach(() => useSha256((bytes) => createHash('sha256').update(bytes).digest()))

  it('it is that of the platform unless another is handed in', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(sha256(bytes)).toEqual(createHash('sha256').update(bytes).digest())
      }),
    )
  })

  it('one that is handed in decides whether a checksum is right', () => {
    const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
    expect(findSecrets(phrase)).toHaveLength(1)
    useSha256(() => new Uint8Array(32).fill(0x55))
    expect(findSecrets(phrase)).toEqual([])
  })
})

describe('values of secrets files', () => {
  const character = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
  const value = fc.oneof(
    fc.string({ unit: character, minLength: 8, maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(...'aB3xY9-_./:!+="'), minLength: 8, maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(...'abcDEFghiJ'), minLength: 16, maxLength: 60 }),
  )
  const around = fc.string({ unit: fc.constantFrom(' ', 'a', '/', ':', '"', '\n', '1'), maxLength: 12 })

  it('stand out of every text that holds one, in every spelling that is looked for', () => {
    fc.assert(
      fc.property(value, around, around, (written, before, after) => {
        for (const { text } of secretsInFile(`SESSION_SECRET='${written}'\n`))
          for (const spelled of [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)])
            expect(standsOut(before + spelled + after), spelled).toBe(true)
      }),
    )
  })

  it('stand out as soon as letters, digits and punctuation take turns in a word, whatever is around it', () => {
    const part = (characters: string) => fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 3 })
    const parts = [part('abzAZ'), part('019'), part(',;"#=')]
    const turns = fc.shuffledSubarray(parts, { minLength: 3 }).chain((each) => fc.tuple(...each))
    fc.assert(
      fc.property(turns, around, around, (word, before, after) => {
        expect(standsOut(before + word.join('') + after), word.join('')).toBe(true)
      }),
    )
  })

  it('do not stand out of what people and tools mostly write', () => {
    for (const text of ['a line of text', 'src/engine/dispatch.ts:12: export', 'order A-1042'])
      expect(standsOut(text), text).toBe(false)
  })
})
