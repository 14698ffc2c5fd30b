import * as z from 'zod/mini'

/**
 * The effect table: every kind of thing an opinion can ask for.
 *
 * `merge(earlier, later)` combines two opinions of the same kind in config order. It is associative, and an absent
 * effect is its identity, so combining any number of opinions is one fold. A new effect is one row.
 */
interface EffectRow<V> {
  doc: string
  schema: z.ZodMiniType<V>
  merge(earlier: V, later: V): V
}

const effect = <V>(row: EffectRow<V>): EffectRow<V> => row

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

export const effects = {
  decision: effect<Decision>({
    doc: 'May it go on? `deny` beats `ask` beats `allow`; the reasons of the winning ruling are kept in config order.',
    schema: z.strictObject({ ruling: z.enum(rulings), reason: z.string() }),
    merge(earlier, later) {
      const difference = rulings.indexOf(later.ruling) - rulings.indexOf(earlier.ruling)
      if (difference !== 0) return difference > 0 ? later : earlier
      return { ruling: earlier.ruling, reason: joinReasons(earlier.reason, later.reason) }
    },
  }),
  halt: effect<Halt>({
    doc: 'End the run; the user takes over. Sticky: one hook is enough.',
    schema: z.strictObject({ reason: z.string() }),
    merge: (earlier, later) => ({ reason: joinReasons(earlier.reason, later.reason) }),
  }),
  context: effect<string[]>({
    doc: 'Text for the model. Concatenates in config order.',
    schema: z.array(z.string()),
    merge: (earlier, later) => [...earlier, ...later],
  }),
  rewrite: effect<Rewrite>({
    doc: 'A new value for the field the event rewrites. `merge` patches the keys it names, `replace` replaces the whole value; later wins.',
    schema: z.strictObject({ mode: z.enum(['merge', 'replace']), value: z.unknown() }),
    merge: (earlier, later) =>
      later.mode === 'replace' ? later : { mode: earlier.mode, value: patch(earlier.value, later.value) },
  }),
  message: effect<string[]>({
    doc: 'Text for the user. Concatenates in config order.',
    schema: z.array(z.string()),
    merge: (earlier, later) => [...earlier, ...later],
  }),
  metadata: effect<Record<string, string>>({
    doc: 'Annotations, such as `blast_radius` on a confirmation prompt. Later wins per key.',
    schema: z.record(z.string(), z.string()),
    merge: (earlier, later) => ({ ...earlier, ...later }),
  }),
}

export type EffectName = keyof typeof effects
export type EffectValue<N extends EffectName> = (typeof effects)[N] extends EffectRow<infer V> ? V : never
export const effectNames = Object.keys(effects) as EffectName[]

/** What one hook answers. No field, no opinion. */
export type Opinion = { [N in EffectName]?: EffectValue<N> }

/** Whether an opinion asks for nothing: most hooks say nothing most of the time. */
export function isSilent(opinion: Opinion): boolean {
  for (const _effect in opinion) return false
  return true
}

/** The value of a field after a rewrite. `apply(apply(x, a), b)` equals `apply(x, merge(a, b))`. */
export function applyRewrite(current: unknown, rewrite: Rewrite): unknown {
  return rewrite.mode === 'replace' ? rewrite.value : patch(current, rewrite.value)
}

export function joinReasons(...reasons: string[]): string {
  return reasons.filter((reason) => reason !== '').join('\n')
}

/** Shallow merge: nested objects are replaced wholesale. What is not an object has no keys to keep. */
function patch(current: unknown, changes: unknown): unknown {
  return isRecord(current) && isRecord(changes) ? { ...current, ...changes } : changes
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
