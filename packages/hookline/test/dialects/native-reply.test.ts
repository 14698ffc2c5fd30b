import { describe, expect, test } from 'vitest'
import {
  type Event,
  type EventName,
  type Hook,
  hookDefaults,
  type Opinion,
  stringifyJson,
  type Verdict,
} from '../../src/core/index.ts'
import { native } from '../../src/dialects/native/index.ts'
import fc from '../support/property.ts'

const hook: Hook = {
  ...hookDefaults,
  id: 'guard',
  event: 'pre_tool_use',
  dialect: 'native',
  run: { type: 'command' },
  origin: { layer: 'code' },
}
const eventOf = (name: EventName, payload: object) =>
  ({ name, payload, depth: 0, synthetic: false }) as unknown as Event
const call = eventOf('pre_tool_use', { tool_name: 'shell', tool_input: { command: 'ls' } })

const decode = (stdout: string | object, { exit = 0, stderr = '', event = call } = {}) =>
  native.reply.decode(
    { kind: 'wire', exit, stdout: typeof stdout === 'string' ? stdout : JSON.stringify(stdout), stderr },
    { event, hook },
  )
const opinionOf = (...args: Parameters<typeof decode>) => {
  const decoded = decode(...args)
  return decoded.ok ? decoded.opinion : decoded.failure.kind
}
const notesOf = (...args: Parameters<typeof decode>) => {
  const decoded = decode(...args)
  return decoded.ok ? decoded.notes.map((note) => note.code) : decoded.failure.kind
}

