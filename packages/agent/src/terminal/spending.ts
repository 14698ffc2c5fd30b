import { count } from 'hookline/internal'
import type { Usage } from '../model.ts'

/** `3 model calls, 1,200 tokens in (800 cached), 90 out, $0.0123`. */
export function showCost({ usage, cost, calls }: { usage: Usage; cost: number | undefined; calls: number }): string {
  const cached = usage.cached_input_tokens ? ` (${usage.cached_input_tokens.toLocaleString('en')} cached)` : ''
  return [
    count(calls, 'model call'),
    ...(usage.input_tokens === undefined ? [] : [`${usage.input_tokens.toLocaleString('en')} tokens in${cached}`]),
    ...(usage.output_tokens === undefined ? [] : [`${usage.output_tokens.toLocaleString('en')} out`]),
    cost === undefined ? 'cost unknown' : `$${cost.toFixed(4)}`,
  ].join(', ')
}
