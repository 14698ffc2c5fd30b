import { describe, expect, it } from 'vitest'
import type { EventName } from '../../hookline/src/core/index.ts'
import { echo, type Setting, type Stage, texts } from '../../hookline/test/support/agent.ts'
import { keys, keysOf, stages, until } from '../../hookline/test/support/stages.ts'
import type { SessionRecord } from '../src/index.ts'

const stage = stages()
const transfer = { call: { tool: 'transfer_task', input: { agent: 'helper', task: 'Count the files.' } } }
const two = (helper: object, root: object[] = [transfer], more: Setting = {}): Setting => ({
  agents: { root: { subAgents: ['helper'] }, helper: { description: 'Counts.' } },
  script: { turns: root as never, default: { say: 'All done.' }, agents: { helper: helper as never } },
  tools: [echo],
  ...more,
})
const result = ({ agent }: Stage) => agent.messages.find(({ role }) => role === 'tool')?.content

describe('what a team costs', () => {
  const bill = { usage: { input_tokens: 100, output_tokens: 10 }, cost: 0.003 }

  it('counts sub-agents: in the totals, in the cost of the turn, and when the session is resumed', async () => {
    const records: SessionRecord[] = []
    const one = await stage(
      two(
        { turns: [{ say: 'Seven.', ...bill }] },
        [
          { ...transfer, ...bill },
          { say: 'All done.', ...bill },
        ],
        {
          openLog: async (_id, parent) => ({
            append: (record) => void (parent === undefined && records.push(record)),
            flush: async () => {},
            close: async () => {},
          }),
        },
      ),
    )
    await one.agent.prompt('how many?')
    expect(one.agent.totals).toMatchObject({ calls: 3, usage: { input_tokens: 300 } })
    expect(one.agent.totals.cost).toBeCloseTo(0.009)
    expect(one.of('on_response_end').map(({ turn_cost_usd }) => turn_cost_usd)).toEqual([
      expect.closeTo(0.003),
      expect.closeTo(0.009),
    ])
    const again = await stage({ ...two({}), resume: records })
    expect(again.agent.totals.cost).toBeCloseTo(0.009)
  })
})

