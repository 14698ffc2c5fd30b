import type { Price, Usage } from '../core/index.ts'

interface Row extends Price {
  /** Tokens that fit into one request. */
  context?: number
  /** Requests with more tokens than this cost otherwise, or what is not known here. */
  upTo?: number
  beyond?: Price
}

/**
 * USD per million tokens, and how much fits, as published by OpenAI (developers.openai.com/api/docs/pricing),
 * Anthropic (platform.claude.com/docs/en/about-claude/pricing; caches of five minutes) and Google
 * (ai.google.dev/gemini-api/docs/pricing), looked up in November 2026. A model that is not here has no price, which
 * is not the same as being free: name its price in the agent file (`cost`).
 */
const table: Record<string, Record<string, Row>> = {
  openai: {
    'gpt-4o': { input: 2.5, output: 10, cacheRead: 1.25, context: 128_000 },
    'gpt-4o-mini': { input: 0.15, output: 0.6, cacheRead: 0.075, context: 128_000 },
    'gpt-4.1': { input: 2, output: 8, cacheRead: 0.5, context: 1_047_576 },
    'gpt-4.1-mini': { input: 0.4, output: 1.6, cacheRead: 0.1, context: 1_047_576 },
    'gpt-4.1-nano': { input: 0.1, output: 0.4, cacheRead: 0.025, context: 1_047_576 },
    'gpt-5': { input: 1.25, output: 10, cacheRead: 0.125, context: 400_000 },
    'gpt-5-mini': { input: 0.25, output: 2, cacheRead: 0.025, context: 400_000 },
    'gpt-5-nano': { input: 0.05, output: 0.4, cacheRead: 0.005, context: 400_000 },
    'gpt-5.1': { input: 1.25, output: 10, cacheRead: 0.125, context: 400_000 },
    'gpt-5.2': { input: 1.75, output: 14, cacheRead: 0.175, context: 400_000 },
    'gpt-5.4': { input: 2.5, output: 15, cacheRead: 0.25, upTo: 272_000 },
    'gpt-5.4-mini': { input: 0.75, output: 4.5, cacheRead: 0.075 },
    'gpt-5.4-nano': { input: 0.2, output: 1.25, cacheRead: 0.02 },
    'gpt-5.5': { input: 5, output: 30, cacheRead: 0.5, upTo: 272_000 },
    'gpt-6-sol': { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5, upTo: 272_000 },
    'gpt-6-luna': { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125, upTo: 272_000 },
    'gpt-6.1-terra': { input: 1, output: 5, cacheRead: 0.05, cacheWrite: 1.25, upTo: 272_000 },
  },
  anthropic: {
    'claude-haiku-4-5': { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25, context: 200_000 },
    'claude-haiku-5-5': {
      ...{ input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125, context: 1_000_000 },
      upTo: 100_000,
      beyond: { input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 },
    },
    'claude-sonnet-4-0': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, context: 200_000 },
    'claude-sonnet-4-5': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, context: 200_000 },
    'claude-sonnet-4-6': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    'claude-sonnet-5': { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5, context: 1_000_000 },
    'claude-sonnet-5-5': { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5, context: 1_000_000 },
    'claude-opus-4-1': { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75, context: 200_000 },
    'claude-opus-4-5': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25, context: 200_000 },
    'claude-opus-4-6': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
    'claude-opus-4-7': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
    'claude-opus-4-8': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
    'claude-opus-5': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25, context: 1_000_000 },
    'claude-opus-5-5': { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5, context: 1_000_000 },
    'claude-fable-5': { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5, context: 1_000_000 },
    'claude-fable-5-1': { input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5, context: 1_000_000 },
  },
  google: {
    'gemini-2.5-pro': {
      ...{ input: 1.25, output: 10, cacheRead: 0.125, context: 1_048_576 },
      upTo: 200_000,
      beyond: { input: 2.5, output: 15, cacheRead: 0.25 },
    },
    'gemini-2.5-flash': { input: 0.3, output: 2.5, cacheRead: 0.03, context: 1_048_576 },
    'gemini-2.5-flash-lite': { input: 0.1, output: 0.4, cacheRead: 0.01, context: 1_048_576 },
    'gemini-3-flash-preview': { input: 0.5, output: 3, cacheRead: 0.05, context: 1_048_576 },
    'gemini-3.1-pro-preview': {
      ...{ input: 2, output: 12, cacheRead: 0.2, context: 1_048_576 },
      upTo: 200_000,
      beyond: { input: 4, output: 18, cacheRead: 0.4 },
    },
  },
}

/** What is known of a model, also by the date of a snapshot: `gpt-4o-2024-08-06`, `claude-opus-4-5-20251101`. */
export function knownModel(provider: string, model: string): Row | undefined {
  const rows = Object.hasOwn(table, provider) ? table[provider] : undefined
  const name = model.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')
  return rows && Object.hasOwn(rows, name) ? rows[name] : undefined
}

/** The price of one answer in USD; undefined when it has none. */
export function costOf(usage: Usage, row: Row): number | undefined {
  const tokens = requestTokens(usage)
  const price = row.upTo !== undefined && tokens > row.upTo ? row.beyond : row
  if (!price || (usage.input_tokens === undefined && usage.output_tokens === undefined)) return undefined
  const { input, output, cacheRead = input, cacheWrite = input } = price
  const cents =
    (usage.input_tokens ?? 0) * input +
    (usage.output_tokens ?? 0) * output +
    (usage.cached_input_tokens ?? 0) * cacheRead +
    (usage.cached_write_tokens ?? 0) * cacheWrite
  return cents / 1_000_000
}

/** How long the whole request was. */
export function requestTokens(usage: Usage): number {
  return (usage.input_tokens ?? 0) + (usage.cached_input_tokens ?? 0) + (usage.cached_write_tokens ?? 0)
}
