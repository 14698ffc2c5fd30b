import { describe, expect, test } from 'vitest'
import { builtins } from '../../src/builtins/index.ts'
import { type EventName, eventNames, events, isRecord, type StandardSchema, validate } from '../../src/core/index.ts'
import { createBuiltinExecutor } from '../../src/executors/builtin.ts'
import { makeCall } from '../support/call.ts'
import { makeWorld, placed, play } from '../support/world.ts'

const executor = createBuiltinExecutor()

/** The notes of loading a config with this use. */
const problems = (name: string, event: EventName, args: unknown) =>
  executor.check?.({ name, args }, makeCall({ type: 'builtin' }, { event }).hook).map(({ message }) => message)

/** None, where it can do without; else those of its first example by name. */
function usualArgs(builtin: (typeof builtins)[string]): Record<string, unknown> | undefined {
  if (validate(builtin.args, {}).ok) return undefined
  return builtin.examples.map(({ args }) => args).find(isRecord)
}

function parsedArgs(builtin: (typeof builtins)[string], args: unknown): unknown {
  const read = validate(builtin.args, args)
  return read.ok ? read.value : expect.fail(JSON.stringify(read.problems))
}

describe.each(Object.values(builtins))('$name', (builtin) => {
  test('has a name in snake case, a sentence of documentation, events that exist, and examples', () => {
    expect(builtins[builtin.name]).toBe(builtin)
    expect(builtin.name).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(builtin.doc).toMatch(/\.$/)
    expect(builtin.events.length).toBeGreaterThan(0)
    for (const event of builtin.events) expect(eventNames).toContain(event)
    expect(builtin.examples.length).toBeGreaterThan(0)
  })

  const args = usualArgs(builtin)
  const canary =
    typeof builtin.canary === 'function'
      ? builtin.canary(parsedArgs(builtin, args ?? {}), builtin.events[0]!)
      : builtin.canary
  const examples = [
    ...builtin.examples,
    ...(canary ? [{ ...canary, title: `its canary: ${canary.title}`, ...(args && { args }) }] : []),
  ]
  test.each(examples)('example: $title', async (example) => {
    const world = makeWorld(example.given)
    try {
      expect(builtin.events).toContain(example.event)
      expect(validate(events[example.event].payload as StandardSchema, example.payload)).toMatchObject({ ok: true })
      expect(problems(builtin.name, example.event, placed(example.args, world))).toEqual([])
      if (example.fails)
        return await expect(play(builtin, example, world)).rejects.toMatchObject({ kind: example.fails })
      const opinion = await play(builtin, example, world)
      if (example.expect === undefined) expect(opinion).toBeUndefined()
      else expect(opinion).toMatchObject(placed(example.expect, world))
    } finally {
      world.remove()
    }
  })

  if (builtin.canary)
    test('its canary has no args of its own, and is blocked or masked', () => {
      expect(canary?.args).toBeUndefined()
      expect(canary?.expect?.rewrite ? 'masked' : canary?.expect?.decision?.ruling).toMatch(/deny|ask|masked/)
    })

  test('refuses arguments it does not know', () => {
    expect(problems(builtin.name, builtin.events[0]!, { surely_not_an_argument: 1 })).not.toEqual([])
  })
})
