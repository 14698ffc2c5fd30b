import * as z from 'zod/mini'
import type { StandardSchema } from './standard-schema.ts'

/**
 * The effect table: every kind of thing an opinion can ask for. A new effect is one row: reading replies, combining
 * opinions, `dispatch` and the tests ask it.
 */
export interface EffectRow<V> {
  doc: string
  /** What people call it, where a system has no word for it: "Metadata is lost in Crush". */
  called: string
  /** Reads a value that a function hook returns; short forms are accepted. */
  schema: StandardSchema<V>
  /**
   * Combines two opinions of the same kind in config order. Associative, and an absent effect is its identity, so combining
   * any number of opinions is one fold.
   */
  merge(earlier: V, later: V): V
  /**
   * What counts when one hook runs again in a dispatch: `newest` is its last answer, also when that says nothing; `either`
   * is its last answer that says something; `first` is its first answer, so that texts are not doubled.
   */
  again: 'newest' | 'either' | 'first'
  /** In the JSON reply of a native hook: its keys, how it is read from them and written to them. */
  reply: {
    keys: readonly string[]
    read(reply: ReplyFields): V | undefined
    write(value: V): Record<string, unknown>
  }
  /** In the JSON that `dispatch` prints: its key, and what stands there, also when there is nothing to say. */
  output: {
    key: string
    schema: StandardSchema
    show(value: V | undefined, rewrites: string | undefined): unknown
  }
  /** Typical values, for tests and for the tables of the docs. */
  samples: readonly [V, ...V[]]
}

/** The keys of a native hook's reply, as the rows read them. Texts come without control characters, and blank ones empty. */
export interface ReplyFields {
  /** The id of the hook. */
  hook: string
  has(key: string): boolean
  value(key: string): unknown
  /** Empty when the key is absent. */
  text(key: string, wanted?: string): string
  /** One text or a list of them; without blank ones. */
  texts(key: string): string[]
  textByKey(key: string): Record<string, string>
  /** The reply cannot be understood. */
  refuse(detail: string): never
}

export const rulings = ['allow', 'ask', 'deny'] as const
export type Ruling = (typeof rulings)[number]

export interface Decision {
  ruling: Ruling
  reason: string
}
export interface Halt {
  reason: string
}
export interface Rewrite {
  mode: 'merge' | 'replace'
  value: unknown
}

const reason = z._default(z.string(), '')
const textList = z.pipe(
  z.transform((value) => (typeof value === 'string' ? [value] : value)),
  z.array(z.string()),
)
const textMap = z.record(z.string(), z.string())
const decision = z.strictObject({ ruling: z.enum(rulings), reason })
const halt = z.strictObject({ reason })
const decided = z.strictObject({ ruling: z.enum(rulings), reason: z.string() })
const halted = z.strictObject({ reason: z.string() })
const rewritten = z.strictObject({ field: z.string(), value: z.unknown() })

const effect = <V>(row: EffectRow<V>): EffectRow<V> => row

/** Text for somebody: it concatenates, and a hook that runs again does not say it twice. */
const textsFor = (called: string, doc: string, keys: readonly [string, ...string[]], outputKey: string) =>
  effect<string[]>({
    doc,
    called,
    schema: textList,
    merge: (earlier, later) => [...earlier, ...later],
    again: 'first',
    reply: {
      keys,
      read: (reply) => unlessEmpty(keys.flatMap((key) => reply.texts(key))),
      write: (value) => (value.length > 0 ? { [keys[0]]: value } : {}),
    },
    output: { key: outputKey, schema: z.array(z.string()), show: (value) => value ?? [] },
    samples: [['text']],
  })

