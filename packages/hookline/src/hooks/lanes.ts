import type { Dialect, Event, EventName, Report, Verdict } from '../core/index.ts'
import { combine, type HookIndex, skipAll } from '../engine/index.ts'

/**
 * In some systems one payload asks two lanes. The first lane's deny or ask ends it, and the second is not asked; its
 * allow is only advice.
 */
export async function askLanes(
  dialect: Dialect,
  event: EventName,
  index: HookIndex,
  raise: (event: EventName) => Promise<Verdict>,
): Promise<Verdict> {
  const lane = dialect.lanes?.[event]
  if (lane === undefined || !index.byEvent.has(lane)) return raise(event)
  const first = await raise(lane)
  const ended = first.halt !== undefined || first.decision?.ruling === 'deny' || first.decision?.ruling === 'ask'
  if (ended) {
    const skipped = skipAll(
      index,
      { name: event, payload: first.payload, depth: 0, synthetic: false } as Event,
      'decided',
    )
    return { ...first, event, reports: inConfigOrder(index, [...first.reports, ...skipped]) }
  }
  const second = await raise(event)
  const { decision: _advice, event: _lane, payload: _payload, reports, notes, ...said } = first
  const { event: _event, payload, reports: more, notes: others, ...rest } = second
  return {
    ...combine([said, rest]),
    event,
    payload,
    reports: inConfigOrder(index, [...reports, ...more]),
    notes: [...notes, ...others],
  }
}

function inConfigOrder(index: HookIndex, reports: readonly Report[]): Report[] {
  const position = new Map(index.hooks.map(({ hook, position }) => [hook.id, position]))
  return [...reports].sort((a, b) => (position.get(a.hook) ?? 0) - (position.get(b.hook) ?? 0))
}
