import { describe, expect, it } from 'vitest'
import type { Hook, TextTest } from '../../src/core/index.ts'
import { everruns } from '../../src/dialects/everruns/index.ts'
import { runOf } from '../../src/dialects/everruns/spec.ts'
import fc from '../support/property.ts'
import { codes, lawsOf } from './laws.ts'

const { decode, problems, decodeReply, passesOn, keepsHooks, keepsVerdict, neverThrows, eventOf, hookOf } =
  lawsOf(everruns)
const bash = { type: 'bash', command: 'true' }
const spec = (more: object = {}) => ({ event: 'pre_tool_use', executor: bash, ...more })
const matcherOf = (matcher: object) => decode({ hooks: [spec({ matcher })] }).hooks[0]?.matcher.map(({ test }) => test)

describe('config', () => {
  it('is found by its shape', () => {
    const { detect } = everruns.config
    expect(detect({ capabilities: [{ ref: 'user_hooks' }] }, 'a.json')).toBe(true)
    expect(detect({ hooks: [spec()] }, 'a.json')).toBe(true)
    expect(detect({ disabled_contributions: [] }, 'a.json')).toBe(true)
    expect(detect({ definition: { name: 'p', user_hooks: [] } }, 'a.json')).toBe(true)
    expect(detect({ version: 1, hooks: [] }, 'a.json')).toBe(false)
    expect(detect({ hooks: [{ event: 'pre_tool_use', command: 'x' }] }, 'a.json')).toBe(false)
    expect(detect({ hooks: { PreToolUse: [] } }, 'a.json')).toBe(false)
  })

  it('a hook without options has those of the document', () => {
    const [hook] = decode({ hooks: [spec()] }).hooks
    expect(hook).toMatchObject({ id: 'user:pre_tool_use_0', timeoutMs: 5000, onFailure: 'warn', judgesOnce: true })
    expect(hook?.run).toEqual({
      type: 'sandbox',
      command: 'true',
      output_limit: 65536,
      limits: { commands: 200, loop_iterations: 2000, call_depth: 32, script_bytes: 65536 },
    })
  })

  it('ids count all entries of their capability, and are unique', () => {
    const hooks = [spec(), spec({ event: 'turn_end' }), spec({ id: 'x' }), spec({ id: 'x' }), spec({ id: 'user:y' })]
    const decoded = decode({
      capabilities: [
        { ref: 'pack', user_hooks: [spec()] },
        { ref: 'user_hooks', config: { hooks } },
      ],
    })
    expect(decoded.hooks.map(({ id }) => id)).toEqual([
      ...['pack:pre_tool_use_0', 'user:pre_tool_use_0', 'user:turn_end_1', 'user:x', 'user:x_2', 'user:y'],
    ])
    expect(decoded.hooks.map(({ stage }) => stage)).toEqual([0, 1, 2, 3, 4, 5])
    expect(codes(decoded.notes)).toEqual(['duplicate-id'])
  })

  it.each([
    [{ timeout_ms: 99 }, 'is out of range (100..=30000)'],
    [{ timeout_ms: 100.5 }, 'is out of range'],
    [{ event: 'pre_tool_us' }, 'Did you mean `pre_tool_use`?'],
    [{ event: undefined }, '`hooks[0].event` is missing'],
    [{ executor: { type: 'webhook', url: 'https://x' } }, '`hooks[0].executor.type` must be `bash`'],
    [{ executor: { type: 'bash', command: '  ' } }, 'is empty'],
    [{ executor: { type: 'bash', command: 'x'.repeat(16_385) } }, 'is longer than 16384 bytes'],
    [
      { executor: { ...bash, env: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`V${i}`, ''])) } },
      'more than 16 variables',
    ],
    [{ executor: { ...bash, env: { A: 1 } } }, 'must be an object of texts'],
    [{ on_error: 'ignore' }, 'must be `block`, `allow` or `warn`'],
    [{ matcher: { tool_name: 'é'.repeat(1_025) } }, 'is longer than 2048 bytes'],
    [{ matcher: { tool_name_glob: 'a*b' } }, 'contains unsupported syntax'],
    [{ matcher: { tool_name_glob: 'a?' } }, 'contains unsupported syntax'],
    [{ matcher: { args_jsonpath: 'a', match_regex: 'x', deny_regex: 'y' } }, 'is set beside `match_regex`'],
    [{ matcher: { args_jsonpath: 'a', match_regex: '[a-z&&[^b]]' } }, 'uses `&&` in a class'],
    [{ matcher: 'bash' }, 'must be an object'],
    [{ event: 'session_start', matcher: { tool_name: 'x' } }, 'is not accepted on session_start'],
  ])('%j is refused', (more, words) => {
    expect(problems({ hooks: [spec(more)] })).toEqual([expect.stringContaining(words)])
  })

  it('more than 64 hooks, or 256 KiB, are refused', () => {
    expect(problems({ hooks: Array.from({ length: 65 }, () => spec()) })).toEqual([expect.stringContaining('65 hooks')])
    expect(decode({ hooks: [spec({ description: 'x'.repeat(300_000) })] }).problems[0]?.code).toBe('config-too-large')
  })

  it('an empty matcher is none, also where there is no tool', () => {
    expect(decode({ hooks: [spec({ event: 'turn_end', matcher: {} }), spec({ matcher: null })] }).hooks).toHaveLength(2)
  })

  it('matchers are read as documented', () => {
    expect(matcherOf({ tool_name: 'bash' })).toEqual([{ names: ['bash'] }])
    expect(matcherOf({ tool_name_glob: ' a | b |mcp_* ' })).toEqual([{ names: ['a', 'b'], prefixes: ['mcp_'] }])
    expect(matcherOf({ tool_name: 'a', tool_name_glob: '*' })).toEqual([
      { names: ['a'] },
      { names: [], prefixes: [''] },
    ])
    expect(matcherOf({ args_jsonpath: '$.a..b' })).toEqual([{ any: true }])
    expect(matcherOf({ args_jsonpath: 'a', deny_regex: 'x' })).toEqual([{ regex: 'x', whole: false }])
    const [hook] = decode({ hooks: [spec({ matcher: { args_jsonpath: '$.a..b', match_regex: '^$' } })] }).hooks
    expect(hook?.matcher[0]).toMatchObject({ facet: 'args', path: ['a', 'b'], keysOnly: true, test: { regex: '^$' } })
  })

  it.each([
    [{ tool_name_glob: ' | ' }, 'names no tool'],
    [{ tool_name: '' }, 'no tool has an empty name'],
    [{ match_regex: 'x' }, 'without `args_jsonpath`'],
    [{ deny_regex: 'x' }, 'without `args_jsonpath`'],
  ])('a matcher that can never match loads, never matches, and is noted: %j', (matcher, words) => {
    const { hooks, problems, notes } = decode({ hooks: [spec({ matcher })] })
    expect(problems).toEqual([])
    expect(hooks[0]?.matcher[0]).toMatchObject({ facet: 'tool', test: { names: [] } })
    expect(notes).toEqual([
      expect.objectContaining({ code: 'matcher-dead', message: expect.stringContaining(words) as string }),
    ])
  })

  it('muting an id mutes every hook that has it', () => {
    const hooks = [spec({ id: 'a' }), spec({ id: 'a' }), spec({ id: 'b' })]
    const decoded = decode({ hooks, disabled_contributions: ['user:a'] })
    expect(decoded.hooks.map(({ id, enabled }) => [id, enabled])).toEqual([
      ['user:a', false],
      ['user:a_2', false],
      ['user:b', true],
    ])
  })
})

