import { afterEach, describe, expect, expectTypeOf, it } from 'vitest'
import { createHooks, type Hooks, type ToolOutcome, type Verdict } from '../../src/index.ts'

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
const call = (input: Record<string, unknown> = { text: 'a' }) => ({ tool_name: 'work', tool_input: input })
const deny = { decision: { ruling: 'deny', reason: 'no' } } as const
const asks = { decision: { ruling: 'ask', reason: 'Look first.' } } as const
const eventsOf = ({ steps }: ToolOutcome<object, unknown>) => steps.map(({ event }) => event)

describe('guardTool', () => {
  it('without hooks it runs the function, and every event of the line is raised', async () => {
    const hooks = await hooksWith()
    const result = await hooks.guardTool(call(), ({ text }) => `did ${text}`)
    expect(result).toMatchObject({ outcome: 'ran', error: false, output: 'did a', input: { text: 'a' }, reason: '' })
    expect(eventsOf(result)).toEqual([
      ...['pre_tool_use', 'tool_guard', 'on_tool_approval_decision', 'tool_response_transform', 'post_tool_use'],
    ])
  })

  it('a call without an id gets one, the same in all its events, and calls beside it get others', async () => {
    const ids: unknown[] = []
    const hooks = await hooksWith((all) => {
      all.on('pre_tool_use', ({ payload }) => void ids.push(payload.tool_use_id))
      all.on('post_tool_use', ({ payload }) => void ids.push(payload.tool_use_id))
    })
    await Promise.all([1, 2, 3].map((n) => hooks.guardTool(call({ n }), () => n)))
    expect(ids).toHaveLength(6)
    expect(new Set(ids).size).toBe(3)
    expect(new Set(ids)).not.toContain(undefined)
  })

  it('without `ask`, what would be asked is refused, and the reason says so', async () => {
    const hooks = await hooksWith((all) => void all.on('pre_tool_use', () => asks))
    const result = await hooks.guardTool(call(), never)
    expect(result).toMatchObject({ outcome: 'refused', canceled: false, source: 'non_interactive_deny' })
    expect(result.reason).toMatch(/requires user confirmation.*Look first\./)
  })

  it.each([
    [true, 'ran', 'user_approved'],
    [{ approved: true, source: 'user_approved_session' }, 'ran', 'user_approved_session'],
    [false, 'refused', 'user_rejected'],
    [{ approved: false, reason: 'use a branch' }, 'refused', 'user_rejected'],
  ] as const)('the person who answers %j decides', async (answer, outcome, source) => {
    const questions: unknown[] = []
    const hooks = await hooksWith((all) => void all.on('tool_guard', () => asks))
    const result = await hooks.guardTool(call(), () => 'done', {
      ask(question) {
        questions.push(question)
        return answer
      },
    })
    expect(result).toMatchObject({ outcome, source })
    expect(questions).toMatchObject([
      { tool_name: 'work', input: { text: 'a' }, reason: 'Look first.', onlyPerson: true },
    ])
    if (typeof answer === 'object' && 'reason' in answer) expect(result.reason).toContain('use a branch')
  })

  it('a person who answers neither yes nor no has not approved', async () => {
    const hooks = await hooksWith((all) => void all.on('pre_tool_use', () => asks))
    for (const answer of [null, 0, 'yes', {}, { approved: 'yes' }])
      expect(await hooks.guardTool(call(), never, { ask: () => answer as never }).catch(String)).not.toMatchObject({
        outcome: 'ran',
      })
  })

  it('rules of the host judge the final input; their deny wins over an allow of a hook', async () => {
    const hooks = await hooksWith((all) => {
      all.on('pre_tool_use', () => ({
        decision: { ruling: 'allow', reason: '' },
        rewrite: { mode: 'merge', value: { text: 'bad' } },
      }))
    })
    const result = await hooks.guardTool(call(), never, {
      rules: ({ text }) => (text === 'bad' ? { ruling: 'deny', reason: 'Not that.', source: 'mine' } : undefined),
    })
    expect(result).toMatchObject({ outcome: 'refused', reason: 'Not that.', source: 'mine', input: { text: 'bad' } })
  })

  it('a hook that fails closed refuses', async () => {
    const hooks = await hooksWith((all) => {
      all.on('pre_tool_use', () => {
        throw new Error('broken')
      })
    })
    expect(await hooks.guardTool(call(), never)).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('broken'),
    })
  })

  it('a rewrite that the tool does not take is refused; one that it takes is what `parseInput` made of it', async () => {
    const hooks = await hooksWith((all) => {
      all.on('pre_tool_use', ({ payload }) => ({
        rewrite: { mode: 'merge', value: { n: payload.tool_input['next'] } },
      }))
    })
    const parseInput = ({ n }: Record<string, unknown>) => {
      if (typeof n !== 'number') throw new Error('`n` must be a number')
      return { n, next: 0 }
    }
    const run = (next: unknown) =>
      hooks.guardTool({ tool_name: 'count', tool_input: { n: 1, next: next as number } }, ({ n }) => n + 1, {
        parseInput,
      })
    expect(await run('x')).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('`n` must be a number'),
    })
    expect(await run(7)).toMatchObject({ outcome: 'ran', input: { n: 7, next: 0 }, output: 8 })
  })

  it('what the caller or the tool does to its object changes nothing that hooks judged or see', async () => {
    const inputs: unknown[] = []
    const given = { text: 'a', more: { list: [1] } }
    const hooks = await hooksWith((all) => {
      all.on('pre_tool_use', async () => {
        given.text = 'rm -rf /'
        given.more.list.push(2)
      })
      all.on('post_tool_use', ({ payload }) => void inputs.push(payload.tool_input))
    })
    const result = await hooks.guardTool({ tool_name: 'work', tool_input: given }, (input) => {
      inputs.push(structuredClone(input))
      input.more.list.length = 0
      return ''
    })
    const asGiven = { text: 'a', more: { list: [1] } }
    expect([...inputs, result.input]).toEqual([asGiven, asGiven, asGiven])
  })

  it('what a tool throws is a failed run: hooks see and redact its text, and the program gets what was thrown', async () => {
    const thrown = new TypeError('token abc is wrong')
    const hooks = await hooksWith((all) => {
      all.on('tool_response_transform', ({ payload }) => ({
        rewrite: { mode: 'replace', value: String(payload.tool_response).replace('abc', '***') },
      }))
      all.on('post_tool_use_failure', ({ payload }) => ({ context: [`seen: ${payload.error}`] }))
    })
    const result = await hooks.guardTool(call(), () => {
      throw thrown
    })
    expect(result).toMatchObject({ outcome: 'ran', error: true, output: 'token *** is wrong', thrown })
    expect(result.context).toEqual(['seen: token *** is wrong'])
    expect(eventsOf(result).slice(-3)).toEqual(['tool_response_transform', 'post_tool_use_failure', 'post_tool_use'])
  })

  it('an output that means failure is one', async () => {
    const hooks = await hooksWith()
    const result = await hooks.guardTool(call(), () => ({ isError: true, text: 'no' }), {
      isError: (out) => out.isError,
    })
    expect(result).toMatchObject({ outcome: 'ran', error: true, output: { isError: true, text: 'no' } })
    expect(eventsOf(result)).toContain('post_tool_use_failure')
  })

  it('a signal before the decision cancels; in the tool, the closing events still run; a tool that hangs is given up', async () => {
    const hooks = await hooksWith()
    const early = await hooks.guardTool(call(), never, { signal: AbortSignal.abort() })
    expect(early).toMatchObject({ outcome: 'refused', canceled: true, source: 'context_canceled' })
    const stop = new AbortController()
    const late = await hooks.guardTool(
      call(),
      () => {
        stop.abort(new Error('stopped'))
        return new Promise<string>(() => {})
      },
      { signal: stop.signal, stopMs: 5 },
    )
    expect(late).toMatchObject({ outcome: 'ran', error: true, output: 'stopped' })
    expect(eventsOf(late)).toContain('post_tool_use')
  })

  it('an output is withheld when hooks were cut off before they had seen it', async () => {
    const stop = new AbortController()
    const hooks = await hooksWith((all) => {
      all.on('tool_response_transform', async () => {
        stop.abort()
        return { rewrite: { mode: 'replace', value: '***' } }
      })
    })
    const result = await hooks.guardTool(call(), () => 'secret', { signal: stop.signal })
    expect(result).toMatchObject({ outcome: 'ran', error: true })
    expect(JSON.stringify(result)).not.toContain('secret')
  })

  it('a halt or a denied result after the run halts, with the output', async () => {
    const halting = await hooksWith((all) => void all.on('post_tool_use', () => ({ halt: { reason: 'over' } })))
    expect(await halting.guardTool(call(), () => 'x')).toMatchObject({
      ...{ outcome: 'halted', ran: true, afterBatch: false, reason: 'over', output: 'x' },
    })
    const denying = await hooksWith((all) => void all.on('post_tool_use', () => deny))
    expect(await denying.guardTool(call(), () => 'x')).toMatchObject({
      ...{ outcome: 'halted', ran: true, afterBatch: true, reason: 'no', output: 'x' },
    })
    const before = await hooksWith((all) => void all.on('tool_guard', () => ({ halt: { reason: 'over' } })))
    expect(await before.guardTool(call(), never)).toMatchObject({ outcome: 'halted', ran: false, output: undefined })
  })

  it('gives back the texts of hooks: for the model in order, for the user once', async () => {
    const hooks = await hooksWith((all) => {
      all.on('pre_tool_use', () => ({ context: ['one'], message: ['hello'] }))
      all.on('post_tool_use', () => ({ context: ['three'], message: ['hello'], metadata: { risk: 'low' } }))
    })
    const result = await hooks.guardTool(call(), (_input, { addContext }) => addContext('two'))
    expect(result).toMatchObject({ context: ['one', 'two', 'three'], messages: ['hello'], metadata: { risk: 'low' } })
  })
})

