import { describe, expect, it } from 'vitest'
import type { Event, Hook, Opinion, Source, Verdict } from '../../src/core/index.ts'
import { hookDefaults } from '../../src/core/index.ts'
import { crush } from '../../src/dialects/crush/index.ts'
import { combine } from '../../src/engine/index.ts'
import fc from '../support/property.ts'

const source: Source = {
  file: 'crush.json',
  layer: 'project',
  locate: (path) => ({ file: `crush.json#${path.join('.')}` }),
}
const decode = (document: unknown) => crush.config.decode(document, source)
const codes = (notes: readonly { code: string }[]) => notes.map((each) => each.code)
const eventOf = (payload: Record<string, unknown>) =>
  ({ name: 'pre_tool_use', payload, depth: 0, synthetic: false }) as unknown as Event
const [hook] = decode({ hooks: { PreToolUse: [{ command: 'true' }] } }).hooks as [Hook]
const replyContext = { event: eventOf({ tool_name: 'bash', tool_input: {} }), hook }
const decodeReply = (stdout: unknown, exit = 0, stderr = '') => {
  const text = typeof stdout === 'string' ? stdout : JSON.stringify(stdout)
  const decoded = crush.reply.decode({ kind: 'wire', exit, stdout: text, stderr }, replyContext)
  return decoded.ok ? { ...decoded.opinion, notes: codes(decoded.notes) } : { failure: decoded.failure.kind }
}

