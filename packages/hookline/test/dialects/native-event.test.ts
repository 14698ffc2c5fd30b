import { describe, expect, test } from 'vitest'
import { type Event, eventNames, type Hook, hookDefaults } from '../../src/core/index.ts'
import { dialectNames, loadDialect } from '../../src/dialects/index.ts'
import { native } from '../../src/dialects/native/index.ts'
import fc from '../support/property.ts'

const hook: Hook = {
  ...hookDefaults,
  id: 'watch',
  event: 'pre_tool_use',
  dialect: 'native',
  run: { type: 'command' },
  origin: { layer: 'code' },
}
const eventOf = (payload: object, name = 'pre_tool_use') =>
  ({ name, payload, depth: 0, synthetic: false }) as unknown as Event

describe('payloads', () => {
  test('the body is the payload with the event and the hook', () => {
    const { body, payloadVariables } = native.event.encode(
      eventOf({ tool_name: 'shell', tool_input: { n: 12345678901234567890n } }),
      hook,
    )
    expect(body).toBe(
      '{"event":"pre_tool_use","hook_id":"watch","tool_name":"shell","tool_input":{"n":12345678901234567890}}',
    )
    expect(payloadVariables).toEqual({ json: 'HOOKLINE_PAYLOAD_JSON', path: 'HOOKLINE_PAYLOAD_PATH' })
  })

  test('a payload cannot pass itself off as another event', () => {
    const { body } = native.event.encode(eventOf({ event: 'stop', hook_id: 'other' }), hook)
    expect(JSON.parse(body)).toEqual({ event: 'pre_tool_use', hook_id: 'watch' })
  })

  test('only short scalars go into the environment; what is absent is unset', () => {
    const { env } = native.event.encode(
      eventOf({ session_id: 's', cwd: `/${'x'.repeat(5_000)}`, tool_name: 'a\0b', tool_use_id: 7, tool_input: {} }),
      hook,
    )
    expect(env).toEqual({
      HOOKLINE: '1',
      HOOKLINE_EVENT: 'pre_tool_use',
      HOOKLINE_HOOK_ID: 'watch',
      HOOKLINE_SESSION_ID: 's',
    })
  })

  test('what was encoded is decoded to the same event', () => {
    const payload = fc.dictionary(
      fc.string().filter((key) => !['event', 'hook_id', '__proto__'].includes(key)),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(fc.constantFrom(...eventNames), payload, (name, payload) => {
        const { body } = native.event.encode(eventOf(payload, name), hook)
        const expected = { ok: true, event: name, payload: JSON.parse(JSON.stringify(payload)), notes: [] }
        expect(native.event.decode(JSON.parse(body))).toEqual(expected)
      }),
    )
  })

  test('the event is named in the payload or by the caller, and not differently by both', () => {
    expect(native.event.decode({ event: 'PreToolUse' })).toMatchObject({ ok: true, event: 'pre_tool_use' })
    expect(native.event.decode({}, 'stop')).toMatchObject({ ok: true, event: 'stop', payload: {} })
    expect(native.event.decode({ event: 'stop' }, 'stop')).toMatchObject({ ok: true })
    for (const decoded of [
      native.event.decode({}),
      native.event.decode({ event: 'stop' }, 'turn_end'),
      native.event.decode({ event: 5 }, 'stop'),
    ])
      expect(decoded).toMatchObject({ ok: false, problem: { code: 'payload-invalid' } })
    expect(native.event.decode({ event: 'stpo' }, 'stop')).toMatchObject({
      ok: false,
      problem: { code: 'unknown-event' },
    })
  })
})

describe('the registry', () => {
  test('every dialect loads under its own name', async () => {
    for (const name of dialectNames) expect((await loadDialect(name)).name).toBe(name)
  })

  test('an unknown dialect is reported with the nearest known one', async () => {
    await expect(loadDialect('nativ')).rejects.toThrow('Did you mean `native`?')
    await expect(loadDialect('toString')).rejects.toThrow('Unknown dialect')
  })
})
