import { expect, test } from 'vitest'
import { providers } from '../../../hookline/src/platform/providers.ts'
import { origin, table } from '../../src/models/price-table.ts'
import { correctedAt, corrections, costOf, knownModel, requestTokens } from '../../src/models/prices.ts'

test('what came from a cache and what went into one have prices of their own', () => {
  const price = { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 }
  const usage = {
    input_tokens: 1_000_000,
    output_tokens: 100_000,
    cached_input_tokens: 2_000_000,
    cached_write_tokens: 200_000,
  }
  expect(costOf(usage, price)).toBeCloseTo(4 + 2 + 0.4 + 1)
  expect(requestTokens(usage)).toBe(3_200_000)
})

test('free is 0, and no price or no usage is nothing', () => {
  expect(costOf({ input_tokens: 10, output_tokens: 10 }, { input: 0, output: 0 })).toBe(0)
  expect(costOf({}, { input: 1, output: 1 })).toBeUndefined()
  expect(knownModel('openai', 'gpt-from-the-future')).toBeUndefined()
  expect(knownModel('constructor', 'name')).toBeUndefined()
})

test('a long request costs more, the whole of it; where that price is not known, it has none', () => {
  const row = { input: 1, output: 2, upTo: 100, beyond: { input: 10, output: 20 } }
  expect(costOf({ input_tokens: 100 }, row)).toBeCloseTo(100 / 1e6)
  expect(costOf({ input_tokens: 50, cached_input_tokens: 51 }, row)).toBeCloseTo(1_010 / 1e6)
  const { beyond: _, ...unknown } = row
  expect(costOf({ input_tokens: 101 }, unknown)).toBeUndefined()
})

test('a snapshot of a model has the price of the model', () => {
  for (const [provider, name, snapshot] of [
    ['openai', 'gpt-4o', 'gpt-4o-2024-08-06'],
    ['anthropic', 'claude-opus-4-5', 'claude-opus-4-5-20251101'],
  ] as const)
    expect(knownModel(provider, snapshot)).toBe(knownModel(provider, name))
})

test('the usual model of every provider has a price', () => {
  const usual = Object.entries(providers).flatMap(([name, { usual }]) => (usual === undefined ? [] : [[name, usual]]))
  expect(usual.length).toBeGreaterThan(2)
  for (const [provider, model] of usual)
    expect(costOf({ input_tokens: 1_000, output_tokens: 1_000 }, knownModel(provider!, model!)!)).toBeGreaterThan(0)
})

test('every price is a number above zero, and a longer request is never cheaper', () => {
  const rows = Object.entries(table).flatMap(([provider, models]) =>
    Object.keys(models).map((model) => [`${provider}/${model}`, knownModel(provider, model)!] as const),
  )
  expect(rows.length).toBeGreaterThan(100)
  for (const [name, { input, output, cacheRead = 0, cacheWrite = 0, context = 1, upTo = 1, beyond }] of rows) {
    expect(Math.min(input, output, context, upTo), name).toBeGreaterThan(0)
    expect(Math.min(cacheRead, cacheWrite), name).toBeGreaterThanOrEqual(0)
    if (beyond) expect([beyond.input >= input, beyond.output >= output], name).toEqual([true, true])
  }
})

test('the table names its source and date, and a correction is needed', () => {
  expect(origin.source).toMatch(/^\S+ \d+\.\d+\.\d+$/)
  expect(Date.parse(origin.date)).toBeLessThan(Date.now())
  expect(correctedAt).toMatch(/^\d{4}-\d{2}/)
  for (const [provider, models] of Object.entries(corrections))
    for (const [model, row] of Object.entries(models)) {
      expect(table[provider]?.[model] ?? {}, `${provider}/${model} is in the table now`).not.toMatchObject(row)
      expect(knownModel(provider, model)).toMatchObject({ input: expect.any(Number), output: expect.any(Number) })
    }
})
