import * as z from 'zod/mini'
import { defineBuiltin, isRecord } from '../core/index.ts'
import { argument, replaceBy } from './parts.ts'

const parts = ['model', 'tokens', 'cost', 'tools'] as const
type Part = (typeof parts)[number]

export const runtimeFooter = defineBuiltin({
  name: 'runtime_footer',
  doc: 'Adds a line to the reply that says how it was made: which model, how many tokens, what it cost, which tools.',
  events: ['on_response_end'],
  args: z.strictObject({ show: argument(z.array(z.enum(parts)), 'What to say, in this order.', [...parts]) }),
  answer({ payload }, { show }) {
    const known = show.map((part) => sayings[part](payload)).filter((saying) => saying !== undefined)
    const line = `— ${known.join(' · ')}`
    if (known.length === 0 || payload.response.endsWith(line)) return undefined
    return { rewrite: replaceBy(`${payload.response}\n\n${line}`) }
  },
  does: ['loosens'],
  examples: [
    {
      title: 'all that is known',
      event: 'on_response_end',
      payload: {
        response: 'Done.',
        model_id: 'openai/gpt-5',
        tokens: { input: 12_000, output: 340 },
        turn_cost_usd: 0.0213,
        tool_names: ['shell', 'shell', 'edit'],
      },
      expect: {
        rewrite: {
          mode: 'replace',
          value: 'Done.\n\n— openai/gpt-5 · 12,000 tokens in, 340 out · $0.0213 · shell, edit',
        },
      },
    },
    { title: 'nothing is known', event: 'on_response_end', payload: { response: 'Done.' }, expect: undefined },
  ],
})

const sayings: Record<Part, (payload: Readonly<Record<string, unknown>>) => string | undefined> = {
  model: ({ model_id: model }) => (typeof model === 'string' && model !== '' ? model : undefined),
  tokens({ tokens }) {
    if (!isRecord(tokens)) return undefined
    const { input, output } = tokens
    return typeof input === 'number' && typeof output === 'number'
      ? `${grouped(input)} tokens in, ${grouped(output)} out`
      : undefined
  },
  cost: ({ turn_cost_usd: cost }) => (typeof cost === 'number' && cost > 0 ? `$${cost.toFixed(4)}` : undefined),
  tools: ({ tool_names: names }) =>
    Array.isArray(names) && names.length > 0 ? [...new Set(names)].join(', ') : undefined,
}

const grouped = (count: number): string => count.toLocaleString('en-US')
