import { describe, expect, it } from 'vitest'
import { echo, texts } from '../../hookline/test/support/agent.ts'
import { keys, keysOf, stages } from '../../hookline/test/support/stages.ts'

const stage = stages()
const claim = (summary: string) => ({ say: 'I think so.', call: { tool: 'claim_completion', input: { summary } } })

describe('on_completion_claim', () => {
  it('is raised when the agent claims; a claim that survives ends the goal', async () => {
    const one = await stage({ turns: [{ call: { tool: 'echo', input: { text: 1 } } }, claim('Built.')], tools: [echo] })
    expect(await one.agent.goal('Build it.')).toEqual({ reason: 'normal', response: 'Built.' })
    expect(one.of('on_completion_claim')).toMatchObject([
      { goal: 'Build it.', summary: 'Built.', response: 'I think so.', stop_hook_active: false },
    ])
    expect(one.of('on_completion_claim')[0]?.['tool_names']).toContain('echo')
    expect(keysOf(one.of('on_completion_claim')[0])).toEqual(
      keys('turn_id', 'goal', 'summary', 'response', 'tool_names', 'stop_hook_active'),
    )
  })

  it('deny: the goal loop goes on, and the agent knows why', async () => {
    const one = await stage({
      turns: [claim('Published.'), claim('Really published.')],
      prepare: (hooks) =>
        void hooks.on('on_completion_claim', ({ payload }) =>
          payload.summary === 'Published.'
            ? { decision: { ruling: 'deny', reason: 'There is no such page.' } }
            : undefined,
        ),
    })
    expect(await one.agent.goal('Publish it.')).toMatchObject({ response: 'Really published.' })
    expect(one.of('on_completion_claim').map((payload) => payload['stop_hook_active'])).toEqual([false, true])
    expect(texts(one.requests[1]!.messages, 'tool')[0]).toContain('There is no such page.')
  })

  it('context of a refused claim is seen by the next call of the model', async () => {
    const one = await stage({
      turns: [claim('a'), claim('b')],
      prepare: (hooks) =>
        void hooks.on('on_completion_claim', ({ payload }) =>
          payload.summary === 'a'
            ? { decision: { ruling: 'deny', reason: 'no' }, context: ['Look at CI.'] }
            : undefined,
        ),
    })
    await one.agent.goal('x')
    expect(one.requests.map(({ messages }) => texts(messages, 'system'))).toEqual([[], ['Look at CI.']])
  })

  it('a claim that is denied four times is no success: the goal is given up, with the last reason', async () => {
    const one = await stage({
      turns: [{ ...claim('Done.'), repeat: true }],
      spec: { maxConsecutiveToolCalls: 10 },
      prepare: (hooks) =>
        void hooks.on('on_completion_claim', () => ({ decision: { ruling: 'deny', reason: 'The tests fail.' } })),
    })
    const end = await one.agent.goal('x')
    expect(end).toMatchObject({ reason: 'gave_up', detail: expect.stringContaining('The tests fail.') })
    expect(one.of('on_completion_claim')).toHaveLength(4)
    const notices = one.happenings.flatMap((each) => (each.type === 'notice' ? [each.text] : []))
    expect(notices).not.toContain('The goal is reached.')
    expect(notices.some((text) => text.includes('given up'))).toBe(true)
  })

  it('the final reply passes on_response_end, like every reply', async () => {
    const one = await stage({
      turns: [claim('The key is x.')],
      prepare: (hooks) =>
        void hooks.on('on_response_end', () => ({ rewrite: { mode: 'replace', value: 'The key is ***.' } })),
    })
    expect(await one.agent.goal('x')).toEqual({ reason: 'normal', response: 'The key is ***.' })
    expect(one.of('on_response_end')).toMatchObject([{ response: 'The key is x.', tool_names: ['claim_completion'] }])
  })

  it('hooks of the prompt see what the user wrote, and what they make of it is the goal from then on', async () => {
    const one = await stage({
      turns: [{ say: 'Done?' }, claim('Yes.')],
      prepare: (hooks) =>
        void hooks.on('user_prompt_submit', () => ({ rewrite: { mode: 'replace', value: 'Log in with ***.' } })),
    })
    await one.agent.goal('Log in with hunter2.')
    expect(one.of('user_prompt_submit')).toMatchObject([{ prompt: 'Log in with hunter2.' }])
    expect(one.of('on_completion_claim')).toMatchObject([{ goal: 'Log in with ***.' }])
    expect(JSON.stringify(one.requests)).not.toContain('hunter2')
  })

  it('halt ends the goal', async () => {
    const one = await stage({
      turns: [claim('Done.')],
      prepare: (hooks) => void hooks.on('on_completion_claim', () => ({ halt: { reason: 'A person must look.' } })),
    })
    expect(await one.agent.goal('x')).toMatchObject({ reason: 'halted', detail: 'A person must look.' })
  })

  it('an agent that stops without a claim is sent on, and given up after a while', async () => {
    const one = await stage({ turns: [{ say: 'Done?' }, claim('Yes.')] })
    expect(await one.agent.goal('x')).toMatchObject({ response: 'Yes.' })
    const lazy = await stage({ script: { default: { say: 'Hm.' } } })
    expect(await lazy.agent.goal('x')).toMatchObject({ reason: 'gave_up' })
    expect(lazy.requests.length).toBeGreaterThan(3)
  })

  it('outside a goal there is nothing to claim', async () => {
    const one = await stage({ turns: [claim('Done.')] })
    await one.agent.prompt('x')
    expect(one.of('on_completion_claim')).toEqual([])
    expect(texts(one.agent.messages, 'tool')[0]).toContain('no tool `claim_completion`')
  })
})

describe('on_outbound_message', () => {
  const sending = (sent: string[]) => ({
    channels: ['console', 'telegram'],
    send: async (channel: string, text: string) => void sent.push(`${channel}: ${text}`),
  })
  const send = { call: { tool: 'send_message', input: { channel: 'telegram', message: 'my key is x' } } }

  it('sees what is about to leave, by tool or by command, and may change it', async () => {
    const sent: string[] = []
    const one = await stage({
      ...sending(sent),
      turns: [send],
      prepare: (hooks) => void hooks.on('on_outbound_message', () => ({ rewrite: { mode: 'replace', value: '***' } })),
    })
    await one.agent.prompt('go')
    await one.agent.notify('console', 'hello')
    expect(sent).toEqual(['telegram: ***', 'console: ***'])
    expect(one.of('on_outbound_message')[0]).toMatchObject({ notification: 'my key is x', type: 'telegram' })
  })

  it('halt: it is not sent, and the run ends', async () => {
    const sent: string[] = []
    const one = await stage({
      ...sending(sent),
      turns: [send],
      prepare: (hooks) => void hooks.on('on_outbound_message', () => ({ halt: { reason: 'A leak.' } })),
    })
    expect(await one.agent.prompt('go')).toMatchObject({ reason: 'halted', detail: 'A leak.' })
    expect(sent).toEqual([])
    expect(one.requests).toHaveLength(1)
  })

  it('deny: it is not sent, and the model gets the reason', async () => {
    const sent: string[] = []
    const one = await stage({
      ...sending(sent),
      turns: [send],
      prepare: (hooks) =>
        void hooks.on('on_outbound_message', () => ({ decision: { ruling: 'deny', reason: 'No keys.' } })),
    })
    await one.agent.prompt('go')
    expect(sent).toEqual([])
    expect(texts(one.agent.messages, 'tool')).toEqual(['Not sent: No keys.'])
    expect(await one.agent.notify('console', 'x')).toEqual({ sent: false, reason: 'No keys.' })
  })
})
