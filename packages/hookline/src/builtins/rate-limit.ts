import * as z from 'zod/mini'
import { type BuiltinKit, byEvent, defineBuiltin, type Opinion } from '../core/index.ts'
import { argument, count, deny, required, texts } from './parts.ts'
import { matchesName } from './patterns.ts'

const args = z.strictObject({
  limit: required(count, 'How many are allowed.'),
  seconds: argument(count, 'In how long a time.', 60),
  tools: argument(texts, 'Which tools count; `*` stands for anything.', ['*']),
})
type Args = z.infer<typeof args>

interface Times {
  /** When each of the latest happened, in milliseconds. */
  at: number[]
  /** The latest call that was counted: a second run on the same call does not count it again. */
  last: string
}

export const rateLimit = defineBuiltin({
  name: 'rate_limit',
  once: true,
  doc: 'Refuses when something happens too often in a session: tool calls, model calls, or messages of the user.',
  ...byEvent<Args>({
    pre_tool_use: ({ payload }, args, kit) =>
      matchesName(args.tools, payload.tool_name) ? limited('tool calls', payload.tool_use_id, args, kit) : undefined,
    before_llm_call: (_event, args, kit) => limited('model calls', undefined, args, kit),
    user_prompt_submit: (_event, args, kit) => limited('messages', undefined, args, kit),
  }),
  args,
  fromList: ([limit, seconds]) => ({
    limit: Number(limit),
    ...(seconds === undefined ? {} : { seconds: Number(seconds) }),
  }),
  does: [],
  examples: [
    {
      title: 'one too many',
      given: { now: '2026-01-01T00:00:00Z' },
      before: [
        { event: 'pre_tool_use', payload: { tool_name: 'shell', tool_input: {} } },
        { event: 'pre_tool_use', payload: { tool_name: 'shell', tool_input: {} } },
      ],
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: {} },
      args: { limit: 2, seconds: 30 },
      expect: { decision: deny('More than 2 tool calls in 30 s. Wait 30 s, or do more in one call.') },
    },
    {
      title: 'within the limit',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: {} },
      args: { limit: 2 },
      expect: undefined,
    },
  ],
  canary({ limit, tools: [first = ''] }, event) {
    const payload = { tool_name: first.replaceAll('*', 'x'), tool_input: {}, prompt: 'again' }
    const call = { event: event as 'pre_tool_use', payload }
    const before = Array.from({ length: limit }, () => call)
    return { title: 'one too many', before, ...call, expect: { decision: { ruling: 'deny' } as never } }
  },
})

async function limited(
  what: string,
  id: string | undefined,
  args: Args,
  kit: BuiltinKit,
): Promise<Pick<Opinion, 'decision'> | undefined> {
  const { limit, seconds } = args
  const now = kit.now().getTime()
  const window = seconds * 1_000
  let wait = 0
  // Another limit has a window, tools and a latest call of its own.
  await kit.update<Times>(`${what} ${JSON.stringify(args)}`, (times = { at: [], last: '' }) => {
    // A clock that was set back makes the past the future: nobody waits longer than one window for that.
    const at = times.at.map((time) => Math.min(time, now)).filter((time) => time > now - window)
    if (id !== undefined && id === times.last) return { at, last: id }
    wait = at.length < limit ? 0 : at[at.length - limit]! + window - now
    return { at: wait > 0 ? at : [...at, now], last: wait > 0 ? times.last : (id ?? '') }
  })
  if (wait <= 0) return undefined
  return {
    decision: deny(
      `More than ${limit} ${what} in ${seconds} s. Wait ${Math.ceil(wait / 1_000)} s, or do more in one call.`,
    ),
  }
}
