import { describe, expect, it } from 'vitest'
import { findSecrets, redactText } from '../../src/guards/secrets/index.ts'
import { rules as allRules } from '../../src/guards/secrets/rules/index.ts'
import { runs } from '../../src/guards/secrets/rules/runs.ts'
import { built, randomFrom, sample } from './secrets-samples.ts'

const rules = allRules()

const table = [...rules, ...runs]
const SAMPLES = 20

describe('the table of token formats', () => {
  it('knows at least 120 formats', () => {
    expect(new Set(table.map((rule) => rule.type)).size).toBeGreaterThanOrEqual(120)
  })

  // A few random bodies are poor by chance (no digit, a run of one character), and rightly kept.
  it.each(table.map((rule, row) => [rule.type, row] as const))('finds a %s', (type, row) => {
    const rule = table[row]!
    const random = randomFrom(row + 1)
    const make = built[type] ?? (() => sample(rule.pattern, random))
    const samples = Array.from({ length: SAMPLES }, () => make(random))
    const missed = samples.filter((text) => findSecrets(`the value is ${text} here`).length === 0)
    expect(missed.length, missed[0]).toBeLessThanOrEqual(SAMPLES / 2)
  })

  it('has a pattern that stays on its line and is anchored by every keyword', () => {
    for (const { type, pattern, keywords } of table) {
      expect(pattern.source, type).not.toMatch(/(?<!\[\^[^\]]*)\\s(?![^[]*\])|\[\^\]/)
      expect(
        keywords.every((keyword) => keyword.length > 1),
        type,
      ).toBe(true)
    }
  })

  it.each(table.map((rule, row) => [rule.type, row] as const))('redacts a %s once and for all', (type, row) => {
    const rule = table[row]!
    const random = randomFrom(row + 7)
    const text = `x = ${(built[type] ?? (() => sample(rule.pattern, random)))(random)};`
    const once = redactText(text).redacted
    expect(redactText(once)).toEqual({ redacted: once, found: [] })
  })
})
