import { describe, expect, it } from 'vitest'
import { createHooks, type EventName, type Hooks, type Opinion } from '../../src/index.ts'
import fc from '../support/property.ts'

const maybe = <T>(weight: number, arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 20, arbitrary: fc.constant(undefined) }, { weight, arbitrary })
const rarely = <T>(arbitrary: fc.Arbitrary<T>) => maybe(1, arbitrary)
const often = <T>(arbitrary: fc.Arbitrary<T>) => maybe(20, arbitrary)

/** What hooks of the line answer, at random: mostly something that lets the call go on, so that calls get far. */
const decision = (...rulings: ('allow' | 'ask' | 'deny')[]) =>
  fc.record({ ruling: fc.constantFrom(...rulings), reason: fc.constantFrom('because', '') })
const ruled = often(decision('allow', 'allow', 'allow', 'ask', 'ask', 'deny'))
const halt = rarely(fc.record({ reason: fc.constant('over') }))
const newInput = often(
  fc.record({ mode: fc.constantFrom('merge', 'replace'), value: fc.record({ text: fc.constantFrom('b', 'c') }) }),
)
const newOutput = often(
  fc.record({
    mode: fc.constant('replace'),
    value: fc.oneof(fc.string(), fc.record({ some: fc.string() }), fc.constant(null)),
  }),
)
const context = often(fc.constant(['context']))
const answers = {
  pre_tool_use: fc.record({ decision: ruled, halt, rewrite: newInput, context }),
  tool_guard: fc.record({ decision: ruled, halt }),
  permission_request: fc.record({ decision: ruled, halt, rewrite: newInput }),
  tool_response_transform: fc.record({ halt, rewrite: newOutput }),
  post_tool_use: fc.record({ decision: rarely(decision('deny')), halt, rewrite: newOutput }),
  post_tool_use_failure: fc.record({ halt, context }),
} satisfies Partial<Record<EventName, fc.Arbitrary<object>>>
const broken = rarely(fc.constant('throws' as const))
const line = Object.keys(answers) as (keyof typeof answers)[]
const hooksOfLine = fc.record(
  Object.fromEntries(line.map((event) => [event, fc.tuple(answers[event] as fc.Arbitrary<object>, broken)])),
  { requiredKeys: [] },
) as fc.Arbitrary<Partial<Record<keyof typeof answers, [Opinion, 'throws' | undefined]>>>

const tool = fc.oneof(
  fc.record({ gives: fc.oneof(fc.string(), fc.record({ rows: fc.array(fc.integer()) }), fc.constant(undefined)) }),
  fc.record({ throws: fc.constant('it broke') }),
  fc.record({ stops: fc.constant(true) }),
)
const rules = fc.constantFrom(undefined, undefined, 'allow', 'allow', 'ask', 'undecided', 'deny')
const person = fc.constantFrom('yes', 'yes', 'yes', 'no', 'nobody', 'absent')
/** At which event, or inside the tool, the signal aborts. */
const abort = maybe(5, fc.constantFrom('before', 'tool', ...line, 'on_tool_approval_decision' as const))

