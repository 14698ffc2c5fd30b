import { describe, expect, it } from 'vitest'
import { makeTool, type Setting, texts } from '../../hookline/test/support/agent.ts'
import { keys, keysOf, stages } from '../../hookline/test/support/stages.ts'
import type { SessionRecord } from '../src/index.ts'

const stage = stages()
const summing = { when: { purpose: 'compaction' }, say: 'The user greets.', repeat: true as const }
const facts = ['input_tokens', 'output_tokens', 'context_limit', 'compaction_reason']
const order = ['pre_compact', 'before_compaction', 'after_compaction']
const compactions = (raised: readonly { event: string }[]) =>
  raised.map(({ event }) => event).filter((event) => order.includes(event))

async function talked(setting: Setting = {}) {
  const one = await stage({ script: { turns: [summing], default: { say: 'hi' } }, ...setting })
  await one.agent.prompt('hello')
  return one
}

describe('a compaction that the user asks for', () => {
  it('raises three events in order and replaces the conversation by the summary', async () => {
    const one = await talked()
    expect(await one.agent.compact()).toBe('done')
    expect(compactions(one.raised)).toEqual(order)
    expect(one.of('pre_compact')).toMatchObject([{ source: 'manual' }])
    expect(keysOf(one.of('pre_compact')[0])).toEqual(keys('source'))
    expect(keysOf(one.of('before_compaction')[0])).toEqual(keys(...facts))
    expect(keysOf(one.of('after_compaction')[0])).toEqual(keys(...facts, 'summary'))
    expect(one.of('after_compaction')).toMatchObject([
      { summary: 'The user greets.', compaction_reason: 'manual', context_limit: 200_000 },
    ])
    await one.agent.prompt('and now?')
    expect(texts(one.requests.at(-1)!.messages, 'user')[0]).toContain('The user greets.')
    expect(one.requests.at(-1)!.messages).toHaveLength(2)
  })

  it('pre_compact steers the summary with context, or cancels', async () => {
    const steered = await talked({
      prepare: (hooks) => void hooks.on('pre_compact', () => ({ context: ['Keep the file names.'] })),
    })
    await steered.agent.compact()
    expect(steered.requests.find(({ purpose }) => purpose === 'compaction')?.system).toContain('Keep the file names.')
    const cancelled = await talked({
      prepare: (hooks) => void hooks.on('pre_compact', () => ({ decision: { ruling: 'deny', reason: 'no' } })),
    })
    expect(await cancelled.agent.compact()).toBe('vetoed')
    expect(compactions(cancelled.raised)).toEqual(['pre_compact'])
    expect(cancelled.agent.messages).toHaveLength(2)
  })

  it('before_compaction vetoes, or supplies the summary: then no model is called', async () => {
    const vetoed = await talked({
      prepare: (hooks) => void hooks.on('before_compaction', () => ({ decision: { ruling: 'deny', reason: 'no' } })),
    })
    expect(await vetoed.agent.compact()).toBe('vetoed')
    expect(vetoed.of('after_compaction')).toEqual([])
    const supplied = await talked({
      prepare: (hooks) => void hooks.on('before_compaction', () => ({ rewrite: { mode: 'replace', value: 'Mine.' } })),
    })
    expect(await supplied.agent.compact()).toBe('done')
    expect(supplied.requests).toHaveLength(1)
    expect(supplied.of('after_compaction')).toMatchObject([{ summary: 'Mine.' }])
  })

  it('stopped in the middle by a hook or by the user, it is over, and nothing else is', async () => {
    const one = await talked({
      prepare: (hooks) =>
        void hooks.on('before_llm_call', ({ payload }) =>
          String(payload.system).startsWith('Sum up') ? { decision: { ruling: 'deny', reason: 'no' } } : undefined,
        ),
    })
    expect(await one.agent.compact()).toBe('vetoed')
    const states = one.happenings.filter(({ type }) => type === 'compaction')
    expect(states).toMatchObject([{ state: 'begun' }, { state: 'vetoed' }])
    expect(await one.agent.prompt('and now?')).toMatchObject({ reason: 'normal' })
  })

  it.each(['pre_compact', 'before_compaction'] as const)('a halt at %s ends the run that needed it', async (event) => {
    const one = await stage({
      script: { context_limit: 300, turns: [summing, { call: { tool: 'fill' } }], default: { say: 'hi' } },
      tools: [makeTool('fill', async () => ({ content: 'x'.repeat(1_100) }))],
      prepare: (hooks) => void hooks.on(event, () => ({ halt: { reason: 'Full.' } })),
    })
    expect(await one.agent.prompt('hello')).toMatchObject({ reason: 'halted', detail: 'Full.' })
    expect(one.of('turn_end')).toMatchObject([{ reason: 'hook_blocked' }])
  })

  it('a hard limit of model calls counts those of a run: a long session can still be summed up', async () => {
    const limit = {
      id: 'limit',
      event: 'before_llm_call',
      run: { type: 'builtin', name: 'max_iterations', args: { limit: 2 } },
    } as const
    const one = await stage({ hooks: [limit] })
    for (const text of ['one', 'two', 'three']) await one.agent.prompt(text)
    expect(await one.agent.compact()).toBe('done')
    expect(one.of('before_llm_call').map(({ iteration }) => iteration)).toEqual([1, 1, 1, 1])
  })

  it('what is sent to be summed up is seen by before_llm_call like everything else', async () => {
    const one = await talked({
      prepare: (hooks) =>
        void hooks.on('before_llm_call', ({ payload }) => ({
          rewrite: {
            mode: 'replace',
            value: (payload.messages as object[]).map((each) => ({ ...each, content: '***' })),
          },
        })),
    })
    await one.agent.compact()
    expect(one.requests.at(-1)?.messages).toEqual([{ role: 'user', content: '***' }])
  })
})

