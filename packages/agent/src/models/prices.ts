import type { PriceRow, Usage } from '../core/index.ts'
import { table } from './price-table.ts'

/** When the rows below were looked up, at the vendors' own pages. A row goes when the generated table has it. */
export const correctedAt = '2026-11'

/**
 * What the generated table lacks, in USD per million tokens. A model that is in neither has no price, which is not the
 * same as being free: name its price in the agent file (`cost`).
 */
export const corrections: Readonly<Record<string, Readonly<Record<string, Partial<PriceRow>>>>> = {
  openai: {
    'gpt-6.1-terra': { input: 1, output: 5, cacheRead: 0.05, cacheWrite: 1.25, upTo: 272_000 },
  },
  anthropic: {
    'claude-haiku-5-5': {
      ...{ input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125, context: 1_000_000 },
      upTo: 100_000,
      beyond: { input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 },
    },
    'claude-sonnet-5-5': { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5, context: 1_000_000 },
  },
  google: {
    'gemini-2.5-pro': { context: 1_048_576 },
    'gemini-3.1-pro-preview': { context: 1_048_576 },
  },
}

const known = new Map<string, PriceRow>()
for (const rows of [table, corrections])
  for (const [provider, models] of Object.entries(rows))
    for (const [model, row] of Object.entries(models)) {
      const name = `${provider}/${model}`
      known.set(name, { ...known.get(name), ...row } as PriceRow)
    }

/** What is known of a model, also by the date of a snapshot: `gpt-4o-2024-08-06`, `claude-opus-4-5-20251101`. */
export function knownModel(provider: string, model: string): PriceRow | undefined {
  const undated = model.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')
  return known.get(`${provider}/${model}`) ?? known.get(`${provider}/${undated}`)
}

/** The price of one answer in USD; undefined when it has none. */
export function costOf(usage: Usage, row: PriceRow): number | undefined {
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