describe('a crush.json', () => {
  it('is known by its name or its shape', () => {
    const document = { hooks: { PreToolUse: [{ command: 'x' }] } }
    expect(crush.config.detect({}, 'crush.json')).toBe(true)
    expect(crush.config.detect({}, '.crush.json')).toBe(true)
    expect(crush.config.detect(document, 'hooks.json')).toBe(true)
    expect(crush.config.detect({ hooks: { PreToolUse: [{ hooks: [] }] } }, 'settings.json')).toBe(false)
    expect(crush.config.detect({ hooks: [{ command: 'x' }] }, 'a.json')).toBe(false)
  })

  it('makes hooks that Crush would run', () => {
    const { hooks, problems, notes } = decode({
      hooks: { pre_tool_use: [{ name: 'guard', matcher: '^(view|ls)$', command: './x.sh', timeout: 10 }] },
    })
    expect([problems, notes]).toEqual([[], []])
    expect(hooks).toMatchObject([
      {
        id: 'pre_tool_use_1',
        event: 'pre_tool_use',
        matcher: [{ facet: 'tool', test: { names: ['view', 'ls'] } }],
        run: { type: 'command', command: './x.sh', shell: 'auto', lend_jq: true },
        timeoutMs: 10_000,
        onFailure: 'open',
        topLevelOnly: true,
        judgesOnce: true,
        description: 'guard',
      },
    ])
  })

  it.each([
    ['bash', { regex: 'bash', whole: false }],
    ['^bash$', { names: ['bash'] }],
    ['^mcp_', { regex: '^mcp_', whole: false }],
    ['^(a|b.)$', { regex: '^(a|b.)$', whole: false }],
    ['^a|b$', { regex: '^a|b$', whole: false }],
  ])('reads the matcher %s', (matcher, test) => {
    expect(decode({ hooks: { PreToolUse: [{ matcher, command: 'x' }] } }).hooks[0]?.matcher[0]?.test).toEqual(test)
  })

  it.each([undefined, 0, -5, null])('gives 30 seconds for a time-out of %s', (timeout) => {
    expect(decode({ hooks: { PreToolUse: [{ command: 'x', timeout }] } }).hooks[0]?.timeoutMs).toBe(30_000)
  })

  it.each([
    [{ hooks: { PreToolUse: [{ command: '' }] } }, 'crush.json#hooks.PreToolUse.0.command', /is required/],
    [{ hooks: { PreToolUse: [{ matcher: 'x' }] } }, 'crush.json#hooks.PreToolUse.0.command', /is required/],
    [{ hooks: { PreToolUse: [{ command: 'x', timeout: '5' }] } }, 'crush.json#hooks.PreToolUse.0.timeout', /seconds/],
    [{ hooks: { PreToolUse: { command: 'x' } } }, 'crush.json#hooks.PreToolUse', /list/],
    [{ hooks: { PreToolUse: ['x'] } }, 'crush.json#hooks.PreToolUse.0', /object/],
    [{ hooks: { PostToolUse: [] } }, 'crush.json#hooks.PostToolUse', /Did you mean `PreToolUse`/],
    [{ hooks: [] }, 'crush.json#hooks', /object/],
    [7, 'crush.json#', /object/],
  ])('says what is wrong with %j', (document, file, message) => {
    const { hooks, problems } = decode(document)
    expect(hooks).toEqual([])
    expect(problems).toMatchObject([{ where: { file }, message: expect.stringMatching(message) }])
  })

  it('says where groups in the way of Claude Code belong', () => {
    const { problems } = decode({ hooks: { PreToolUse: [{ matcher: 'x', hooks: [{ type: 'command' }] }] } })
    expect(problems[0]?.remedy).toMatch(/no groups/)
  })

  it('loads without hooks, and notes a key it does not know', () => {
    expect(decode({ providers: {} })).toEqual({ hooks: [], problems: [], notes: [] })
    expect(codes(decode({ hooks: { PreToolUse: [{ command: 'x', matchr: 'y' }] } }).notes)).toEqual([
      'config-unknown-key',
    ])
  })

  const entry = fc.record(
    {
      name: fc.string({ minLength: 1 }),
      matcher: fc.constantFrom('bash', '^bash$', '^(a|b)$', '^mcp_.*', 'x|y'),
      command: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
      timeout: fc.integer({ min: 1, max: 1000 }),
    },
    { requiredKeys: ['command'] },
  )

  it('comes back from its hooks as it was', () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1 }), (entries) => {
        const { hooks } = decode({ hooks: { PreToolUse: entries } })
        const { value, notes } = crush.config.encode(hooks)
        expect(notes).toEqual([])
        expect(decode(value).hooks).toEqual(hooks)
      }),
    )
  })

  it('notes what of a foreign hook it cannot carry', () => {
    const foreign: Hook = {
      ...hookDefaults,
      id: 'f',
      event: 'pre_tool_use',
      dialect: 'native',
      matcher: [{ facet: 'tool', test: { names: ['a'], prefixes: ['mcp_'] } }],
      run: { type: 'command', command: 'my guard', args: ["it's"] },
      timeoutMs: 1_500,
      stage: 2,
      env: { A: '1' },
      origin: { layer: 'user' },
    }
    const { value, notes } = crush.config.encode([foreign, { ...foreign, event: 'stop' }])
    expect(value).toEqual({
      hooks: { PreToolUse: [{ matcher: '^(a$|mcp_)', command: "'my guard' 'it'\\''s'", timeout: 2 }] },
    })
    expect(notes.map((note) => note.message).join('\n')).toMatch(
      /native.*\n.*closed.*\n.*sub-agents.*\n.*stage.*\n.*environment.*\n.*fractions.*\n.*event stop/,
    )
  })
})

