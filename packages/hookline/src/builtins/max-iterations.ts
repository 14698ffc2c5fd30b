import * as z from 'zod/mini'
import { defineBuiltin } from '../core/index.ts'
import { count, deny, required } from './parts.ts'

const sentence = (limit: number) =>
  `Agent terminated: max_iterations builtin reached its limit of ${limit} model call(s).`

export const maxIterations = defineBuiltin({
  name: 'max_iterations',
  once: true,
  doc: 'Stops the run for good after a number of model calls, whatever the user would say. Counts by itself where the host does not.',
  events: ['before_llm_call'],
  args: z.strictObject({ limit: required(count, 'How many model calls are allowed.') }),
  fromList: ([limit]) => ({ limit: Number(limit) }),
  answer({ payload }, { limit }, kit) {
    const judge = (iteration: number) => (iteration <= limit ? undefined : { decision: deny(sentence(limit)) })
    if (payload.iteration !== undefined) return judge(payload.iteration)
    return kit.update<number>(`calls of ${limit}`, (calls = 0) => calls + 1).then(judge)
  },
  does: [],
  examples: [
    {
      title: 'the last call allowed',
      event: 'before_llm_call',
      payload: { iteration: 50 },
      args: ['50'],
      expect: undefined,
    },
    {
      title: 'one too many',
      event: 'before_llm_call',
      payload: { iteration: 51 },
      args: { limit: 50 },
      expect: {
        decision: { ruling: 'deny', reason: sentence(50) },
      },
    },
    {
      title: 'counted here, when the host does not count',
      before: [{ event: 'before_llm_call', payload: {} }],
      event: 'before_llm_call',
      payload: {},
      args: { limit: 1 },
      expect: { decision: { ruling: 'deny', reason: sentence(1) } },
    },
  ],
  canary: ({ limit }) => ({
    title: 'one model call too many',
    event: 'before_llm_call',
    payload: { iteration: limit + 1 },
    expect: { decision: { ruling: 'deny', reason: sentence(limit) } },
  }),
})
