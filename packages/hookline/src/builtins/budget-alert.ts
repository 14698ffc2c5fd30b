import * as z from 'zod/mini'
import { byEvent, defineBuiltin } from '../core/index.ts'
import { optional } from './parts.ts'

const usd = z.number().check(z.positive())
const args = z
  .strictObject({
    turn_usd: optional(usd, 'Tell the user when one turn costs at least this.'),
    session_usd: optional(
      usd,
      'Tell the user when the session has cost at least this; again at every further multiple.',
    ),
    stop_usd: optional(usd, 'End the run when the session has cost at least this.'),
  })
  .check(z.refine((given) => Object.keys(given).length > 0, { error: 'needs at least one limit', path: ['turn_usd'] }))
type Args = z.infer<typeof args>

export const budgetAlert = defineBuiltin({
  name: 'budget_alert',
  once: true,
  doc: 'Watches what the agent costs: adds a line to a reply that was expensive, tells the user when a session passes a limit, and ends the run at another.',
  ...byEvent<Args>({
    on_response_end({ payload }, { turn_usd: limit }) {
      const cost = payload.turn_cost_usd ?? 0
      if (limit === undefined || cost < limit) return undefined
      const line = `⚠️ This turn cost ${dollars(cost)}, more than your limit of ${dollars(limit)}.`
      return { rewrite: { mode: 'replace', value: `${payload.response}\n\n${line}` } }
    },
    async after_llm_call({ payload }, args, kit) {
      const { session_usd: limit, stop_usd: end } = args
      const cost = payload.cost ?? 0
      const total = await kit.update<number>(`usd ${JSON.stringify(args)}`, (spent = 0) => spent + cost)
      if (end !== undefined && total >= end)
        return { halt: { reason: `The session has cost ${dollars(total)}; it was to stop at ${dollars(end)}.` } }
      if (limit === undefined || Math.floor(total / limit) === Math.floor((total - cost) / limit)) return undefined
      return { message: [`The session has cost ${dollars(total)} so far.`] }
    },
  }),
  args,
  // The line that it adds to a reply is none of the agent's.
  does: (_args, event) => (event === 'on_response_end' ? ['loosens'] : []),
  examples: [
    {
      title: 'an expensive turn',
      event: 'on_response_end',
      payload: { response: 'Done.', turn_cost_usd: 0.75 },
      args: { turn_usd: 0.5 },
      expect: {
        rewrite: {
          mode: 'replace',
          value: 'Done.\n\n⚠️ This turn cost $0.75, more than your limit of $0.50.',
        },
      },
    },
    {
      title: 'a cheap one',
      event: 'on_response_end',
      payload: { response: 'Done.', turn_cost_usd: 0.1 },
      args: { turn_usd: 0.5 },
      expect: undefined,
    },
    {
      title: 'a session past its end',
      before: [{ event: 'after_llm_call', payload: { cost: 1.5 } }],
      event: 'after_llm_call',
      payload: { cost: 0.6 },
      args: { stop_usd: 2 },
      expect: { halt: { reason: 'The session has cost $2.10; it was to stop at $2.00.' } },
    },
  ],
})

const dollars = (amount: number): string => `$${amount.toFixed(amount < 0.01 ? 4 : 2)}`