describe('outputs that are more than JSON', () => {
  const circular: { name: string; self?: unknown } = { name: 'secret' }
  circular.self = circular
  class Row {
    readonly text = 'secret'
  }
  it.each([
    ['a map', new Map([['k', 'secret']])],
    ['a set', new Set(['secret'])],
    ['bytes', new TextEncoder().encode('a secret b')],
    ['an error', new Error('secret')],
    ['an instance', new Row()],
    ['an object with toJSON', { toJSON: () => 'secret' }],
    ['a circle', circular],
    ['a list of these', [new Map([[1, new Set(['secret'])]])]],
  ])('%s: hooks see what is in it, and it comes back as it is unless they change it', async (_name, output) => {
    let seen = ''
    const hooks = await hooksWith((all) => {
      all.on('tool_response_transform', ({ payload }) => {
        seen = JSON.stringify(payload.tool_response)
      })
    })
    expect((await hooks.guardTool(call(), () => output as unknown)).output).toBe(output)
    expect(seen).toContain('secret')
    hooks.on('post_tool_use', () => ({ rewrite: { mode: 'replace', value: '***' } }))
    expect((await hooks.guardTool(call(), () => output as unknown)).output).toBe('***')
  })

  it.each([
    ['a stream', () => new ReadableStream()],
    ['a response', () => new Response('secret')],
    [
      'an iterator',
      async function* () {
        yield 'secret'
      },
    ],
  ])('%s is withheld: no hook can read it', async (_name, make) => {
    const hooks = await hooksWith()
    const result = await hooks.guardTool(call(), () => make() as unknown)
    expect(result).toMatchObject({ outcome: 'ran', error: true, output: expect.stringContaining('collect it first') })
    expect(eventsOf(result)).toContain('post_tool_use')
  })

  it('nothing has no response; what JSON has no word for is left out', async () => {
    const seen: unknown[] = []
    const hooks = await hooksWith((all) => void all.on('post_tool_use', ({ payload }) => void seen.push(payload)))
    const run = () => {}
    expect((await hooks.guardTool(call(), () => undefined)).output).toBeUndefined()
    expect((await hooks.guardTool(call(), () => ({ run, a: 1n }))).output).toEqual({ run, a: 1n })
    expect('tool_response' in (seen[0] as object)).toBe(false)
    expect(seen[1]).toMatchObject({ tool_response: { a: 1n } })
  })

  it('an input that hooks cannot see never runs', async () => {
    let deep: object = {}
    for (let level = 0; level < 100; level++) deep = { deep }
    const hooks = await hooksWith()
    await expect(hooks.guardTool(call({ deep }), never)).rejects.toThrow(/tool_input.*nested/)
    await expect(hooks.guardTool(call({ body: new ReadableStream() }), never)).rejects.toThrow(/tool_input.*collect/)
  })
})

