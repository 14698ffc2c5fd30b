import { expect, it } from 'vitest'
import { eventNames, eventRow, validate } from '../../hookline/src/core/index.ts'
import { broken, echo } from '../../hookline/test/support/agent.ts'
import { stages } from '../../hookline/test/support/stages.ts'
import { createPermissions } from '../src/index.ts'

const stage = stages()

/** Raised before there is a session, by whoever makes the worktree. */
const elsewhere = ['worktree_create']

it('a lively session raises every event of the table, each with a payload that its row describes', async () => {
  const one = await stage({
    agents: {
      root: { subAgents: ['helper'], handoffs: ['other'], models: ['main', 'second'], maxIterations: 4 },
      helper: {},
      other: {},
    },
    script: {
      turns: [
        { when: { purpose: 'compaction' }, say: 'In short.', repeat: true },
        { when: { user: 'fall' }, fail: 'auth' },
        { when: { user: 'fail' }, fail: 'auth' },
        {
          when: { user: 'tools' },
          call: [
            { tool: 'echo', input: { text: 1 } },
            { tool: 'broken' },
            { tool: 'transfer_task', input: { agent: 'helper', task: 't' } },
          ],
        },
        { when: { user: 'goal' }, call: { tool: 'claim_completion', input: { summary: 's' } } },
        { when: { user: 'over' }, call: { tool: 'handoff', input: { agent: 'other' } } },
        { when: { user: 'long' }, call: { tool: 'echo', input: { text: 2 } } },
        { when: { user: 'long' }, call: { tool: 'echo', input: { text: 3 } } },
        { when: { user: 'long' }, call: { tool: 'echo', input: { text: 4 } } },
        { when: { user: 'long' }, call: { tool: 'echo', input: { text: 5 } } },
      ],
      default: { say: 'ok' },
    },
    models: { second: { turns: [{ when: { user: 'fail' }, fail: 'refused' }], default: { say: 'second' } } },
    tools: [echo, broken],
    permissions: createPermissions({}),
    person: { approve: async () => ({ answer: 'once' }), answer: async () => '', goOn: async () => true },
    channels: ['console'],
    send: async () => {},
  })
  const { agent } = one
  agent.steer('mind this')
  agent.followUp('and then')
  await agent.prompt('hello')
  await agent.prompt('fall back')
  await agent.prompt('fail')
  await agent.prompt('use tools')
  await agent.prompt('long')
  await agent.goal('a goal')
  await agent.compact()
  await agent.notify('console', 'out')
  await agent.prompt('hand over')
  await agent.end('other')

  const names = new Set(one.raised.map(({ event }) => event))
  expect(eventNames.filter((name) => !names.has(name))).toEqual(elsewhere)
  for (const { event, payload } of one.raised) {
    const { payload: schema } = eventRow(event)
    const known = Object.keys((schema as unknown as { shape: object }).shape)
    expect(validate(schema, payload).ok, event).toBe(true)
    expect(
      Object.keys(payload).filter((key) => !known.includes(key)),
      event,
    ).toEqual([])
  }
})
