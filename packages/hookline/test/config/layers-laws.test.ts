import { expect, it } from 'vitest'
import { type Layer, layers, rulings } from '../../src/core/index.ts'
import { createHooks } from '../../src/hooks/index.ts'
import fc from '../support/property.ts'
import { scripted } from '../support/scripted.ts'

const call = { session_id: 's', tool_name: 'shell', tool_input: { command: 'ls' } }
const inFiles = layers.filter((layer) => layer !== 'code')
/** No keys of a fleet have signed these files; what holds of its layer holds all the same. */
const unsigned = (layer: Layer) => (layer === 'fleet' ? { candidate: true as const } : {})

/** One file of a layer: hooks that answer, and ids that it wants muted, which may be those of others. */
const file = fc.record({
  layer: fc.constantFrom(...inFiles),
  disabled: fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 2 }),
  hooks: fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      stage: fc.constantFrom(-1, 0, 1),
      reply: fc.constantFrom('', '{"decision":"allow"}', '{"decision":"ask"}', '{"decision":"deny"}', 'broken'),
    }),
    { selector: ({ id }) => id, maxLength: 3 },
  ),
})
type File = typeof file extends fc.Arbitrary<infer T> ? T : never

async function strictness(files: readonly File[]): Promise<number> {
  const hooks = await createHooks({
    executors: [scripted],
    journal: false,
    files: files.map(({ layer, disabled, hooks }, at) => ({
      file: `file ${at}`,
      layer,
      ...unsigned(layer),
      dialect: 'native',
      text: JSON.stringify({
        version: 1,
        disabled,
        hooks: hooks.map(({ id, stage, reply }) => ({
          id,
          stage,
          event: 'pre_tool_use',
          run: { type: 'scripted', exit: 0, stdout: reply, stderr: '', unique: `${at}${id}` },
        })),
      }),
    })),
  })
  try {
    const { decision } = await hooks.raise('pre_tool_use', call)
    return decision ? rulings.indexOf(decision.ruling) : -1
  } finally {
    await hooks.close()
  }
}

it('a file of a weaker layer never weakens a verdict, whatever it mutes, and whatever ids it uses', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(file, { selector: ({ layer }) => layer, minLength: 1, maxLength: 5 }),
      async (drawn) => {
        const files = drawn.toSorted((one, other) => inFiles.indexOf(one.layer) - inFiles.indexOf(other.layer))
        for (let count = 1; count < files.length; count++)
          expect(await strictness(files.slice(0, count + 1))).toBeGreaterThanOrEqual(
            await strictness(files.slice(0, count)),
          )
      },
    ),
    { numRuns: 60 },
  )
})

it('what a stronger layer rewrites, no weaker one rewrites otherwise, in whatever stage it stands', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.constantFrom(...layers), { minLength: 2, maxLength: 3 }),
      fc.array(fc.constantFrom(-1, 0, 1), { minLength: 3, maxLength: 3 }),
      async (drawn, stages) => {
        const files = drawn.map((layer, at) => ({
          file: layer,
          layer,
          ...unsigned(layer),
          dialect: 'native',
          text: JSON.stringify({
            version: 1,
            hooks: [{ id: layer, event: 'pre_tool_use', stage: stages[at], run: rewriting(layer) }],
          }),
        }))
        const hooks = await createHooks({ executors: [scripted], journal: false, files })
        const { rewrite, decision, notes } = await hooks.raise('pre_tool_use', call)
        await hooks.close()
        const strongest = layers.find((layer) => drawn.includes(layer))!
        // Three that go on rewriting each other from stage to stage are refused; two come to an end.
        if (drawn.length > 2 && decision?.ruling === 'deny') expect(notes).toMatchObject([{ code: 'rewrite-loop' }])
        else expect({ command: rewrite?.value, notes }).toEqual({ command: { command: strongest }, notes: [] })
      },
    ),
    { numRuns: 60 },
  )
})

it('a guard of a system that runs hooks once runs again on what a weaker layer rewrote', async () => {
  const guard = `grep -q evil && { echo no >&2; exit 2; } || exit 0`
  const files = [
    {
      file: 'crush.json',
      layer: 'user' as const,
      text: JSON.stringify({ hooks: { PreToolUse: [{ command: guard }] } }),
    },
    {
      file: 'hookline.json',
      layer: 'project' as const,
      text: JSON.stringify({ version: 1, hooks: [{ id: 'p', event: 'pre_tool_use', run: rewriting('evil') }] }),
    },
  ]
  const hooks = await createHooks({ executors: [scripted], journal: false, files })
  const { decision } = await hooks.raise('pre_tool_use', call)
  await hooks.close()
  expect(decision).toMatchObject({ ruling: 'deny', reason: 'no' })
})

function rewriting(command: string) {
  return { type: 'scripted', exit: 0, stdout: JSON.stringify({ updated_input: { command } }), stderr: '' }
}
