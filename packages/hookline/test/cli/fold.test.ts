import { expect, it } from 'vitest'
import { stepsOf } from '../../src/cli/fold.ts'
import type { Opinion } from '../../src/core/index.ts'
import { createHooks } from '../../src/hooks/index.ts'
import fc from '../support/property.ts'
import { scripted } from '../support/scripted.ts'

const reply = fc.record(
  {
    decision: fc.constantFrom('allow', 'ask', 'deny'),
    halt: fc.constantFrom(true, false, false, false, false),
    context: fc.constantFrom('one', 'two'),
    updated_input: fc.dictionary(fc.constantFrom('command', 'path'), fc.constantFrom('a', 'b'), { maxKeys: 2 }),
    metadata: fc.dictionary(fc.constant('radius'), fc.constantFrom('low', 'high')),
  },
  { requiredKeys: [] },
)
const hook = fc.record({
  layer: fc.constantFrom('user', 'project', 'local'),
  stage: fc.nat({ max: 2 }),
  mode: fc.constantFrom('enforce', 'enforce', 'enforce', 'shadow'),
  reply,
})

const writes = (layer: 'user' | 'local', stage: number, updated_input: Record<string, 'a' | 'b'>) => ({
  layer,
  stage,
  mode: 'enforce' as const,
  reply: { updated_input },
})
/** A weaker layer rewrites beside another hook of the stronger one. */
const putBack = [writes('user', 0, { command: 'a' }), writes('user', 1, {}), writes('local', 1, { command: 'b' })]
/** The first hook of a layer repeats what its second has overridden, because a weaker layer has rewritten something else. */
const undone = [
  writes('user', 0, { command: 'a' }),
  writes('user', 1, { command: 'b' }),
  writes('local', 2, { path: 'a' }),
]

it('the verdict is the fold of what hooks say, where stronger layers rewrite last and within a layer later hooks, whatever hooks of whatever layers and stages say', async () => {
  const payload = { tool_name: 'shell', tool_input: { command: 'ls' } }
  await fc.assert(
    fc.asyncProperty(fc.array(hook, { minLength: 1, maxLength: 5 }), async (drawn) => {
      const entries = drawn.map(({ layer, reply, ...rest }, at) => {
        const run = { type: 'scripted', stdout: JSON.stringify(reply) }
        return { layer, hook: { id: `h${at}`, event: 'pre_tool_use', run, ...rest } }
      })
      const files = (['user', 'project', 'local'] as const).map((layer) => ({
        file: `${layer}.json`,
        layer,
        text: JSON.stringify({
          version: 1,
          hooks: entries.filter((each) => each.layer === layer).map((each) => each.hook),
        }),
      }))
      const hooks = await createHooks({ files, executors: [scripted], journal: false, onNote: () => {} })
      const verdict = await hooks.raise('pre_tool_use', payload)
      await hooks.close()
      // What the engine itself refuses comes from no hook.
      fc.pre(!verdict.notes.some(({ code }) => code === 'rewrite-loop'))
      const { event: _, payload: __, reports: ___, notes: ____, ...opinion } = verdict
      const last: Opinion = stepsOf(verdict, hooks.hooks, payload).at(-1)?.soFar ?? {}
      expect(last).toEqual(opinion)
    }),
    { numRuns: 300, examples: [[putBack], [undone]] },
  )
})