describe('types', () => {
  it('say what is final', async () => {
    const hooks = await hooksWith()
    const text = await hooks.guardTool({ tool_name: 't', tool_input: { n: 1 } }, ({ n }) => `${n + 1}`)
    expectTypeOf(text.input).toEqualTypeOf<{ n: number }>()
    if (text.outcome === 'ran') expectTypeOf(text.output).toEqualTypeOf<string>()
    if (text.outcome === 'refused') expectTypeOf(text.output).toEqualTypeOf<undefined>()

    const rows = await hooks.guardTool(call(), () => ({ rows: [1] }))
    // @ts-expect-error a hook may have made any JSON of it
    if (rows.outcome === 'ran' && !rows.error) void rows.output.rows
    const parsed = await hooks.guardTool(call(), () => ({ rows: [1] }), { parseOutput: () => ({ rows: [2] }) })
    if (parsed.outcome === 'ran' && !parsed.error) expectTypeOf(parsed.output).toEqualTypeOf<{ rows: number[] }>()
    // @ts-expect-error arguments are named
    void (() => hooks.guardTool({ tool_name: 't', tool_input: 'text' }, () => ''))
  })

  it('of a verdict follow its event', () => {
    expectTypeOf<Verdict<'pre_tool_use'>['payload']['tool_input']>().toEqualTypeOf<Record<string, unknown>>()
    expectTypeOf<Verdict<'user_prompt_submit'>['payload']['prompt']>().toEqualTypeOf<string>()
    expectTypeOf<Verdict<'after_llm_call'>['payload']['response']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Verdict['payload']['tool_input']>().toEqualTypeOf<unknown>()
    expectTypeOf<Verdict<'stop'>>().toExtend<Verdict>()
    // @ts-expect-error it is final
    void ((verdict: Verdict<'pre_tool_use'>) => (verdict.payload.tool_name = 'other'))
  })
})

function never(): never {
  throw new Error('It must not run.')
}