describe('transfer_task', () => {
  it('walks from the switch to the return; the answer of the sub-agent is the result', async () => {
    const one = await stage(two({ turns: [{ say: 'Seven.' }] }))
    expect(await one.agent.prompt('how many?')).toMatchObject({ response: 'All done.' })
    const order = one.raised.map(({ event }) => event)
    expect(order.slice(order.indexOf('on_agent_switch'), order.lastIndexOf('on_agent_switch') + 1)).toEqual([
      'on_agent_switch',
      'subagent_start',
      'session_start',
      'before_run',
      'turn_start',
      'before_llm_call',
      'after_llm_call',
      'on_response_end',
      'stop',
      'turn_end',
      'after_run',
      'subagent_stop',
      'session_end',
      'on_agent_switch',
    ])
    expect(one.of('on_agent_switch')).toMatchObject([
      { from_agent: 'root', to_agent: 'helper', agent_switch_kind: 'transfer_task', agent_name: 'root' },
      { from_agent: 'helper', to_agent: 'root', agent_switch_kind: 'transfer_task_return', agent_name: 'root' },
    ])
    expect(result(one)).toBe('Seven.')
    expect(one.of('user_prompt_submit')).toHaveLength(1)
  })

  it('events of a sub-agent carry its own session and say that it is one', async () => {
    const one = await stage(two({ turns: [{ call: { tool: 'echo', input: { text: 1 } } }, { say: 'Seven.' }] }))
    await one.agent.prompt('how many?')
    const [child] = one.of('pre_tool_use').filter(({ agent_name }) => agent_name === 'helper')
    expect(child).toMatchObject({ sub_agent: true })
    expect(child?.['session_id']).not.toBe(one.agent.sessionId)
    expect(one.of('subagent_start')).toMatchObject([
      { agent_name: 'helper', parent_session_id: one.agent.sessionId, task: 'Count the files.' },
    ])
    expect(keysOf(one.of('subagent_start')[0])).toEqual(keys('turn_id', 'parent_session_id', 'task'))
    expect(one.of('subagent_stop')).toMatchObject([
      { agent_name: 'helper', parent_session_id: one.agent.sessionId, response: 'Seven.', stop_hook_active: false },
    ])
    expect(one.of('subagent_stop')[0]?.['session_id']).toBe(child?.['session_id'])
  })

  it('a guard reaches every child', async () => {
    const one = await stage(
      two({ turns: [{ call: { tool: 'echo', input: { text: 'rm' } } }, { say: 'Could not.' }] }, [transfer], {
        prepare: (hooks) =>
          void hooks.on('pre_tool_use', { tool: 'echo' }, () => ({ decision: { ruling: 'deny', reason: 'no' } })),
      }),
    )
    await one.agent.prompt('go')
    expect(one.of('post_tool_use').map(({ tool_name }) => tool_name)).toEqual(['transfer_task'])
  })

  it('subagent_start gives context to the child; subagent_stop sends it back, at most three times', async () => {
    const one = await stage(
      two({ default: { say: 'Seven.' } }, [transfer], {
        prepare(hooks) {
          hooks.on('subagent_start', () => ({ context: ['Count twice.'] }))
          hooks.on('subagent_stop', () => ({ decision: { ruling: 'deny', reason: 'Count again.' } }))
        },
      }),
    )
    await one.agent.prompt('go')
    const helperRequests = one.requests.filter(({ agent }) => agent === 'helper')
    expect(helperRequests).toHaveLength(4)
    expect(texts(helperRequests[0]!.messages, 'system')).toContain('Count twice.')
    expect(texts(helperRequests[1]!.messages, 'user')).toEqual(['Count the files.', 'Count again.'])
    expect(result(one)).toBe('Seven.')
  })

  it('a child that fails is an error result for the parent, which continues', async () => {
    const one = await stage(two({ default: { fail: 'refused' } }))
    expect(await one.agent.prompt('go')).toMatchObject({ reason: 'normal' })
    expect(result(one)).toMatch(/helper did not finish \(error\)/)
    expect(one.of('subagent_stop')).toHaveLength(1)
    expect(one.of('session_end')).toHaveLength(1)
  })

  it.each(['subagent_start', 'session_start', 'turn_start', 'subagent_stop'] as const)(
    'a halt at %s of a child ends the run of its parent: the user takes over',
    async (event) => {
      const one = await stage(
        two({ turns: [{ say: 'Seven.' }] }, [transfer], {
          prepare: (hooks) =>
            void hooks.on(event as 'turn_start', ({ payload }) =>
              payload.agent_name === 'helper' ? { halt: { reason: 'Look at this.' } } : undefined,
            ),
        }),
      )
      expect(await one.agent.prompt('go')).toMatchObject({ reason: 'halted', detail: 'Look at this.' })
      expect(one.requests.filter(({ agent }) => agent === 'root')).toHaveLength(1)
      const times = (name: EventName) => one.of(name).filter(({ agent_name }) => agent_name === 'helper').length
      expect(times('session_end')).toBe(times('session_start'))
      expect(times('subagent_stop')).toBe(event === 'subagent_start' ? 0 : 1)
      expect(one.of('on_agent_switch')).toHaveLength(2)
    },
  )

  it('a child whose model cannot be opened returns all the same', async () => {
    const one = await stage({
      agents: { root: { subAgents: ['helper'] }, helper: { models: ['nowhere'] } },
      turns: [transfer],
    })
    expect(await one.agent.prompt('go')).toMatchObject({ reason: 'normal' })
    expect(result(one)).toContain('There is no model nowhere.')
    expect(one.of('on_agent_switch').map((payload) => payload['agent_switch_kind'])).toEqual([
      'transfer_task',
      'transfer_task_return',
    ])
  })

  it('agents that ask each other for ever come to an end', async () => {
    const one = await stage({
      agents: { root: { subAgents: ['root'], maxConsecutiveToolCalls: 2 } },
      script: { default: { call: { tool: 'transfer_task', input: { agent: 'root', task: 'You do it.' } } } },
    })
    expect(await one.agent.prompt('go')).toMatchObject({ reason: 'loop_detected' })
    expect(JSON.stringify(one.requests)).toContain('5 deep already')
    expect(one.of('subagent_stop')).toHaveLength(one.of('subagent_start').length)
  })

  it('canceling the parent cancels the child', async () => {
    const one = await stage(two({ default: { say: 'late', latency_ms: 60_000 } }))
    const running = one.agent.prompt('go')
    await until(() => one.requests.some(({ agent }) => agent === 'helper'))
    one.agent.cancel()
    expect(await running).toMatchObject({ reason: 'canceled' })
    expect(one.of('turn_end').map(({ reason }) => reason)).toEqual(['canceled', 'canceled'])
  })
})

