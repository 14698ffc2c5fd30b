import { describe, expect, expectTypeOf, it } from 'vitest'
import type * as z from 'zod/mini'
import { text } from '../../src/core/field.ts'
import { note, type OpinionFor, row } from '../../src/core/index.ts'
import type {
  configSchema,
  HookConfig,
  HookEntry,
  hookSchema,
  Matcher,
  matcherSchema,
} from '../../src/dialects/native/index.ts'

/** Each `@ts-expect-error` is a law: the type checker, which runs with the tests, fails when the line compiles. */
describe('what does not compile', () => {
  const payload = { text: text('Some text.') }

  it('is an illegal row of the event table', () => {
    row({ doc: '', payload, effects: ['decision'], deny: 'it is refused', failure: 'closed' })
    // @ts-expect-error failing closed needs `decision`
    row({ doc: '', payload, effects: ['context'], context: 'turn', failure: 'closed' })
    // @ts-expect-error `decision` needs to say what deny means
    row({ doc: '', payload, effects: ['decision'], failure: 'closed' })
    // @ts-expect-error `deny` needs `decision`
    row({ doc: '', payload, effects: [], deny: 'it is refused', failure: 'open' })
    // @ts-expect-error `rewrite` needs a field
    row({ doc: '', payload, effects: ['rewrite'], failure: 'open' })
    // @ts-expect-error the rewritten field must be in the payload
    row({ doc: '', payload, effects: ['rewrite'], rewrites: 'other', failure: 'open' })
    // @ts-expect-error a field without `rewrite`
    row({ doc: '', payload, effects: [], rewrites: 'text', failure: 'open' })
    // @ts-expect-error `context` needs a place
    row({ doc: '', payload, effects: ['context'], failure: 'open' })
    // @ts-expect-error the subject must be in the payload
    row({ doc: '', payload, subject: { tool: 'other' }, effects: [], failure: 'open' })
    // @ts-expect-error only a denial can send the agent back
    row({ doc: '', payload, effects: [], redo: { cap: 3, flag: 'x' }, failure: 'open' })
    expect(row).toBeTypeOf('function')
  })

  it('is an opinion with an effect that the event does not honour', () => {
    const guard: OpinionFor<'tool_guard'> = { decision: { ruling: 'deny', reason: 'no' } }
    // @ts-expect-error tool_guard cannot rewrite
    const rewriting: OpinionFor<'tool_guard'> = { rewrite: { mode: 'merge', value: {} } }
    // @ts-expect-error session_end cannot deny
    const denying: OpinionFor<'session_end'> = { decision: { ruling: 'deny', reason: 'no' } }
    expect([guard, rewriting, denying]).toHaveLength(3)
  })

  it('is a config type that differs from its schema', () => {
    expectTypeOf<z.infer<typeof matcherSchema>>().toEqualTypeOf<Matcher>()
    expectTypeOf<z.infer<typeof hookSchema>>().toEqualTypeOf<HookEntry>()
    expectTypeOf<z.infer<typeof configSchema>>().toEqualTypeOf<HookConfig>()
  })

  it('is a note without the details its message needs', () => {
    note('unknown-dialect', { dialect: 'x', hint: '', known: '' })
    // @ts-expect-error `known` is missing
    note('unknown-dialect', { dialect: 'x', hint: '' })
    // @ts-expect-error no such code
    expect(() => note('no-such-code', {})).toThrow()
  })
})
