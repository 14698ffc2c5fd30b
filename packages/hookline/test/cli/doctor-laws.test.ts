import { describe, expect, it } from 'vitest'
import { canariesOf } from '../../src/builtins/canary.ts'
import { builtins } from '../../src/builtins/index.ts'
import { judge } from '../../src/cli/cases/judge.ts'
import { plainPayload, sampleFor } from '../../src/cli/doctor/sample.ts'
import { eventNames, eventRow, type Opinion, type Verdict, validate } from '../../src/core/index.ts'
import { compilePattern } from '../../src/core/regex.ts'
import { loadDialect } from '../../src/dialects/index.ts'
import { makeHookIndex } from '../../src/engine/index.ts'
import { createExecutors } from '../../src/executors/index.ts'
import { anOpinion } from '../support/arbitraries.ts'
import fc from '../support/property.ts'

describe('samples', () => {
  it.each(eventNames)('%s has a plain payload that fits it', (name) => {
    const row = eventRow(name)
    expect(validate(row.payload, plainPayload(row)).ok).toBe(true)
  })

  it('every matcher that some payload passes is met, and what is met passes', async () => {
    const native = await loadDialect('native')
    const executors = await createExecutors(['command'])
    const name = fc.constantFrom('shell', 'a|b', 'mcp__.*', '(read|write)_file', '*', '[A-Z]\\w+')
    const glob = fc.constantFrom('edit_*', 'read_file|mcp_*')
    const test = fc.record(
      {
        path: fc.constantFrom('$.command', 'a.b', 'edits[*].path', 'items[2]'),
        matches: fc.constantFrom('^rm ', 'x+', '\\.env$'),
      },
      { requiredKeys: ['path'] },
    )
    const matcher = fc.oneof(
      fc.record(
        { tool: name, args: fc.array(test, { minLength: 1, maxLength: 2 }), agent: fc.constantFrom('root', 'r.*t') },
        { requiredKeys: [] },
      ),
      fc.record({ tool_glob: glob }),
      fc.record({ args: fc.record({ path: fc.constant('$.command'), not_matches: fc.constantFrom('^echo', 'zzz') }) }),
    )
    fc.assert(
      fc.property(matcher, fc.constantFrom('pre_tool_use', 'post_tool_use'), (written, event) => {
        const document = { version: 1, hooks: [{ event, matcher: written, run: 'exit 0' }] }
        const { hooks } = native.config.decode(document, { file: 'x', layer: 'code', locate: () => ({ file: 'x' }) })
        const compile = (source: string, whole: boolean) => {
          const compiled = compilePattern(source, whole)
          if (!compiled.ok) throw new Error(compiled.detail)
          return compiled.pattern
        }
        const [ready] = makeHookIndex(hooks, { executors, dialects: new Map([['native', native]]), compile }, 1).hooks
        const sample = sampleFor(ready!, plainPayload(ready!.row))
        return (
          sample.ok &&
          ready!.tests.every((each) => each.passes(sample.payload)) &&
          validate(ready!.row.payload, sample.payload).ok
        )
      }),
      { numRuns: 300 },
    )
  })

  it('every builtin that blocks or masks without a world of its own has a canary on that event', () => {
    for (const builtin of Object.values(builtins)) {
      const args = validate(builtin.args, {})
      if (!args.ok) continue
      const acting = builtin.examples.filter(
        ({ given, args, fails, expect: expected }) =>
          !given &&
          args === undefined &&
          !fails &&
          (expected?.rewrite ?? expected?.halt ?? expected?.decision?.ruling === 'deny'),
      )
      for (const { event } of acting)
        expect(canariesOf(builtin, args.value, true, event), `${builtin.name} on ${event}`).toHaveLength(1)
    }
  })
})

describe('expectations', () => {
  it('what came is what one may expect, and nothing else is needed', () => {
    fc.assert(fc.property(anOpinion, (opinion) => judge(expectationOf(opinion), verdictOf(opinion)).length === 0))
  })

  it('another decision is never taken for the one expected', () => {
    fc.assert(
      fc.property(
        anOpinion,
        fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const, 'none' as const),
        (opinion, decision) => {
          const same = (opinion.decision?.ruling ?? 'none') === decision
          return (judge({ decision }, verdictOf(opinion)).length === 0) === same
        },
      ),
    )
  })
})

const verdictOf = (opinion: Opinion): Verdict => ({
  event: 'pre_tool_use',
  payload: {},
  reports: [],
  notes: [],
  ...opinion,
})

const expectationOf = ({ decision, halt, rewrite, context, message, metadata }: Opinion) => ({
  decision: decision?.ruling ?? ('none' as const),
  halt: halt !== undefined,
  rewrite: rewrite?.value ?? 'none',
  context: plainTexts(context),
  message: plainTexts(message),
  metadata: metadata ?? {},
})

/** Between slashes a text is a pattern, and `none` is no text. */
const plainTexts = (texts: readonly string[] = []) =>
  texts.length === 0 ? ('none' as const) : texts.filter((text) => !/^\/.*\/$/s.test(text) && text !== '')