describe('background agents', () => {
  it('work beside the conversation, and end with the session', async () => {
    const one = await stage({
      agents: { root: { subAgents: ['helper'], toolsets: [{ type: 'background_agents' }] }, helper: {} },
      script: {
        turns: [
          { call: { tool: 'run_background_agent', input: { agent: 'helper', task: 'Count.' } } },
          { call: { tool: 'list_background_agents' } },
        ],
        default: { say: 'ok' },
        agents: { helper: { default: { say: 'Seven.', latency_ms: 60_000 } } },
      },
    })
    expect(await one.agent.prompt('go')).toMatchObject({ reason: 'normal', response: 'ok' })
    expect(texts(one.agent.messages, 'tool').at(-1)).toMatch(/task_1 helper running: Count\./)
    await one.agent.end('other')
    expect(one.of('subagent_stop')).toHaveLength(1)
    expect(one.of('session_end')).toHaveLength(2)
  })

  it('their answer can be read', async () => {
    const one = await stage({
      agents: { root: { subAgents: ['helper'], toolsets: [{ type: 'background_agents' }] }, helper: {} },
      script: {
        turns: [
          { call: { tool: 'run_background_agent', input: { agent: 'helper', task: 'Count.' } } },
          { say: 'started' },
          { call: { tool: 'view_background_agent', input: { task_id: 'task_1' } } },
        ],
        default: { say: 'ok' },
        agents: { helper: { default: { say: 'Seven.' } } },
      },
    })
    await one.agent.prompt('go')
    await until(() => one.of('subagent_stop').length === 1)
    await one.agent.prompt('and?')
    expect(texts(one.agent.messages, 'tool').at(-1)).toBe('helper: done\nSeven.')
  })
})

describe('handoff', () => {
  const pair: Setting = {
    agents: {
      root: { handoffs: ['reviewer'], instruction: 'You write.' },
      reviewer: { handoffs: ['root'], instruction: 'You review.' },
    },
    script: {
      turns: [{ call: { tool: 'handoff', input: { agent: 'reviewer' } } }],
      default: { say: 'written' },
      agents: { reviewer: { default: { say: 'reviewed' } } },
    },
  }

  it('another agent goes on with the same conversation', async () => {
    const one = await stage(pair)
    expect(await one.agent.prompt('go')).toMatchObject({ response: 'reviewed' })
    expect(one.of('on_agent_switch')).toMatchObject([
      { from_agent: 'root', to_agent: 'reviewer', agent_switch_kind: 'handoff' },
    ])
    expect(one.requests.map(({ system }) => system)).toEqual(['You write.', 'You review.'])
    expect(one.agent.agentName).toBe('reviewer')
    expect(new Set(one.raised.map(({ payload }) => payload['session_id'])).size).toBe(1)
  })

  it('what the agent called beside it, and the turn, are still its own: no guard of its is passed by', async () => {
    const calls = [
      { tool: 'handoff', input: { agent: 'reviewer' } },
      { tool: 'echo', input: { text: 'rm' } },
    ]
    const one = await stage({ ...pair, tools: [echo], script: { ...pair.script, turns: [{ call: calls }] } })
    await one.agent.prompt('go')
    const names = (event: EventName) => one.of(event).map(({ agent_name }) => agent_name)
    expect(names('pre_tool_use')).toEqual(['root', 'root'])
    expect(names('post_tool_use')).toEqual(['root', 'root'])
    expect(names('turn_end')).toEqual(['root', 'reviewer'])
  })

  it('may be forced by the file: who has answered hands over, once', async () => {
    const one = await stage({
      agents: { root: { forceHandoff: 'reviewer' }, reviewer: { forceHandoff: 'root' } },
      script: { default: { say: 'written' }, agents: { reviewer: { default: { say: 'reviewed' } } } },
    })
    expect(await one.agent.prompt('go')).toMatchObject({ response: 'written' })
    expect(one.of('on_agent_switch')).toMatchObject([
      { from_agent: 'root', to_agent: 'reviewer', agent_switch_kind: 'force_handoff' },
      { from_agent: 'reviewer', to_agent: 'root', agent_switch_kind: 'force_handoff' },
    ])
    expect(one.requests.map(({ agent }) => agent)).toEqual(['root', 'reviewer', 'root'])
  })

  it('may be forced from outside', async () => {
    const one = await stage(pair)
    await one.agent.switchTo('reviewer')
    expect(one.of('on_agent_switch')).toMatchObject([{ agent_switch_kind: 'force_handoff' }])
    expect(await one.agent.prompt('go')).toMatchObject({ response: 'reviewed' })
    await expect(one.agent.switchTo('nobody')).rejects.toThrow('root, reviewer')
  })
})
