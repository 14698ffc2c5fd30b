import { describe, expect, it } from 'vitest'
import { type EventName, eventNames, eventRow, type Opinion } from '../../hookline/src/core/index.ts'
import { broken, close, echo, type Raised, type ScriptedTurn, stage } from '../../hookline/test/support/agent.ts'
import fc from '../../hookline/test/support/property.ts'
import { createPermissions } from '../src/index.ts'

/** What hooks of these events answer, at random: anything the event honours. */
const opinion = (event: EventName) => {
  const { effects, rewrites, asks } = eventRow(event)
  const values: Record<string, fc.Arbitrary<unknown>> = {
    decision: fc.record({
      ruling: fc.constantFrom(...(asks ? ['allow', 'ask', 'deny'] : ['allow', 'deny'])),
      reason: fc.constant('because'),
    }),
    halt: fc.record({ reason: fc.constant('halt') }),
    context: fc.constant(['context']),
  }
  if (rewrites === 'tool_input') values['rewrite'] = fc.constant({ mode: 'merge', value: { text: 'changed' } })
  else if (rewrites === 'messages')
    values['rewrite'] = fc.constant({ mode: 'replace', value: [{ role: 'user', content: 'm' }] })
  else if (rewrites === 'steering_messages') values['rewrite'] = fc.constant({ mode: 'replace', value: ['s'] })
  else values['rewrite'] = fc.constant({ mode: 'replace', value: 'changed' })
  const honoured = effects.filter((effect) => effect in values)
  const shape = Object.fromEntries(honoured.map((effect) => [effect, values[effect]!]))
  return fc.record(shape, { requiredKeys: [] }) as fc.Arbitrary<Opinion>
}

const call = fc.record({
  tool: fc.constantFrom('echo', 'broken', 'transfer_task', 'nothing', 'handoff'),
  input: fc.record({
    text: fc.constantFrom('a', 'b'),
    agent: fc.constantFrom('helper', 'other'),
    task: fc.constant('t'),
  }),
})
const turn: fc.Arbitrary<ScriptedTurn> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ say: fc.constant('on it'), call: fc.array(call, { minLength: 1, maxLength: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ say: fc.constant('done') }) },
  { weight: 1, arbitrary: fc.record({ fail: fc.constantFrom('refused' as const, 'overflow' as const) }) },
)
const interfering = fc
  .uniqueArray(
    fc.constantFrom(...eventNames.filter((name) => name !== 'session_start' && name !== 'worktree_create')),
    {
      maxLength: 4,
    },
  )
  .chain((events) =>
    fc.tuple(...events.map((event) => fc.tuple(fc.constant(event), opinion(event), fc.integer({ min: 1, max: 4 })))),
  )
const answer = fc.constantFrom('once', 'tool', 'session', 'no', undefined)

describe('whatever hooks, models and people do', () => {
  it('every start has one end, every call one decision and one result, and no event is raised for a call that was not made', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { maxLength: 6 }),
        interfering,
        answer,
        fc.boolean(),
        async (turns, hooks, says, cancels) => {
          const one = await stage({
            agents: { root: { subAgents: ['helper'], handoffs: ['other'], maxIterations: 8 }, helper: {}, other: {} },
            turns,
            tools: [echo, broken],
            permissions: createPermissions({
              team: { allow: ['transfer_task', 'handoff'], ask: ['broken'], deny: ['echo:text=b'] },
            }),
            ...(says === undefined
              ? {}
              : {
                  person: { approve: async () => ({ answer: says }), answer: async () => '', goOn: async () => false },
                }),
            prepare(engine) {
              for (const [event, reply, every] of hooks) {
                let times = 0
                engine.on(event, () => (++times % every === 0 ? (reply as never) : undefined))
              }
            },
          })
          const running = one.agent.prompt('one')
          one.agent.followUp('two')
          if (cancels) setImmediate(() => one.agent.cancel())
          await running
          one.agent.steer('three')
          await one.agent.prompt('four')
          await close(one)
          expectBalanced(one.raised)
          expectAnswered(one.agent.messages)
        },
      ),
      { numRuns: Number(process.env['HOOKLINE_CASES'] ?? 300) },
    )
  })
})

function expectBalanced(raised: readonly Raised[]): void {
  const by = (key: (payload: Record<string, unknown>) => string) => {
    const groups = new Map<string, Raised[]>()
    for (const each of raised) groups.set(key(each.payload), [...(groups.get(key(each.payload)) ?? []), each])
    return groups
  }
  for (const [, events] of by((payload) => String(payload['session_id']))) {
    const count = counter(events)
    const again = events.filter(({ event, payload }) => event === 'session_start' && payload['source'] === 'compact')
    expect(count('session_end')).toBe(count('session_start') - again.length)
    expect(count('turn_end')).toBe(count('turn_start'))
    expect(count('after_run') + count('run_error')).toBe(count('before_run'))
    expect(count('after_llm_call')).toBeLessThanOrEqual(count('before_llm_call'))
  }
  const calls = by((payload) => ('tool_use_id' in payload ? `${payload['session_id']} ${payload['tool_use_id']}` : ''))
  calls.delete('')
  for (const [, events] of calls) {
    const count = counter(events)
    expect(count('on_tool_approval_decision')).toBe(count('pre_tool_use'))
    const decided = events.find(({ event }) => event === 'on_tool_approval_decision')
    const ran = decided?.payload['approval_decision'] === 'allow' ? 1 : 0
    // A call of a tool that is not there, or with wrong arguments, is over at once: it failed, and hooks see that.
    const failed = ['unknown_tool', 'invalid_arguments'].includes(String(decided?.payload['approval_source'])) ? 1 : 0
    expect([count('tool_response_transform'), count('post_tool_use')]).toEqual([ran, ran + failed])
    expect(count('post_tool_use_failure')).toBeGreaterThanOrEqual(failed)
  }
}

const counter = (events: readonly Raised[]) => (name: EventName) => events.filter(({ event }) => event === name).length

function expectAnswered(messages: readonly { role: string }[]): void {
  const open = new Set<string>()
  for (const message of messages as { role: string; tool_call_id?: string; tool_calls?: { id: string }[] }[]) {
    if (message.role === 'tool') expect(open.delete(message.tool_call_id!)).toBe(true)
    else expect([...open]).toEqual([])
    for (const { id } of message.tool_calls ?? []) open.add(id)
  }
  expect([...open]).toEqual([])
}
