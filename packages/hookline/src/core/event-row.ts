import type { EffectName } from './effects.ts'
import { type Fields, type PayloadOf, payloadCheck, payloadSchema } from './field.ts'
import { common } from './fields.ts'
import type { StandardSchema } from './standard-schema.ts'

/** What a test of a matcher can look at. A row says in which payload field the facet is found. */
export const facets = ['tool', 'args', 'text', 'agent', 'source'] as const
export type Facet = (typeof facets)[number]

/** Where context goes: into this turn only, kept with the session, into the compaction prompt, or to the person at the terminal. */
export type ContextPlace = 'turn' | 'session' | 'compaction' | 'terminal'

/** How often `deny` may send the agent back, in a row, before it may go on; and the payload flag that says so to hooks. */
export interface Redo {
  cap: number
  flag: string
}

const resultField = 'tool_response'

/** Every event shows messages and keeps annotations; a row lists what it honours beyond these. */
const always = ['message', 'metadata'] as const
type Always = (typeof always)[number]

interface Described<P extends Fields, E extends EffectName> {
  doc: string
  payload: P
  effects: readonly E[]
  subject?: Partial<Record<Exclude<Facet, 'agent' | 'text'>, keyof P & string>>
  within?: Within
  asksPerson?: true
}

/**
 * Events of the same moment. A host that raises one of those and not this one runs the hooks of this one with the same
 * payload: before those of the other, or after, on what they have made of it.
 */
export type Within = Readonly<Record<string, 'before' | 'after'>>
type Denying<E> = 'decision' extends E
  ? { deny: string; asks?: boolean; failure: 'open' | 'closed'; redo?: Redo }
  : { deny?: never; asks?: never; failure: 'open'; redo?: never }
type Rewriting<E, P> = 'rewrite' extends E ? { rewrites: keyof P & string } : { rewrites?: never }
type Contextual<E> = 'context' extends E ? { context: ContextPlace } : { context?: never }

/** Everything that is true of an event. */
export interface EventRow<P extends Fields = Fields, E extends EffectName = EffectName> {
  doc: string
  /** The event's own fields; `payload` also has the common ones. */
  fields: P
  readonly payload: StandardSchema<PayloadOf<typeof common & P>>
  /** Quick, and never wrong when it says yes; where it says no, `payload` decides. */
  plainlyFits(payload: unknown): boolean
  effects: readonly E[]
  subject: Partial<Record<Facet, string>>
  failure: 'open' | 'closed'
  deny: string | undefined
  asks: boolean
  redo: Redo | undefined
  rewrites: string | undefined
  context: ContextPlace | undefined
  /** The field that holds what a tool gave back. */
  result: string | undefined
  within: Within | undefined
  /**
   * It is about a question to a person. Where the host needs none, because it reads the call as harmless, only hooks
   * run that do not take its word for that.
   */
  asksPerson: boolean
}

/**
 * One row of the event table. Illegal rows do not compile: failing closed without `decision`, `deny` without a
 * meaning, `rewrite` without a field of the payload, `context` without a place.
 */
export function row<P extends Fields, E extends EffectName>(
  spec: Described<P, E> & Denying<NoInfer<E>> & Rewriting<NoInfer<E>, NoInfer<P>> & Contextual<NoInfer<E>>,
): EventRow<P, E | Always> {
  // Most processes raise one kind of event: what it takes to check the others is never made.
  const all = () => ({ ...common, ...spec.payload })
  let schema: StandardSchema<PayloadOf<typeof common & P>> | undefined
  let check: ((payload: unknown) => boolean) | undefined
  return {
    doc: spec.doc,
    fields: spec.payload,
    get payload() {
      schema ??= payloadSchema(all()) as unknown as StandardSchema<PayloadOf<typeof common & P>>
      return schema
    },
    plainlyFits(payload) {
      check ??= payloadCheck(all())
      return check(payload)
    },
    effects: [...spec.effects, ...always],
    subject: { agent: 'agent_name', ...spec.subject } as Partial<Record<Facet, string>>,
    failure: spec.failure,
    deny: spec.deny,
    asks: spec.asks === true,
    redo: spec.redo,
    rewrites: spec.rewrites,
    context: spec.context,
    result: Object.hasOwn(spec.payload, resultField) ? resultField : undefined,
    within: spec.within,
    asksPerson: spec.asksPerson === true,
  }
}