describe('exit 0', () => {
  test('nothing, or white space, is no opinion', () => {
    for (const stdout of ['', ' ', '\n\t\r\n'])
      expect(decode(stdout)).toEqual({ ok: true, opinion: {}, notes: [], reason: '' })
  })

  test('every effect has its key', () => {
    const reply = {
      version: 1,
      decision: 'ask',
      reason: 'why',
      halt: 'enough',
      context: ['a', 'b'],
      rewrite: { command: 'ls -l' },
      message: 'm',
      system_message: ['n'],
      metadata: { risk: 'high' },
    }
    expect(decode(reply)).toMatchObject({
      opinion: {
        decision: { ruling: 'ask', reason: 'why' },
        halt: { reason: 'enough' },
        context: ['a', 'b'],
        rewrite: { mode: 'merge', value: { command: 'ls -l' } },
        message: ['m', 'n'],
        metadata: { risk: 'high' },
      },
      notes: [],
    })
  })

  test('rulings are written exactly; block is deny', () => {
    expect(opinionOf({ decision: 'block', reason: 'x' })).toEqual({ decision: { ruling: 'deny', reason: 'x' } })
    expect(opinionOf({ decision: 'deny' })).toEqual({ decision: { ruling: 'deny', reason: 'blocked by hook "guard"' } })
    for (const decision of ['Allow', 'allow ', 'approve', '', 'toString', null, true, 1, ['deny'], { ruling: 'deny' }])
      expect(opinionOf({ decision })).toBe('invalid-output')
  })

  test('halt is a flag or a reason', () => {
    expect(opinionOf({ halt: true, reason: 'r' })).toEqual({ halt: { reason: 'r' } })
    expect(opinionOf({ halt: true })).toEqual({ halt: { reason: 'halted by hook "guard"' } })
    expect(opinionOf({ halt: false })).toEqual({})
    for (const halt of [1, null, ['x']]) expect(opinionOf({ halt })).toBe('invalid-output')
  })

  test.each([
    '[]',
    '[{"decision":"deny"}]',
    'true',
    'null',
    '"deny"',
    '7',
    'deny',
    '{"decision":"deny"',
    '{"decision":"deny"}{"decision":"allow"}',
    '{"decision":"deny"}\n{"decision":"deny"}',
    'loading…\n{"decision":"deny"}',
    '{"decision":"deny"}\ndone',
    '{"reason":"a","reason":"b"}',
    '{"rewrite":{"constructor":1}}',
    '{"metadata":{"__proto__":"x"}}',
    '{"a":"\u0000"}',
    '{"rewrite":{"id":1e400}}',
    `${'{"a":'.repeat(80)}1${'}'.repeat(80)}`,
  ])('%j is no reply, and a failure', (stdout) => {
    expect(opinionOf(stdout)).toBe('invalid-output')
  })

  test.each([
    { reason: 5 },
    { reason: null },
    { context: 5 },
    { context: ['a', null] },
    { message: [['a']] },
    { system_message: {} },
    { metadata: 'x' },
    { metadata: { a: 1 } },
    { rewrite: null },
    { rewrite: [] },
    { updated_input: 'ls' },
    { rewrite: {}, replace: {} },
    { rewrite: {}, updated_input: {} },
  ])('a value of another kind is a failure: %j', (reply) => {
    expect(opinionOf(reply)).toBe('invalid-output')
  })

  test('an unknown key is noted, but an allow must be understood entirely', () => {
    expect(notesOf({ decision: 'deny', reason: 'x', ticket: 7 })).toEqual(['reply-field-ignored'])
    expect(notesOf({ anything: {} })).toEqual(['reply-field-ignored'])
    expect(opinionOf({ decision: 'allow', until: 'tomorrow' })).toBe('invalid-output')
    expect(opinionOf({ version: 2, decision: 'allow' })).toBe('invalid-output')
    expect(notesOf({ version: 2, decision: 'deny' })).toEqual(['reply-value-ignored'])
  })

  test('a known key in other letters is a failure: a misspelt deny must not pass', () => {
    for (const key of ['Decision', 'DECISION', 'updatedInput', 'systemMessage'])
      expect(opinionOf({ [key]: 'deny' })).toBe('invalid-output')
  })

  test('a refusal in the words of another system is a failure: it must not pass for no opinion', () => {
    for (const reply of [
      { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } },
      { permissionDecision: 'ask' },
      { decison: 'block' },
      { continue: false },
      { allow: false },
      { blocked: true },
    ])
      expect([reply, opinionOf(reply)]).toEqual([reply, 'invalid-output'])
    for (const reply of [
      { continue: true },
      { suppressOutput: true },
      { hookSpecificOutput: { additionalContext: 'x' } },
    ])
      expect(notesOf(reply)).toEqual(['reply-field-ignored'])
  })

  test('a reason without a decision is noted', () => {
    expect(notesOf({ reason: 'just saying' })).toEqual(['reply-value-ignored'])
  })

  test('replace takes any value, and exact integers stay exact', () => {
    for (const value of ['text', null, [1], { a: 1 }])
      expect(opinionOf({ replace: value })).toEqual({ rewrite: { mode: 'replace', value } })
    expect(opinionOf('{"rewrite":{"id":90071992547409931}}')).toEqual({
      rewrite: { mode: 'merge', value: { id: 90071992547409931n } },
    })
  })

  test('a rewrite cannot change which tool is called, but may change an argument of that name', () => {
    expect(opinionOf({ rewrite: { tool_name: 'bash' } })).toBe('invalid-output')
    const proxy = eventOf('pre_tool_use', { tool_name: 'proxy', tool_input: { tool_name: 'a' } })
    expect(opinionOf({ rewrite: { tool_name: 'b' } }, { event: proxy })).toEqual({
      rewrite: { mode: 'merge', value: { tool_name: 'b' } },
    })
  })

  test('escape sequences and control characters are removed, and noted', () => {
    expect(decode({ context: '\u001b]0;title\u0007\u001b[31mred\u001b[0m', message: 'plain\n\ttext' })).toMatchObject({
      opinion: { context: ['red'], message: ['plain\n\ttext'] },
      notes: [{ code: 'text-sanitised' }],
    })
    expect(opinionOf({ decision: 'deny', reason: '\u0000\u001b[2J' })).toEqual({
      decision: { ruling: 'deny', reason: 'blocked by hook "guard"' },
    })
  })
})