describe('whatever hooks, rules, people and tools do', () => {
  it('what is refused does not run, what runs gets the final input, and what comes back is the final output', async () => {
    await fc.assert(
      fc.asyncProperty(hooksOfLine, tool, rules, person, abort, async (opinions, does, ruling, says, stops) => {
        const hooks = await createHooks({ journal: { redact: (entry) => entry } })
        const stop = new AbortController()
        const seen: { event: string; payload: Record<string, unknown> }[] = []
        for (const event of [...line, 'on_tool_approval_decision'] as const)
          hooks.on(event, (({ payload }: { payload: Record<string, unknown> }) => {
            seen.push({ event, payload })
            if (stops === event) stop.abort()
            const [opinion, fails] = (event !== 'on_tool_approval_decision' && opinions[event]) || [{}, undefined]
            if (fails) throw new Error('the hook broke')
            return Object.fromEntries(Object.entries(opinion).filter(([, value]) => value !== undefined)) as never
          }) as never)
        if (stops === 'before') stop.abort()
        const ran: unknown[] = []
        const input = { text: 'as given', list: [1, { deep: true }] }
        const result = await hooks.guardTool(
          { session_id: 's', tool_name: 'work', tool_input: input as Record<string, unknown> },
          async (given, { signal }) => {
            ran.push(structuredClone(given))
            given['text'] = 'changed by the tool'
            if (stops === 'tool') stop.abort()
            if ('throws' in does) throw new Error(does.throws)
            if ('stops' in does && signal.aborted) throw signal.reason
            return 'gives' in does ? does.gives : 'went on'
          },
          {
            signal: stop.signal,
            ...(ruling === undefined
              ? {}
              : {
                  rules: () => ({ ruling: ruling === 'undecided' ? undefined : (ruling as 'allow') }),
                  undecided: 'ask' as const,
                }),
            ...(says === 'absent' ? {} : { ask: () => (says === 'nobody' ? undefined : says === 'yes') }),
          },
        )
        const entries = await recorded(hooks)
        await hooks.close()
        input.text = 'changed by the caller'

        const judging = result.steps.filter(({ event }) =>
          /^(?:pre_tool_use|tool_guard|permission_request)$/.test(event),
        )
        const isRefused = judging.some(({ outcome }) => outcome === 'halt' || outcome === 'deny') || ruling === 'deny'
        if (isRefused) expect(ran).toEqual([])
        expect(ran.length).toBeLessThanOrEqual(1)

        const count = (event: string) => result.steps.filter((each) => each.event === event).length
        expect(count('on_tool_approval_decision')).toBe(1)
        expect(count('tool_response_transform')).toBe(ran.length)
        expect(count('post_tool_use')).toBe(ran.length)
        expect(count('post_tool_use_failure')).toBeLessThanOrEqual(ran.length)

        const last = (event: string) => seen.findLast((each) => each.event === event)?.payload
        const decided = last('on_tool_approval_decision')!
        expect(decided['tool_input']).toEqual(result.input)
        if (ran.length === 0) {
          expect(result.outcome).not.toBe('ran')
          expect(result.output).toBeUndefined()
          expect(decided['approval_decision']).not.toBe('allow')
          return
        }
        expect(decided['approval_decision']).toBe('allow')
        expect(ran[0]).toEqual(result.input)
        for (const event of ['tool_guard', 'tool_response_transform', 'post_tool_use'] as const)
          expect(last(event) ?? decided, event).toMatchObject({ tool_input: result.input as object })

        const after = entries.filter(({ event }) => /^(?:tool_response_transform|post_tool_use)$/.test(event))
        const rewritten = after.findLast(({ rewrite }) => rewrite)
        const isCut =
          stops === 'tool_response_transform' || stops === 'post_tool_use' || stops === 'post_tool_use_failure'
        if (result.outcome === 'ran' || result.outcome === 'halted') {
          const failed = 'throws' in does || ('stops' in does && stop.signal.aborted && stops !== undefined && !isCut)
          if (failed) expect(result.error).toBe(true)
          const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
          if (isCut && stop.signal.aborted && result.error && !failed) expect(result.output).toBeTypeOf('string')
          else if (rewritten && !isCut) {
            const { value } = rewritten.rewrite!
            const isText = failed || ('gives' in does ? typeof does.gives === 'string' : true)
            expect(result.output).toEqual(isText ? text(value) : value)
          } else if (!isCut && 'gives' in does) expect(result.output).toBe(does.gives)
          else if (!isCut && 'throws' in does) expect(result.output).toBe('it broke')
        }
        const ends = after.some(({ outcome }) => outcome === 'halt' || outcome === 'deny')
        if (ends) expect(result.outcome).toBe('halted')
      }),
      { numRuns: Number(process.env['HOOKLINE_CASES'] ?? 500) },
    )
  })
})

async function recorded({ journal }: Hooks) {
  const found = []
  for await (const entry of journal.entries()) found.push(entry)
  return found
}
