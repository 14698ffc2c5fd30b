import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import { type SpecHook, specVerdict } from '../../spec/verdict.ts'
import { native } from '../../src/dialects/native/index.ts'
import { createHooks } from '../../src/hooks/index.ts'
import { picker } from '../support/picker.ts'
import fc, { seed } from '../support/property.ts'
import { scripted } from '../support/scripted.ts'

/**
 * The engine against the executable specification, through the public door, on replies good and bad.
 * `HOOKLINE_CASES=…` says how many.
 */
const cases = Number(process.env['HOOKLINE_CASES'] ?? 20_000)
const batch = 40

const text = fc.stringMatching(/^[ -~]{0,8}$/)
const texts = fc.oneof(
  text,
  fc.array(fc.oneof({ weight: 8, arbitrary: text }, { weight: 1, arbitrary: fc.constant(7) }), { maxLength: 3 }),
)
const newInput = fc.dictionary(fc.constantFrom('command', 'path'), text, { maxKeys: 2 })
const patch = fc.dictionary(fc.constantFrom('command', 'cwd', 'timeout', 'tool_name'), fc.oneof(text, fc.integer()), {
  maxKeys: 2,
})
const envelope = fc.record(
  {
    version: fc.constantFrom(1, 1, 1, 2, '1'),
    decision: fc.constantFrom('allow', 'ask', 'deny', 'block', 'ALLOW', 'yes', null, 7),
    reason: fc.oneof({ weight: 5, arbitrary: text }, { weight: 1, arbitrary: fc.constant(false) }),
    halt: fc.constantFrom(true, false, 'enough', '', 1),
    context: texts,
    updated_input: fc.oneof({ weight: 5, arbitrary: patch }, { weight: 1, arbitrary: fc.constantFrom(null, [], 'ls') }),
    replace: fc.oneof({ weight: 3, arbitrary: newInput }, { weight: 1, arbitrary: fc.constantFrom(null, 'ls') }),
    message: texts,
    system_message: text,
    metadata: fc.dictionary(
      fc.constantFrom('a', 'b'),
      fc.oneof({ weight: 6, arbitrary: text }, { weight: 1, arbitrary: fc.constant(1) }),
    ),
    Decision: fc.constant('deny'),
    expires: fc.constant('never'),
  },
  { requiredKeys: [] },
)
const rare = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary })
const sparse = fc
  .tuple(envelope, fc.nat())
  .map(([full, mask]) => Object.fromEntries(Object.entries(full).filter((_, index) => (mask >> index) & 1)))
const stdout = fc.oneof(
  rare(
    12,
    sparse.map((reply) => JSON.stringify(reply)),
  ),
  rare(
    2,
    envelope.map((reply) => JSON.stringify(reply)),
  ),
  rare(
    2,
    sparse.map((reply) => `\uFEFF ${JSON.stringify(reply, null, 1)}\n`),
  ),
  rare(
    1,
    sparse.map((reply) => `Welcome\n${JSON.stringify(reply)}`),
  ),
  rare(
    1,
    sparse.map((reply) => `${JSON.stringify(reply)}${JSON.stringify(reply)}`),
  ),
  rare(
    1,
    fc.constantFrom(
      '{"decision":"deny","decision":"allow"}',
      '{"metadata":{"__proto__":"x"}}',
      '{"a":'.repeat(70),
      '[]',
      'true',
      '""',
      '{"decision":"den',
      'ok',
    ),
  ),
  rare(3, fc.constantFrom('', ' \n')),
)
/** Drawing is slower than dispatching: a pool of replies is drawn once, and the cases are drawn from the pool. */
const replies = fc.sample(fc.record({ exit: fc.constantFrom(0, 0, 0, 0, 0, 2, 49, 1, 127), stdout, stderr: text }), {
  numRuns: 1_500,
})

it(`gives the verdict of the specification in ${cases} random cases`, async () => {
  const pick = picker(seed)
  const draw = (): Omit<SpecHook, 'id'> => ({
    stage: pick([0, 0, 1, 2]),
    onFailure: pick(['closed', 'open', 'warn'] as const),
    shadow: pick([true, false, false, false, false, false]),
    reply: pick(replies),
  })
  const input = { command: 'ls', timeout: 5 }
  for (let drawn = 0; drawn < cases; drawn += batch)
    await compare(
      Array.from({ length: batch }, () => ({ input, hooks: Array.from({ length: pick([0, 1, 2, 3, 4]) }, draw) })),
      drawn,
    )
}, 1_200_000)

/** One set of hooks serves a whole batch: the agent's name tells whose turn it is. */
async function compare(
  some: { hooks: Omit<SpecHook, 'id'>[]; input: Record<string, unknown> }[],
  from: number,
): Promise<void> {
  const named = some.map(({ hooks, input }, at) => ({
    input,
    agent: `a${at}`,
    hooks: hooks.map((each, index) => ({ ...each, id: `h${at}_${index}` })),
  }))
  const entries = named.flatMap(({ agent, hooks }) =>
    hooks.map(({ id, stage, onFailure, shadow, reply }) => ({
      id,
      stage,
      event: 'pre_tool_use' as const,
      on_failure: onFailure,
      mode: shadow ? ('shadow' as const) : ('enforce' as const),
      matcher: { agent },
      run: { type: 'scripted', ...reply, unique: id },
    })),
  )
  const hooks = await createHooks({ executors: [scripted], hooks: entries })
  for (const { hooks: specHooks, input, agent } of named) {
    const expected = specVerdict(specHooks, input)
    const verdict = await hooks.raise('pre_tool_use', { tool_name: 'shell', tool_input: input, agent_name: agent })
    const ran = verdict.reports.filter((report) => report.asked)
    const actual = {
      ruling: verdict.decision?.ruling,
      halted: verdict.halt !== undefined,
      context: verdict.context ?? [],
      messages: (verdict.message ?? []).map((line) => line.replace(/^Hook "(.+?)" failed .*$/s, 'failed: $1')),
      metadata: verdict.metadata ?? {},
      input: verdict.rewrite?.value ?? input,
      ran: ran.map((report) => report.hook).sort(),
      failed: ran
        .filter((report) => report.outcome === 'failure')
        .map((report) => report.hook)
        .sort(),
    }
    const sorted = { ...expected, ran: [...expected.ran].sort(), failed: [...expected.failed].sort() }
    // Compared only when they differ: thousands of expectations with a message each take longer than the dispatches.
    if (!isDeepStrictEqual(actual, sorted))
      expect(actual, `HOOKLINE_SEED=${seed} batch ${from}: ${JSON.stringify(specHooks)}`).toEqual(sorted)
  }
  await hooks.close()
  expect(named).toHaveLength(batch)
}

it('no reply makes the reader throw or hang', () => {
  const replyContext = {
    event: { name: 'pre_tool_use', payload: { tool_input: {} }, depth: 0, synthetic: false },
    hook: { id: 'h' },
  } as never
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.json(), stdout),
      fc.integer(),
      fc.string({ unit: 'binary' }),
      (out, exit, err) => {
        native.reply.decode({ kind: 'wire', exit, stdout: out, stderr: err }, replyContext)
      },
    ),
    { numRuns: 2_000 },
  )
})