describe('payloads', () => {
  const head = {
    session_id: 'ses_1',
    turn_id: 'trn_1',
    org_id: null,
    agent_id: 'agt_1',
    ts: '2026-05-28T12:34:56.789Z',
  }
  const call = { tool_name: 'bash', tool_call_id: 'call_1', arguments: { command: 'ls' } }

  it.each([
    ['session_start', { agent_id: 'agt_1' }],
    ['user_prompt_submit', { message: 'hello' }],
    ['pre_tool_use', call],
    ['post_tool_use', { ...call, result: { a: 1 }, error: null, success: true }],
    ['post_tool_use', { ...call, result: null, error: 'boom', success: false }],
    ['turn_end', { success: false, tool_calls: [] }],
    ['session_end', { reason: 'deleted' }],
  ])('%s: %j', (event, data) => passesOn({ event, hook_id: 'user:x', ...head, data }, { id: 'user:x' }))

  it('a failed tool sends its response as the error', () => {
    const event = eventOf('post_tool_use', {
      tool_name: 'x',
      tool_input: {},
      tool_response: 'no such file',
      tool_error: true,
    })
    expect(JSON.parse(everruns.event.encode(event, hookOf('post_tool_use')).body).data).toEqual({
      ...{
        tool_name: 'x',
        tool_call_id: '',
        arguments: {},
        result: 'no such file',
        error: 'no such file',
        success: false,
      },
    })
  })

  it('an event that it does not have is not guessed at', () => {
    expect(everruns.event.decode({ event: 'stop' })).toMatchObject({ ok: false, problem: { code: 'unknown-event' } })
    expect(everruns.event.decode({})).toMatchObject({ ok: false, problem: { code: 'payload-invalid' } })
    expect(everruns.event.decode({ event: 'turn_end' }, 'session_end')).toMatchObject({ ok: false })
  })
})

