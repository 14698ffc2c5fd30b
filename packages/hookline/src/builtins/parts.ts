import * as z from 'zod/mini'
import {
  type BuiltinKit,
  type Decision,
  type EffectName,
  type EventName,
  eventNames,
  eventRow,
  type Honoured,
  type Rewrite,
} from '../core/index.ts'
import type { Marker } from '../guards/secrets/index.ts'

// Arguments

export const noArgs = z.strictObject({})

const describedAs = <S extends z.ZodMiniType>(schema: S, text: string): S => schema.check(z.describe(text)) as S

/** One argument: its schema, what it means, and its value when it is not given. */
export function argument<S extends z.ZodMiniType>(schema: S, doc: string, fallback: z.output<S>): z.ZodMiniDefault<S> {
  return describedAs(z._default(schema, fallback as never), doc) as z.ZodMiniDefault<S>
}
export const required = <S extends z.ZodMiniType>(schema: S, doc: string): S => describedAs(schema, doc)
export const optional = <S extends z.ZodMiniType>(schema: S, doc: string): z.ZodMiniOptional<S> =>
  describedAs(z.optional(schema), doc)

export const text = z.string().check(z.minLength(1))
export const texts = z.array(text)
export const flag = z.boolean()
export const count = z.int().check(z.positive())

// Answers

export const allow = (reason: string): Decision => ({ ruling: 'allow', reason })
export const ask = (reason: string): Decision => ({ ruling: 'ask', reason })
export const deny = (reason: string): Decision => ({ ruling: 'deny', reason })

export const replaceBy = (value: unknown): Rewrite => ({ mode: 'replace', value })
export const change = (keys: Record<string, unknown>): Rewrite => ({ mode: 'merge', value: keys })

/** What stands for a secret, where the hook's system has one marker for all; undefined: ours. */
export const markerOf = ({ redaction }: Pick<BuiltinKit, 'redaction'>): Marker | undefined =>
  redaction === undefined ? undefined : () => redaction

// Events

export type EventsHonouring<N extends EffectName> = {
  [E in EventName]: N extends Honoured<E> ? E : never
}[EventName]

/** All events that honour an effect; the usual one first. */
export function eventsHonouring<N extends EffectName>(effect: N, usual: EventsHonouring<N>): EventsHonouring<N>[] {
  const all = eventNames.filter((name) => eventRow(name).effects.includes(effect)) as EventsHonouring<N>[]
  return [usual, ...all.filter((name) => name !== usual)]
}

export const anyEvent = (usual: EventName): EventName[] => [usual, ...eventNames.filter((name) => name !== usual)]

// Examples

/** A made-up token with a valid checksum, in pieces so that no scanner takes it for a real one. */
export const sampleToken = ['ghp', '_16C7e42F292c6912', 'E7710c838347Ae178B4a'].join('')