export const effects = {
  decision: effect<Decision>({
    doc: 'May it go on? `deny` beats `ask` beats `allow`; the reasons of the winning ruling are kept in config order.',
    called: 'A decision',
    schema: decision,
    merge(earlier, later) {
      const difference = rulings.indexOf(later.ruling) - rulings.indexOf(earlier.ruling)
      if (difference !== 0) return difference > 0 ? later : earlier
      return { ruling: earlier.ruling, reason: joinReasons(earlier.reason, later.reason) }
    },
    again: 'newest',
    reply: {
      keys: ['decision', 'reason'],
      read(reply) {
        if (reply.value('decision') === undefined) return undefined
        const ruling = rulingOf(reply.value('decision')) ?? reply.refuse('`decision` must be `allow`, `ask` or `deny`')
        return { ruling, reason: reply.text('reason') || (ruling === 'deny' ? deniedBy(reply.hook) : '') }
      },
      write: ({ ruling, reason }) => ({ decision: ruling, reason }),
    },
    output: { key: 'decision', schema: z.nullable(decided), show: (value) => value ?? null },
    samples: [
      { ruling: 'allow', reason: 'why' },
      { ruling: 'ask', reason: 'why' },
      { ruling: 'deny', reason: 'why' },
    ],
  }),
  halt: effect<Halt>({
    doc: 'End the run; the user takes over. Sticky: one hook is enough.',
    called: 'Ending the run (`halt`)',
    schema: halt,
    merge: (earlier, later) => ({ reason: joinReasons(earlier.reason, later.reason) }),
    again: 'either',
    reply: {
      keys: ['halt'],
      read(reply) {
        const given = reply.value('halt')
        if (typeof given === 'boolean')
          return given ? { reason: reply.text('reason') || haltedBy(reply.hook) } : undefined
        const reason = reply.text('halt', '`true`, `false` or a string')
        return reason ? { reason } : undefined
      },
      write: ({ reason }) => ({ halt: reason || true }),
    },
    output: { key: 'halt', schema: z.nullable(halted), show: (value) => value ?? null },
    samples: [{ reason: 'why' }],
  }),
  context: textsFor('Context', 'Text for the model. Concatenates in config order.', ['context'], 'context'),
  rewrite: effect<Rewrite>({
    doc: 'A new value for the field the event rewrites. `merge` patches the keys it names, `replace` replaces the whole value; later wins.',
    called: 'A rewrite',
    schema: z.strictObject({
      mode: z.enum(['merge', 'replace']),
      value: z.unknown().check(z.refine((value) => value !== undefined, { error: 'must be data that JSON can carry' })),
    }),
    merge: (earlier, later) =>
      later.mode === 'replace' ? later : { mode: earlier.mode, value: patch(earlier.value, later.value) },
    again: 'either',
    reply: {
      keys: ['rewrite', 'updated_input', 'replace'],
      read(reply) {
        const given = effects.rewrite.reply.keys.filter((key) => reply.has(key))
        const [key] = given
        if (key === undefined) return undefined
        if (given.length > 1) reply.refuse(`it has both \`${given.join('` and `')}\`, and only one can hold`)
        const value = reply.value(key)
        if (key === 'replace') return { mode: 'replace', value }
        if (!isRecord(value)) reply.refuse(`\`${key}\` must be an object; for anything else use \`replace\``)
        return { mode: 'merge', value }
      },
      write: ({ mode, value }) => (mode === 'merge' && isRecord(value) ? { rewrite: value } : { replace: value }),
    },
    output: {
      key: 'rewrite',
      schema: z
        .nullable(rewritten)
        .check(z.describe('The field of the payload that changed, and its whole final value.')),
      show: (rewrite, field) => (rewrite ? { field, value: rewrite.value } : null),
    },
    samples: [{ mode: 'replace', value: { command: 'pwd' } }],
  }),
  message: textsFor(
    'A message for the user',
    'Text for the user. Concatenates in config order.',
    ['message', 'system_message'],
    'messages',
  ),
  metadata: effect<Record<string, string>>({
    doc: 'Annotations, such as `blast_radius` on a confirmation prompt. Later wins per key.',
    called: 'Metadata',
    schema: textMap,
    merge: (earlier, later) => ({ ...earlier, ...later }),
    again: 'first',
    reply: {
      keys: ['metadata'],
      read(reply) {
        const map = reply.textByKey('metadata')
        return Object.keys(map).length > 0 ? map : undefined
      },
      write: (metadata) => ({ metadata }),
    },
    output: { key: 'metadata', schema: textMap, show: (value) => value ?? {} },
    samples: [{ category: 'x' }],
  }),
}

export type EffectName = keyof typeof effects
export type EffectValue<N extends EffectName> = (typeof effects)[N] extends EffectRow<infer V> ? V : never
export const effectNames = Object.keys(effects) as EffectName[]
/** The row of an effect, for code that handles all of them alike. */
export const effectRow = (name: EffectName): EffectRow<unknown> => effects[name] as EffectRow<unknown>

/** What one hook answers. No field, no opinion. */
export type Opinion = { [N in EffectName]?: EffectValue<N> }

/** Whether an opinion asks for nothing: most hooks have none most of the time. */
export function isSilent(opinion: Opinion): boolean {
  for (const _effect in opinion) return false
  return true
}

/** What counts of a hook that answered once more in one dispatch. */
export function answeredAgain(earlier: Opinion, later: Opinion): Opinion {
  const counts: Record<string, unknown> = {}
  for (const name of effectNames) {
    const value = { newest: later[name], either: later[name] ?? earlier[name], first: earlier[name] }[
      effects[name].again
    ]
    if (value !== undefined) counts[name] = value
  }
  return counts as Opinion
}

/** The value of a field after a rewrite. `apply(apply(x, a), b)` equals `apply(x, merge(a, b))`. */
export function applyRewrite(current: unknown, rewrite: Rewrite): unknown {
  return rewrite.mode === 'replace' ? rewrite.value : patch(current, rewrite.value)
}

export function joinReasons(...reasons: string[]): string {
  return reasons.filter((reason) => reason !== '').join('\n')
}

/** A refusal always says why, if only who refused. */
export const deniedBy = (id: string): string => `blocked by hook "${id}"`
export const haltedBy = (id: string): string => `halted by hook "${id}"`

/** `block` is what most systems say for deny. Anything else, in any other case, is no ruling. */
function rulingOf(value: unknown): Ruling | undefined {
  return value === 'block' ? 'deny' : rulings.find((ruling) => ruling === value)
}

const unlessEmpty = (values: string[]): string[] | undefined => (values.length > 0 ? values : undefined)

/** Shallow merge: nested objects are replaced wholesale. What is not an object has no keys to keep. */
function patch(current: unknown, changes: unknown): unknown {
  return isRecord(current) && isRecord(changes) ? { ...current, ...changes } : changes
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
