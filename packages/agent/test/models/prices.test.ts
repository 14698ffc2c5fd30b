import { expect, test } from 'vitest'
import { costOf, knownModel, requestTokens } from '../../src/models/prices.ts'

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