describe('a payload of Crush', () => {
  it('survives there and back', () => {
    const record = fc.dictionary(fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(
        fc.record({
          session_id: fc.string({ minLength: 1 }),
          cwd: fc.string({ minLength: 1 }),
          tool_name: fc.string(),
        }),
        record.filter((input) => !Object.hasOwn(input, '__proto__')),
        (fields, tool_input) => {
          const payload = JSON.parse(JSON.stringify({ ...fields, tool_input }))
          const { body } = crush.event.encode(eventOf(payload), hook)
          expect(crush.event.decode(JSON.parse(body))).toEqual({ ok: true, event: 'pre_tool_use', payload, notes: [] })
        },
      ),
    )
  })

  it('leaves no editor and no pager to wait for', () => {
    const { env } = crush.event.encode(eventOf({ tool_name: 'x', tool_input: {} }), hook)
    expect(env).toMatchObject({ EDITOR: 'false', GIT_EDITOR: 'false', PAGER: 'cat', GIT_PAGER: 'cat' })
  })

  it('puts numbers and objects of the input into the environment as JSON', () => {
    const { env } = crush.event.encode(eventOf({ tool_name: 'x', tool_input: { command: ['a'], file_path: 5 } }), hook)
    expect(env).toMatchObject({ CRUSH_TOOL_INPUT_COMMAND: '["a"]', CRUSH_TOOL_INPUT_FILE_PATH: '5' })
  })

  it('names its event once, and one that Crush has', () => {
    expect(crush.event.decode({ tool_name: 'x' })).toMatchObject({ ok: false, problem: { code: 'payload-invalid' } })
    expect(crush.event.decode({ event: 'Stop' })).toMatchObject({ ok: false, problem: { code: 'unknown-event' } })
    expect(crush.event.decode({}, 'stop')).toMatchObject({ ok: false, problem: { code: 'unknown-event' } })
    expect(crush.event.decode({ tool_name: 'x', tool_input: '{"a":1}' }, 'pre_tool_use')).toMatchObject({
      ok: true,
      payload: { tool_input: { a: 1 } },
    })
  })
})

