import * as z from 'zod/mini'
import type { EffectName } from './effects.ts'
import { common } from './fields.ts'
import { quickCheck } from './quick-check.ts'

/** What a test of a matcher can look at. A row says in which payload field the facet is found. */
export const facets = ['tool', 'args', 'text', 'agent', 'source'] as const
export type Facet = (typeof facets)[number]

/** Where context goes: into this turn only, kept with the session, into the compaction prompt, or to the person at the terminal. */
export type ContextPlace = 'turn' | 'session' | 'compaction' | 'terminal'

/** How often `deny` may send the agent back, in a row, before it is let go; and the payload flag that tells hooks so. */
export interface Redo {
  cap: number
  flag: string
}

type Shape = Record<string, z.ZodMiniType>

/** Every event shows messages and keeps annotations; a row lists what it honours beyond these. */
const always = ['message', 'metadata'] as const
type Always = (typeof always)[number]

interface Described<P extends Shape, E extends EffectName> {
  doc: string
  payload: P
  effects: readonly E[]
  subject?: Partial<Record<Exclude<Facet, 'agent' | 'text'>, keyof P & string>>
}
type Denying<E> = 'decision' extends E
  ? { deny: string; asks?: boolean; failure: 'open' | 'closed'; redo?: Redo }
  : { deny?: never; asks?: never; failure: 'open'; redo?: never }
type Rewriting<E, P> = 'rewrite' extends E ? { rewrites: keyof P & string } : { rewrites?: never }
type Contextual<E> = 'context' extends E ? { context: ContextPlace } : { context?: never }

/**
 * One row of the event table. Illegal rows do not compile: failing closed without `decision`, `deny` without a
 * meaning, `rewrite` without a field of the payload, `context` without a place.
 */
export function row<P extends Shape, E extends EffectName>(
  spec: Described<P, E> & Denying<NoInfer<E>> & Rewriting<NoInfer<E>, NoInfer<P>> & Contextual<NoInfer<E>>,
) {
  // Most processes raise one kind of event: what it takes to check the others is never made.
  let payload: z.ZodMiniObject<typeof common & P, z.core.$loose> | undefined
  const shape = () => ({ ...common, ...spec.payload })
  return {
    doc: spec.doc,
    /** The event's own fields; `payload` also has the common ones. */
    fields: spec.payload as Shape,
    get payload() {
      payload ??= z.looseObject(shape()) as z.ZodMiniObject<typeof common & P, z.core.$loose>
      return payload
    },
    /** Quick, and never wrong when it says yes; `payload` has the last word. */
    plainlyFits: quickCheck(shape),
    effects: [...spec.effects, ...always] as readonly (E | Always)[],
    subject: { agent: 'agent_name', ...spec.subject } as Partial<Record<Facet, string>>,
    failure: spec.failure as 'open' | 'closed',
    deny: spec.deny as string | undefined,
    asks: spec.asks === true,
    redo: spec.redo as Redo | undefined,
    rewrites: spec.rewrites as string | undefined,
    context: spec.context as ContextPlace | undefined,
  }
}