describe('replies', () => {
  it.each([
    ['{"decision":"block"} trailing', { failure: 'invalid-output' }],
    ['{"decision":"block","decision":"allow"}', { failure: 'invalid-output' }],
    ['[]', { failure: 'invalid-output' }],
    ['{"decision":42}', { failure: 'invalid-output' }],
    ['{"decision":"toString"}', { failure: 'invalid-output' }],
    ['{"reason":false}', { failure: 'invalid-output' }],
    ['{"decision":"mutate","patch":null}', { failure: 'invalid-output' }],
    ['{"decision":"BLOCK"}', { failure: 'invalid-output' }],
    ['{"decison":"block"}', { notes: ['reply-field-ignored'] }],
    ['{"decision":"allow","reason":"fine"}', { notes: ['reply-value-ignored'] }],
    ['{"decision":"allow","patch":{"arguments":{}}}', { notes: ['reply-value-ignored'] }],
    ['{"decision":"mutate","patch":{"arguments":{"a":1}}}', { rewrite: { mode: 'merge', value: { a: 1 } }, notes: [] }],
    ['{"decision":"mutate","patch":{"arguments":[]}}', { notes: ['reply-value-ignored'] }],
    ['{"decision":"mutate","patch":{"name":"x"}}', { notes: ['reply-value-ignored'] }],
    ['{"decision":"mutate","patch":"x"}', { notes: ['reply-value-ignored'] }],
  ])('%s', (stdout, expected) => expect(decodeReply('pre_tool_use', stdout)).toEqual(expected))

  it('where there is JSON, the exit code is ignored', () => {
    expect(decodeReply('pre_tool_use', '{}', 1, 'oops')).toEqual({ notes: [] })
  })

  it('ask and halt become a block, since the host cannot prompt anyone', () => {
    const verdict = { event: 'pre_tool_use', payload: {}, reports: [], notes: [] } as const
    const ask = everruns.reply.encode({ ...verdict, decision: { ruling: 'ask', reason: 'sure?' } })
    expect(ask.value.stdout).toBe('{"decision":"block","reason":"sure?"}')
    expect(codes(ask.notes)).toEqual(['ask-becomes-deny'])
    const halt = everruns.reply.encode({ ...verdict, halt: { reason: 'enough' } })
    expect(halt.value.stdout).toBe('{"decision":"block","reason":"enough"}')
    expect(codes(halt.notes)).toEqual(['translation-lost'])
  })
})

describe('laws', () => {
  const line = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme-ascii' }).filter((text) => text.trim() === text)
  const name = fc.stringMatching(/^[a-z][a-z_]{0,8}$/)
  const tool: fc.Arbitrary<TextTest> = fc.oneof(
    fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => ({ names })),
    fc.record({ names: fc.array(name, { maxLength: 2 }), prefixes: fc.array(name, { minLength: 1, maxLength: 2 }) }),
  )
  const args: fc.Arbitrary<TextTest> = fc.constantFrom({ any: true }, { regex: '\\brm\\b', whole: false })
  const matcher = fc.record({ tool: fc.option(tool), args: fc.option(args), path: fc.array(name, { maxLength: 3 }) })
  const hook = fc.record({
    event: fc.constantFrom('pre_tool_use' as const, 'post_tool_use' as const),
    pack: fc.constantFrom('user', 'pack', 'other'),
    matcher,
    command: line,
    env: fc.dictionary(name, fc.string({ maxLength: 4 }), { maxKeys: 2 }),
    timeoutMs: fc.integer({ min: 100, max: 30_000 }),
    onFailure: fc.constantFrom('open' as const, 'warn' as const),
    enabled: fc.boolean(),
  })

  it('a config survives encoding and decoding', () => {
    fc.assert(
      fc.property(fc.array(hook, { maxLength: 6 }), (drafts) =>
        keepsHooks(
          drafts.map(
            ({ pack, matcher: { tool, args, path }, command, ...draft }, stage): Hook => ({
              ...hookOf(draft.event),
              ...draft,
              id: `${pack}:h${stage}`,
              matcher: [
                ...(tool ? [{ facet: 'tool' as const, test: tool }] : []),
                ...(args ? [{ facet: 'args' as const, path, keysOnly: true as const, test: args }] : []),
              ],
              run: runOf(command),
              stage,
              judgesOnce: true,
            }),
          ),
        ),
      ),
      { numRuns: 200 },
    )
  })

  it('a verdict that the dialect can represent survives encoding and decoding', () => {
    fc.assert(
      fc.property(
        line,
        line,
        fc.dictionary(name, fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minKeys: 1 }),
        (reason, text, value) => {
          keepsVerdict('pre_tool_use', { decision: { ruling: 'deny', reason }, message: [text] })
          keepsVerdict('pre_tool_use', { rewrite: { mode: 'merge', value } })
          keepsVerdict('post_tool_use', { rewrite: { mode: 'replace', value }, context: [text] })
          keepsVerdict('user_prompt_submit', { rewrite: { mode: 'replace', value: text } })
          keepsVerdict('turn_end', {})
        },
      ),
      { numRuns: 200 },
    )
  })

  it('no codec throws, whatever comes in', () => neverThrows(2_000), 60_000)
})
