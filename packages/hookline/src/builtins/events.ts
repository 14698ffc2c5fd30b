import { type EffectName, type EventName, eventNames, eventRow, type Honoured } from '../core/index.ts'

export type EventsHonouring<N extends EffectName> = {
  [E in EventName]: N extends Honoured<E> ? E : never
}[EventName]

/** All events that honour an effect; the usual one first. */
export function eventsHonouring<N extends EffectName>(effect: N, usual: EventsHonouring<N>): EventsHonouring<N>[] {
  const all = eventNames.filter((name) => eventRow(name).effects.includes(effect)) as EventsHonouring<N>[]
  return [usual, ...all.filter((name) => name !== usual)]
}

export const anyEvent = (usual: EventName): EventName[] => [usual, ...eventNames.filter((name) => name !== usual)]