describe('a compaction that has to be', () => {
  const filling = (limit: number): Setting => ({
    script: { context_limit: limit, turns: [summing], default: { say: 'x'.repeat(400) } },
  })

  it('threshold: before the window is full', async () => {
    const one = await stage({ ...filling(1_000), compactAt: 0.5 })
    for (const prompt of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await one.agent.prompt(prompt.repeat(400))
    expect(one.of('pre_compact')[0]).toMatchObject({ source: 'auto' })
    expect(one.of('before_compaction')[0]).toMatchObject({ compaction_reason: 'threshold', context_limit: 1_000 })
    expect(one.requests.at(-1)!.messages.length).toBeLessThan(8)
  })

  it('threshold: the agent sets it, or turns it off', async () => {
    const prompts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((letter) => letter.repeat(100))
    const says = async (spec: NonNullable<Setting['spec']>) => {
      const one = await stage({ ...filling(4_000), spec })
      for (const prompt of prompts) await one.agent.prompt(prompt)
      return one.of('pre_compact').length
    }
    expect(await says({})).toBe(0)
    expect(await says({ compactAt: 0.1 })).toBeGreaterThan(0)
    expect(await says({ compactAt: 0.1, noCompaction: true })).toBe(0)
  })

  it('another model sums up, if one is named for it', async () => {
    const one = await talked({
      models: { small: { turns: [{ ...summing, say: 'In short.' }] } },
      spec: { compactionModel: 'small' },
    })
    expect(await one.agent.compact()).toBe('done')
    expect(one.of('after_compaction')).toMatchObject([{ summary: 'In short.' }])
    expect(one.of('before_llm_call').map(({ model_id }) => model_id)).toEqual(['rehearsal/main', 'rehearsal/small'])
  })

  it('overflow: the request does not fit; the conversation is compacted and sent again', async () => {
    const one = await stage({ ...filling(600), compactAt: 100 })
    const ends: string[] = []
    for (const prompt of ['a', 'b', 'c', 'd', 'e']) ends.push((await one.agent.prompt(prompt.repeat(400))).reason)
    expect(one.of('pre_compact')[0]).toMatchObject({ source: 'overflow' })
    expect(ends).toEqual(['normal', 'normal', 'normal', 'normal', 'normal'])
  })

  it('tool_overflow: results have filled the window', async () => {
    const one = await stage({
      script: {
        context_limit: 2_000,
        turns: [summing, { say: 'hi' }, { call: { tool: 'long' } }],
        default: { say: 'ok' },
      },
      tools: [makeTool('long', async () => ({ content: 'x'.repeat(6_000) }))],
      compactAt: 0.5,
    })
    await one.agent.prompt('hello')
    await one.agent.prompt('go')
    expect(one.of('pre_compact')).toMatchObject([{ source: 'tool_overflow' }])
    expect(one.of('before_compaction')).toMatchObject([{ compaction_reason: 'tool_overflow' }])
  })

  it('a vetoed overflow ends the run with the error', async () => {
    const one = await stage({
      ...filling(600),
      compactAt: 100,
      prepare: (hooks) => void hooks.on('before_compaction', () => ({ decision: { ruling: 'deny', reason: 'no' } })),
    })
    const ends: string[] = []
    for (const prompt of ['a', 'b', 'c', 'd', 'e']) ends.push((await one.agent.prompt(prompt.repeat(400))).reason)
    expect(ends).toContain('error')
  })
})

describe('a compaction in the middle of the first run', () => {
  it('keeps the request of the user, word for word and with its pictures, also when it is resumed', async () => {
    const records: SessionRecord[] = []
    const openLog = async () => ({
      append: (record: SessionRecord) => void records.push(record),
      flush: async () => {},
      close: async () => {},
    })
    const one = await stage({
      script: { turns: [summing, { call: { tool: 'big' } }, { say: 'Done.' }], context_limit: 10_000 },
      tools: [makeTool('big', async () => ({ content: 'x'.repeat(38_000) }))],
      openLog,
    })
    const attachments = [{ name: 'a.png', media_type: 'image/png', data: 'iVBORw0KGgo=' }]
    await one.agent.prompt('Rename foo to bar everywhere.', { attachments })
    expect(one.of('after_compaction')).toMatchObject([{ summary: 'The user greets.' }])
    const sent = texts(one.requests.at(-1)!.messages, 'user').join()
    expect(sent).toContain('The user greets.')
    expect(sent).toContain('Rename foo to bar everywhere.')
    expect(one.requests.at(-1)!.messages).toContainEqual(expect.objectContaining({ attachments }))
    const again = await stage({ resume: records })
    expect(again.agent.messages).toContainEqual(expect.objectContaining({ attachments }))
    expect(JSON.stringify(again.agent.messages)).toContain('Rename foo to bar everywhere.')
  })
})
