import { describe, expect, it } from 'vitest'
import {
  type Dialect,
  type Event,
  type EventName,
  eventRow,
  type Hook,
  hookDefaults,
  type Verdict,
  validate,
} from '../../src/core/index.ts'
import { dialectNames, loadDialect } from '../../src/dialects/index.ts'
import { samplePayload } from '../support/payloads.ts'
import { picker } from '../support/picker.ts'
import fc, { seed } from '../support/property.ts'

/** The laws of every dialect, in one place. `HOOKLINE_CASES=…` says how many inputs each dialect reads. */
const inputs = Number(process.env['HOOKLINE_CASES'] ?? 10_000)

const source = { file: 'config', layer: 'project', locate: () => ({ file: 'config', line: 1, column: 1 }) } as const
const eventOf = (name: EventName, payload: Record<string, unknown>) =>
  ({ name, payload, depth: 0, synthetic: true }) as unknown as Event
const hookOf = (dialect: Dialect, event: EventName): Hook => ({
  ...hookDefaults,
  id: 'h',
  event,
  dialect: dialect.name,
  run: { type: 'command', command: 'true' },
  origin: { layer: 'project' },
})

describe.each(dialectNames)('%s', (name) => {
  it('reads its own payload back, for every event it names', async () => {
    const dialect = await loadDialect(name)
    for (const event of Object.keys(dialect.events) as EventName[]) {
      const again = (payload: Record<string, unknown>) => {
        const { body } = dialect.event.encode(eventOf(event, payload), hookOf(dialect, event))
        const decoded = dialect.event.decode(JSON.parse(body) as Record<string, unknown>, event)
        if (!decoded.ok) throw new Error(`${event}: ${decoded.problem.message}`)
        expect(decoded.event).toBe(event)
        return decoded.payload
      }
      const once = again({ ...samplePayload(event), cwd: '/w', ts: '2026-01-02T03:04:05.678Z' })
      expect(validate(eventRow(event).payload, once).ok, event).toBe(true)
      expect(again(once), event).toEqual(once)
    }
  })

  it('decodes its own denial', async () => {
    const dialect = await loadDialect(name)
    const payload = samplePayload('pre_tool_use')
    const verdict = {
      event: 'pre_tool_use',
      payload,
      reports: [],
      notes: [],
      decision: { ruling: 'deny', reason: 'not here' },
    } as Verdict
    const { value } = dialect.reply.encode(verdict)
    const readBack = dialect.reply.decode(value, {
      event: eventOf('pre_tool_use', payload),
      hook: hookOf(dialect, 'pre_tool_use'),
    })
    expect(readBack.ok && readBack.opinion.decision).toEqual({ ruling: 'deny', reason: 'not here' })
  })

  it('an event that nobody names is a problem, not a guess', async () => {
    const dialect = await loadDialect(name)
    expect(dialect.event.decode({ hello: 1 }).ok).toBe(false)
  })

  it('no input, however malformed, makes a codec throw', async () => {
    const dialect = await loadDialect(name)
    const pick = picker(seed)
    const { values, texts, words } = pools(dialect)
    const names = Object.keys(dialect.events) as EventName[]
    for (let drawn = 0; drawn < inputs; drawn++) {
      const document = {
        [pick(words)]: pick(values),
        [pick(words)]: { [pick(words)]: pick(values) },
        hooks: pick(values),
      }
      const payload = { [pick(words)]: pick(values), [pick(words)]: pick(values), [pick(words)]: pick(texts) }
      const [event, decoded] = [pick(names), dialect.event.decode(payload)]
      if (decoded.ok) dialect.event.encode(eventOf(decoded.event, decoded.payload), hookOf(dialect, decoded.event))
      dialect.config.encode(dialect.config.decode(document, source).hooks)
      dialect.config.detect(document, 'x.json')
      const wire = {
        kind: 'wire',
        exit: pick([0, 0, 0, 2, 49, 1, 127]),
        stdout: pick(texts),
        stderr: pick(texts),
      } as const
      const replyContext = {
        event: eventOf(event, { tool_name: 'shell', tool_input: pick(values) }),
        hook: hookOf(dialect, event),
      }
      const readBack = dialect.reply.decode(wire, replyContext)
      if (readBack.ok)
        dialect.reply.encode({ event, payload: {}, reports: [], notes: [], ...readBack.opinion } as Verdict)
    }
  }, 1_200_000)
})

/** Drawing is slower than decoding: pools are drawn once, of words the dialect knows in the wrong places, and inputs from them. */
function pools(dialect: Dialect) {
  const words = [
    ...Object.values(dialect.events),
    ...'hooks event command matcher data config ref type timeout env tool_name tool_input hook_event_name'.split(' '),
    ...'decision reason continue context updated_input hook_specific_output hookSpecificOutput permissionDecision patch'.split(
      ' ',
    ),
    ...['__proto__', 'constructor', 'toString', ''],
  ]
  const key = fc.constantFrom(...words)
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      key,
      fc.jsonValue({ maxDepth: 0 }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
  }))
  const values = fc.sample(value, { numRuns: 3_000 })
  const shapes = values.map((each) => JSON.stringify(each) ?? '')
  const texts = [
    ...shapes,
    ...shapes.map((text) => text.slice(1)),
    ...fc.sample(fc.string({ unit: 'binary' }), { numRuns: 1_000 }),
  ]
  return { values, texts, words }
}
