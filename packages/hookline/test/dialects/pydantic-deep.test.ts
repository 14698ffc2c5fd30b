import { describe, expect, it } from 'vitest'
import type { EventName, Hook } from '../../src/core/index.ts'
import { pydanticDeep } from '../../src/dialects/pydantic-deep/index.ts'
import fc from '../support/property.ts'
import { codes, lawsOf } from './laws.ts'

const { decode, problems, passesOn, keepsHooks, keepsVerdict, neverThrows, hookOf } = lawsOf(pydanticDeep)

describe('config', () => {
  it('is found by its shape, and not taken for that of others', () => {
    const { detect } = pydanticDeep.config
    expect(detect({ hooks: [{ event: 'PRE_TOOL_USE', command: 'x' }] }, 'a.json')).toBe(true)
    expect(detect({}, 'pydantic-deep.json')).toBe(true)
    expect(detect({ version: 1, hooks: [{ event: 'pre_tool_use', command: 'x' }] }, 'a.json')).toBe(false)
    expect(detect({ hooks: [{ event: 'pre_tool_call', command: 'x' }] }, 'a.json')).toBe(false)
    expect(detect({ hooks: [{ event: 'pre_tool_use', executor: {} }] }, 'a.json')).toBe(false)
  })

  it('hooks form a chain, and fail open', () => {
    const decoded = decode({
      hooks: [
        { event: 'pre_tool_use', command: 'a' },
        { event: 'before_run', command: 'b', timeout: 1.5 },
      ],
    })
    expect(decoded.hooks.map(({ id, stage, onFailure, timeoutMs }) => [id, stage, onFailure, timeoutMs])).toEqual([
      ['pre_tool_use_1', 0, 'open', 30_000],
      ['before_run_1', 1, 'open', 1_500],
    ])
  })

  it.each([
    ['x', 'must be a list of hooks'],
    [{ hooks: {} }, 'must be a list of hooks'],
    [{ hooks: ['x'] }, 'must be an object'],
    [{ hooks: [{ event: 'pre_tool_use' }] }, 'there is nothing to run'],
    [{ hooks: [{ event: 'pre_tool_use', command: 'x', timeout: 0 }] }, 'must be a number of seconds'],
    [{ hooks: [{ event: 'pre_tool_use', command: 'x', background: 'yes' }] }, 'must be true or false'],
    [{ hooks: [{ event: 'pre_tool_use', command: 'x', matcher: ['a'] }] }, 'must be text'],
    [{ hooks: [{ event: 'pre_tool_usee', command: 'x' }] }, 'Did you mean `pre_tool_use`?'],
    [{ hooks: [{ command: 'x' }] }, 'must be the name of an event'],
  ])('%j is refused', (document, words) => expect(problems(document)).toEqual([expect.stringContaining(words)]))

  it('an unknown key is reported', () => {
    const { notes } = decode({ hooks: [{ event: 'pre_tool_use', command: 'x', timout: 3 }] })
    expect(codes(notes)).toEqual(['config-unknown-key'])
  })
})

describe('payloads', () => {
  const none = { tool_name: '', tool_input: {}, tool_result: null, tool_error: null }
  it.each([
    { event: 'pre_tool_use', tool_name: 'execute', tool_input: { command: 'ls' }, tool_result: null, tool_error: null },
    { event: 'post_tool_use', tool_name: 'execute', tool_input: {}, tool_result: 'out', tool_error: null },
    { event: 'post_tool_use_failure', tool_name: 'execute', tool_input: {}, tool_result: null, tool_error: 'bad' },
    { event: 'before_run', ...none },
    { event: 'after_run', ...none, tool_result: 'done' },
    { event: 'run_error', ...none, tool_error: 'down' },
    { event: 'before_model_request', ...none },
    { event: 'after_model_request', ...none, tool_result: 'hi' },
    { event: 'model_fallback_triggered', ...none, tool_input: { primary: 'a', fallback: 'b' }, tool_error: 'down' },
  ])('$event', (wire) => passesOn(wire))
})

describe('laws', () => {
  const word = fc.stringMatching(/^[\w .$'"-]{0,10}\w$/)
  const hook = fc.record({
    event: fc.constantFrom(...(Object.keys(pydanticDeep.events) as EventName[])),
    command: word,
    regex: fc.option(fc.constantFrom('execute|write_file', '^a$', 'b')),
    timeoutMs: fc.integer({ min: 1, max: 90_000 }),
    background: fc.boolean(),
  })

  it('a config survives encoding and decoding', () => {
    fc.assert(
      fc.property(fc.array(hook, { maxLength: 5 }), (drafts) => {
        const counts = new Map<string, number>()
        keepsHooks(
          drafts.map(({ regex, command, event, ...draft }, stage): Hook => {
            const number = (counts.get(event) ?? 0) + 1
            counts.set(event, number)
            const matcher =
              regex && regex !== '^a$' && /tool/.test(event)
                ? [{ facet: 'tool' as const, test: { regex, whole: false } }]
                : []
            const run = { type: 'command', command }
            const fixed = { id: `${event}_${number}`, onFailure: 'open', judgesOnce: true } as const
            return { ...hookOf(event), ...draft, ...fixed, run, matcher, stage }
          }),
        )
      }),
      { numRuns: 200 },
    )
  })

  it('a verdict that the dialect can represent survives encoding and decoding', () => {
    fc.assert(
      fc.property(word, fc.dictionary(word, word), (text, value) => {
        keepsVerdict('pre_tool_use', { decision: { ruling: 'deny', reason: text.trim() } })
        keepsVerdict('pre_tool_use', { rewrite: { mode: 'replace', value } })
        keepsVerdict('post_tool_use', { rewrite: { mode: 'replace', value: text } })
        keepsVerdict('before_run', {})
      }),
      { numRuns: 200 },
    )
  })

  it('no codec throws, whatever comes in', () => neverThrows(2_000), 60_000)
})