describe('a reply in the way of Crush', () => {
  it.each([
    ['', 0, { notes: [] }],
    ['[1]', 0, { failure: 'invalid-output' }],
    ['{"decision":"deny"} done', 0, { failure: 'invalid-output' }],
    [{ version: 'one', decision: 'deny' }, 0, { failure: 'invalid-output' }],
    [{ decision: true }, 0, { failure: 'invalid-output' }],
    [{ halt: 'yes' }, 0, { failure: 'invalid-output' }],
    [{ reason: 5, decision: 'deny' }, 0, { failure: 'invalid-output' }],
    [{ decision: 'DENY' }, 0, { decision: { ruling: 'deny', reason: '' }, notes: [] }],
    [{ Decision: 'deny' }, 0, { decision: { ruling: 'deny', reason: '' }, notes: [] }],
    [{ decision: 'block', reason: 'r' }, 0, { decision: { ruling: 'deny', reason: 'r' }, notes: [] }],
    [{ decision: 'approve' }, 0, { notes: ['reply-value-ignored'] }],
    [{ decision: 'constructor' }, 0, { notes: ['reply-value-ignored'] }],
    [{ context: ['a', 1] }, 0, { notes: ['reply-value-ignored'] }],
    [
      { context: 5, decision: 'allow' },
      0,
      { decision: { ruling: 'allow', reason: '' }, notes: ['reply-value-ignored'] },
    ],
    [{ updated_input: '{"a":1}' }, 0, { rewrite: { mode: 'merge', value: { a: 1 } }, notes: [] }],
    [{ updated_input: [1] }, 0, { notes: ['reply-value-ignored'] }],
    [{ updated_input: 'ls', context: 'c' }, 0, { context: ['c'], notes: ['reply-value-ignored'] }],
    [{ updated_input: null, context: null, decision: null }, 0, { notes: [] }],
    [{ hookSpecificOutput: { permissionDecision: 'ask' } }, 0, { decision: { ruling: 'ask', reason: '' }, notes: [] }],
    [
      { decision: 'allow', hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no' } },
      0,
      { decision: { ruling: 'deny', reason: 'no' }, notes: [] },
    ],
    [
      { hookSpecificOutput: 'x', decision: 'deny' },
      0,
      { decision: { ruling: 'deny', reason: '' }, notes: ['reply-value-ignored'] },
    ],
    [{ context: 'a\u001b[2Jb' }, 0, { context: ['ab'], notes: ['text-sanitised'] }],
  ])('%j, exit %i', (stdout, exit, expected) => expect(decodeReply(stdout, exit)).toEqual(expected))

  it('blocks nothing where nothing can be blocked', () => {
    const event = { ...replyContext.event, name: 'session_end' } as Event
    const reply = { kind: 'wire', exit: 2, stdout: '', stderr: 'no' } as const
    expect(crush.reply.decode(reply, { event, hook })).toMatchObject({ ok: false, failure: { kind: 'exit' } })
  })

  const text = fc.stringMatching(/^[a-z ]{1,12}$/).filter((value) => value.trim() !== '')
  const key = fc.constantFrom('command', 'path', 'a.b', 'tool_name')
  const opinion = fc
    .record(
      {
        ruling: fc.constantFrom('allow' as const, 'deny' as const),
        halts: fc.boolean(),
        context: fc.array(text, { minLength: 1, maxLength: 3 }),
        patch: fc.dictionary(key, fc.oneof(text, fc.integer(), fc.constant(null), fc.dictionary(key, text))),
      },
      { requiredKeys: ['halts'] },
    )
    .chain((parts) => text.map((reason) => ({ ...parts, reason })))

  it('is the same after encoding and decoding', () => {
    fc.assert(
      fc.property(opinion, ({ ruling, halts, context, patch, reason }) => {
        const value = patch && JSON.parse(JSON.stringify(patch))
        const effects = {
          ...(ruling && { decision: { ruling, reason } }),
          ...(halts && { halt: { reason } }),
          ...(context && { context }),
          ...(value && { rewrite: { mode: 'merge' as const, value } }),
        }
        const verdict: Verdict = { event: 'pre_tool_use', ...effects, payload: {}, reports: [], notes: [] }
        const encoded = crush.reply.encode(verdict)
        expect(encoded.notes).toEqual([])
        expect(crush.reply.decode(encoded.value, replyContext)).toEqual({ ok: true, opinion: effects, notes: [] })
      }),
    )
  })

  it('gives each reason once and in config order, whether its hook denies, halts or both', () => {
    const denies = (reason: string) => ({ decision: { ruling: 'deny' as const, reason } })
    const halts = (reason: string) => ({ halt: { reason } })
    const reasonOf = (...opinions: Opinion[]) => {
      const reports = opinions.map((opinion, index) => ({ hook: `h${index}`, stage: 0, asked: true, opinion }))
      const verdict: Verdict = { event: 'pre_tool_use', ...combine(opinions), payload: {}, reports, notes: [] }
      return JSON.parse(crush.reply.encode(verdict).value.stdout).reason
    }
    expect(reasonOf(halts('a'), denies('b'))).toBe('a\nb')
    expect(reasonOf(denies('a'), halts('b'))).toBe('a\nb')
    expect(reasonOf({ ...denies('a'), ...halts('a') }, denies('b'))).toBe('a\nb')
    expect(reasonOf({ decision: { ruling: 'allow', reason: 'x' } }, halts('a'), denies('b'))).toBe('a\nb')
  })

  it('notes what of a verdict Crush cannot carry', () => {
    const verdict: Verdict = {
      event: 'pre_tool_use',
      decision: { ruling: 'ask', reason: 'sure?' },
      message: ['m'],
      metadata: { a: 'b' },
      rewrite: { mode: 'replace', value: 'text' },
      payload: {},
      reports: [],
      notes: [],
    }
    const { value, notes } = crush.reply.encode(verdict)
    expect(value).toMatchObject({ exit: 0, stdout: '' })
    expect(codes(notes)).toEqual(Array(4).fill('translation-lost'))
  })
})

describe('no input makes the codec throw', () => {
  const anything = fc.anything({ withNullPrototype: true })
  it('config, payload and reply', () => {
    fc.assert(
      fc.property(anything, fc.jsonValue(), fc.string(), fc.nat(255), (value, json, stdout, exit) => {
        decode(value)
        decode({ hooks: { PreToolUse: [value, json] } })
        crush.config.detect(value, 'x.json')
        const fields = typeof json === 'object' && json !== null && !Array.isArray(json) ? json : { a: json }
        crush.event.decode(fields)
        crush.event.decode({ event: 'PreToolUse', ...fields }, 'pre_tool_use')
        crush.event.encode(eventOf(fields as Record<string, unknown>), hook)
        decodeReply(stdout, exit)
        decodeReply({ decision: 'deny', ...fields, hookSpecificOutput: json, context: json, updated_input: json })
      }),
      { numRuns: 2_000 },
    )
  })
})