describe('other exits', () => {
  test('2 denies: with the reason of the JSON, else of stderr, else its own', () => {
    const denied = (reason: string) => ({ decision: { ruling: 'deny', reason } })
    expect(opinionOf({ reason: 'json' }, { exit: 2, stderr: 'err' })).toEqual(denied('json'))
    expect(opinionOf('', { exit: 2, stderr: ' err\n' })).toEqual(denied('err'))
    expect(opinionOf('', { exit: 2 })).toEqual(denied('blocked by hook "guard"'))
    expect(opinionOf({ decision: 'allow' }, { exit: 2, stderr: 'no' })).toEqual(denied('no'))
  })

  test('2 and 49 hold whatever stands on stdout, and what could not be read is noted', () => {
    for (const stdout of ['not json', '[]', '{"decision":"yes"}', '{"a":1,"a":2}'])
      for (const [exit, effect] of [
        [2, 'decision'],
        [49, 'halt'],
      ] as const) {
        expect(opinionOf(stdout, { exit, stderr: 'why' })).toHaveProperty(effect)
        expect(notesOf(stdout, { exit })).toEqual(['reply-value-ignored'])
      }
  })

  test('49 halts, and the other effects of the JSON count', () => {
    expect(opinionOf({ context: 'c' }, { exit: 49, stderr: 'stop here' })).toEqual({
      context: ['c'],
      halt: { reason: 'stop here' },
    })
  })

  test('any other code is a failure that shows the end of stderr', () => {
    for (const exit of [1, 3, 48, 126, 127, 255, -1, Number.NaN])
      expect(opinionOf({ decision: 'allow' }, { exit })).toBe('exit')
    const decoded = decode('', { exit: 1, stderr: `${'x'.repeat(1_000)}\u001b[31mthe end` })
    expect(decoded.ok).toBe(false)
    if (!decoded.ok) expect(decoded.failure.detail).toMatch(/^it exited with code 1: …x{393}the end$/)
  })
})

describe('laws', () => {
  // Keys that no reply may have.
  const json = fc.jsonValue().filter((value) => !/"(?:__proto__|constructor|prototype)":/.test(JSON.stringify(value)))
  const line = fc.stringMatching(/^[\w .,:]{0,20}[\w]$/)
  const verdict: fc.Arbitrary<Opinion> = fc.record(
    {
      decision: fc.record({ ruling: fc.constantFrom('allow', 'ask', 'deny'), reason: line }),
      halt: fc.record({ reason: line }),
      context: fc.array(line, { minLength: 1 }),
      rewrite: fc.oneof(
        fc.record({ mode: fc.constant('merge'), value: fc.dictionary(fc.constantFrom('a', 'b', 'c'), json) }),
        fc.record({
          mode: fc.constant('replace'),
          value: json.map((value) => JSON.parse(JSON.stringify(value))),
        }),
      ),
      message: fc.array(line, { minLength: 1 }),
      metadata: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), line, { minKeys: 1, noNullPrototype: true }),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Opinion>

  test('a verdict written as a reply is read as the same opinion', () => {
    fc.assert(
      fc.property(verdict, (opinion) => {
        const wholeVerdict = { ...opinion, event: 'pre_tool_use', payload: {}, reports: [], notes: [] } as Verdict
        const { value } = native.reply.encode(wholeVerdict)
        expect(value.exit).toBe(0)
        expect(JSON.parse(stringifyJson(opinionOf(value.stdout)))).toEqual(JSON.parse(stringifyJson(opinion)))
      }),
    )
  })

  test('no output makes the decoder throw', () => {
    const key = fc.constantFrom(
      'decision',
      'reason',
      'halt',
      'context',
      'rewrite',
      'replace',
      'message',
      'metadata',
      'version',
      'x',
    )
    const stdout = fc.oneof(
      fc.string(),
      fc.json(),
      fc.dictionary(key, fc.jsonValue({ maxDepth: 2 })).map((reply) => JSON.stringify(reply)),
    )
    fc.assert(
      fc.property(stdout, fc.string(), fc.constantFrom(0, 0, 0, 1, 2, 49, 127), (stdout, stderr, exit) => {
        const decoded = decode(stdout, { exit, stderr })
        if (decoded.ok && exit === 2) expect(decoded.opinion.decision?.ruling).toBe('deny')
        if (!decoded.ok) expect(decoded.failure.detail).not.toBe('')
      }),
      { numRuns: 1_000 },
    )
  })
})
