import { expect } from 'vitest'
import {
  type Dialect,
  type Event,
  type EventName,
  eventRow,
  type Hook,
  hookDefaults,
  type Note,
  type Opinion,
  type Source,
  type Verdict,
  validate,
} from '../../src/core/index.ts'
import fc from '../support/property.ts'

/** What the tests of one dialect have in common: calls of its codecs, and the laws that hold for every dialect. */
export function lawsOf(dialect: Dialect) {
  const source: Source = { file: 'config', layer: 'project', locate: (path) => ({ file: `config#${path.join('.')}` }) }
  const decode = (document: unknown) => dialect.config.decode(document, source)
  const hookOf = (event: EventName, more: Partial<Hook> = {}): Hook => ({
    ...hookDefaults,
    id: 'h',
    event,
    dialect: dialect.name,
    run: { type: 'command', command: 'true' },
    origin: { layer: 'project' },
    ...more,
  })
  const eventOf = (name: EventName, payload: Record<string, unknown> = {}) =>
    ({ name, payload, depth: 0, synthetic: false }) as unknown as Event
  const reply = (event: EventName, stdout: unknown, exit = 0, stderr = '', payload = {}) =>
    dialect.reply.decode(
      { kind: 'wire', exit, stdout: typeof stdout === 'string' ? stdout : JSON.stringify(stdout), stderr },
      { event: eventOf(event, payload), hook: hookOf(event) },
    )
  return {
    decode,
    hookOf,
    eventOf,
    reply,
    /** An opinion and the codes of the notes; or the kind of failure. */
    decodeReply(...given: Parameters<typeof reply>) {
      const decoded = reply(...given)
      return decoded.ok ? { ...decoded.opinion, notes: codes(decoded.notes) } : { failure: decoded.failure.kind }
    },
    problems: (document: unknown) => decode(document).problems.map(({ message }) => message),

    /** What a host sends is what a hook gets, key by key, and it fits our own event. */
    passesOn(wire: Record<string, unknown>, hook: Partial<Hook> = {}) {
      const decoded = dialect.event.decode(wire)
      if (!decoded.ok) throw new Error(decoded.problem.message)
      expect(validate(eventRow(decoded.event).payload, decoded.payload).ok).toBe(true)
      const { body } = dialect.event.encode(eventOf(decoded.event, decoded.payload), hookOf(decoded.event, hook))
      expect(body).toBe(JSON.stringify(wire))
      expect(dialect.event.decode(JSON.parse(body), decoded.event)).toEqual(decoded)
    },

    /** A config stays the same after encoding and decoding. */
    keepsHooks(hooks: readonly Hook[]) {
      const written = dialect.config.encode(hooks)
      expect(written.notes).toEqual([])
      const read = decode(JSON.parse(JSON.stringify(written.value)))
      expect(read.problems).toEqual([])
      expect(read.hooks.map(placeless)).toEqual(hooks.map(placeless))
    },

    /** A verdict that this dialect can represent stays the same after encoding and decoding. */
    keepsVerdict(event: EventName, opinion: Opinion, payload: Record<string, unknown> = {}) {
      const verdict = { event, payload, reports: [], notes: [], ...opinion } as Verdict
      const { value } = dialect.reply.encode(verdict)
      const readBack = dialect.reply.decode(value, { event: eventOf(event, payload), hook: hookOf(event) })
      expect(readBack.ok && readBack.opinion).toEqual(opinion)
    },

    /** Whatever comes in, no codec throws. */
    neverThrows(runs: number) {
      const names = Object.keys(dialect.events) as EventName[]
      const text = fc.oneof(
        fc.string(),
        fc.json(),
        fc.json().map((json) => json.slice(1)),
      )
      const replies = fc.record({
        name: fc.constantFrom(...names),
        exit: fc.nat(255),
        stdout: text,
        stderr: fc.string(),
      })
      fc.assert(
        fc.property(nearMiss(dialect), replies, ({ config, payload }, { name, exit, stdout, stderr }) => {
          const { hooks } = decode(config)
          dialect.config.encode(hooks)
          dialect.config.detect(config, 'x.json')
          const decoded = dialect.event.decode(payload as Record<string, unknown>)
          if (decoded.ok) dialect.event.encode(eventOf(decoded.event, decoded.payload), hookOf(decoded.event))
          const answer = dialect.reply.decode(
            { kind: 'wire', exit, stdout, stderr },
            { event: eventOf(name, { tool_input: {} }), hook: hookOf(name) },
          )
          if (answer.ok)
            dialect.reply.encode({ event: name, payload: {}, reports: [], notes: [], ...answer.opinion } as Verdict)
        }),
        { numRuns: runs },
      )
    },
  }
}

export const codes = (notes: readonly Note[]) => notes.map((each) => each.code)

/** Objects made of the words that the dialect knows, in the wrong places. */
function nearMiss(dialect: Dialect) {
  const words = [...Object.values(dialect.events), 'hooks', 'event', 'command', 'matcher', 'data', 'config', 'ref']
  const more = ['capabilities', 'user_hooks', 'executor', 'type', 'bash', 'timeout', 'env', 'tool_name', 'tool_input']
  const key = fc.constantFrom(...words, ...more, '__proto__', 'toString')
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      key,
      fc.jsonValue({ maxDepth: 0 }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
  }))
  return fc.record({ config: value, payload: fc.dictionary(key, value, { maxKeys: 5 }) })
}

const placeless = ({ origin: { layer }, matcher, ...hook }: Hook) => ({
  ...hook,
  matcher: matcher.map(({ where: _where, ...test }) => test),
  layer,
})
