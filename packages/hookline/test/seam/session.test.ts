import { afterEach, expect, expectTypeOf, it } from 'vitest'
import { createHooks, type Hooks } from '../../src/index.ts'

const open: Hooks[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((hooks) => hooks.close()))
})
async function hooksWith(prepare: (hooks: Hooks) => void = () => {}): Promise<Hooks> {
  const hooks = await createHooks()
  open.push(hooks)
  prepare(hooks)
  return hooks
}

it('every event of a session carries its id and its defaults, which a payload may replace, but for the id', async () => {
  const seen: Record<string, unknown>[] = []
  const hooks = await hooksWith((all) => {
    for (const event of [
      'session_start',
      'user_prompt_submit',
      'before_llm_call',
      'pre_tool_use',
      'stop',
      'session_end',
    ] as const)
      all.on(event, (({ payload }: { payload: Record<string, unknown> }) => void seen.push(payload)) as never)
  })
  const session = hooks.session('s1', { cwd: '/work', agent_name: 'root' })
  await session.start()
  await session.prompt('hello')
  await session.model({ messages: [] }, () => 'hi')
  await session.guardTool({ tool_name: 't', tool_input: {}, session_id: 'other', agent_name: 'helper' }, () => 1)
  await session.stop({ response: 'hi' })
  await session.end('clear')
  expect(seen).toHaveLength(6)
  for (const payload of seen) expect(payload).toMatchObject({ session_id: 's1', cwd: '/work' })
  expect(seen.map(({ agent_name }) => agent_name)).toEqual(['root', 'root', 'root', 'helper', 'root', 'root'])
  expect(seen[5]).toMatchObject({ reason: 'clear' })
})

it('start gives the context, or says that a hook does not want the session', async () => {
  const hooks = await hooksWith(
    (all) => void all.on('session_start', () => ({ context: ['Be kind.'], message: ['hi'] })),
  )
  expect(await hooks.session('s').start('resume')).toMatchObject({
    ...{ outcome: 'started', reason: '', context: ['Be kind.'], messages: ['hi'] },
  })
  hooks.on('session_start', () => ({ halt: { reason: 'Not today.' } }))
  expect(await hooks.session('s').start()).toMatchObject({ outcome: 'halted', reason: 'Not today.' })
})

it('prompt gives the final prompt, or refuses', async () => {
  const hooks = await hooksWith((all) => {
    all.on('user_prompt_submit', ({ payload }) => {
      if (payload.prompt.includes('stop')) return { halt: { reason: 'over' } }
      if (payload.prompt.includes('bad')) return { decision: { ruling: 'deny', reason: 'no' } }
      return { rewrite: { mode: 'replace', value: payload.prompt.replace('secret', '***') }, context: ['c'] }
    })
  })
  const session = hooks.session('s')
  expect(await session.prompt('a secret')).toMatchObject({ outcome: 'accepted', prompt: 'a ***', context: ['c'] })
  expect(await session.prompt('bad')).toMatchObject({ outcome: 'refused', reason: 'no' })
  expect(await session.prompt('stop')).toMatchObject({ outcome: 'halted', reason: 'over' })
})

it('model sends the final messages, and gives back the final answer with all that came with it', async () => {
  const hooks = await hooksWith((all) => {
    all.on('before_llm_call', () => ({
      rewrite: { mode: 'replace', value: [{ role: 'user', content: '***' }] },
      context: ['now'],
    }))
    all.on('after_llm_call', ({ payload }) => ({
      rewrite: { mode: 'replace', value: `${payload.response} (${payload.cost})` },
    }))
  })
  const session = hooks.session('s')
  const sent: unknown[] = []
  const result = await session.model({ messages: [{ role: 'user', content: 'secret' }] }, (messages, { context }) => {
    sent.push(messages, context)
    return { response: 'fine', cost: 2, calls: ['x'] }
  })
  expect(sent).toEqual([[{ role: 'user', content: '***' }], ['now']])
  expect(result).toMatchObject({
    ...{ outcome: 'ran', input: [{ role: 'user', content: '***' }], output: { response: 'fine (2)', calls: ['x'] } },
  })
  if (result.outcome === 'ran') expectTypeOf(result.output.calls).toEqualTypeOf<string[]>()
})

it('a model that hooks do not want is not called; one that throws, or is stopped, gives no answer', async () => {
  const hooks = await hooksWith()
  const remove = hooks.on('before_llm_call', () => ({ decision: { ruling: 'deny', reason: 'too much' } }))
  const session = hooks.session('s')
  const never = () => expect.unreachable() as string
  expect(await session.model({ messages: [] }, never)).toMatchObject({ outcome: 'refused', reason: 'too much' })
  remove()
  await expect(session.model({ messages: [] }, () => Promise.reject(new Error('down')))).rejects.toThrow('down')
  const stop = new AbortController()
  hooks.on('after_llm_call', async () => stop.abort(new Error('stopped')))
  await expect(session.model({ messages: [] }, () => 'secret', { signal: stop.signal })).rejects.toThrow('stopped')
})

it('messages that hooks rewrote are read before they are sent', async () => {
  const hooks = await hooksWith((all) => {
    all.on('before_llm_call', () => ({ rewrite: { mode: 'replace', value: ['nonsense'] } }))
  })
  const parseMessages = () => {
    throw new Error('message 1 cannot be read')
  }
  await expect(
    hooks.session('s').model({ messages: [{ role: 'user' }] }, () => 'x', { parseMessages }),
  ).rejects.toThrow('message 1 cannot be read')
})

it('stop sends the agent back with a reason, as often as the engine lets it; a prompt begins anew', async () => {
  const flags: unknown[] = []
  const hooks = await hooksWith((all) => {
    all.on('stop', ({ payload }) => {
      flags.push(payload.stop_hook_active)
      return { decision: { ruling: 'deny', reason: flags.length % 2 ? 'Run the tests.' : '' } }
    })
  })
  const session = hooks.session('s')
  const rounds = async () => {
    await session.prompt('go')
    const outcomes: string[] = []
    for (let round = 0; round < 5 && outcomes.at(-1) !== 'stop'; round++) outcomes.push((await session.stop()).outcome)
    return outcomes
  }
  const capped = ['continue', 'continue', 'continue', 'stop']
  expect(await rounds()).toEqual(capped)
  expect(flags).toEqual([false, true, true, true])
  expect(await rounds()).toEqual(capped)
  await session.prompt('again')
  expect((await session.stop()).reason).toBe('Run the tests.')
  expect((await session.stop()).reason).toMatch(/check of your answer failed/)
})

it('a session that another object began still ends: the engine counts', async () => {
  const hooks = await hooksWith((all) => {
    all.on('stop', () => ({ decision: { ruling: 'deny', reason: 'again' } }))
  })
  const outcomes: string[] = []
  for (let round = 0; round < 4; round++) outcomes.push((await hooks.session('s').stop()).outcome)
  expect(outcomes).toEqual(['continue', 'continue', 'continue', 'stop'])
})

it('a halt at stop stops, and says that nothing else may go on', async () => {
  const hooks = await hooksWith((all) => void all.on('stop', () => ({ halt: { reason: 'over' } })))
  expect(await hooks.session('s').stop()).toMatchObject({ outcome: 'stop', halted: true, reason: 'over' })
})
