import { AsyncLocalStorage } from 'node:async_hooks'
import type { Dialect, Event, EventName, Hook, Note, Payload, Report, Verdict } from '../core/index.ts'
import {
  didYouMean,
  eventNamed,
  eventNames,
  eventRow,
  events,
  formatPath,
  HooklineError,
  note,
  validate,
} from '../core/index.ts'
import type { Dialects } from '../dialects/index.ts'
import { combine, dispatch, type EngineServices, type HookIndex, plan, skipAll } from '../engine/index.ts'
import { traceDispatch } from '../journal/index.ts'
import type { Hooks, RaiseOptions } from './contract.ts'
import type { Generation, Generations } from './generations.ts'

/** Runs work so that events raised inside it are known to be this many hooks deep. */
export const atDepth: EngineServices['nested'] = (depth, work) => depths.run(depth, work)

/** One for the process: each costs something on every promise, and a loop through two sets of hooks ends too. */
const depths = new AsyncLocalStorage<number>()

/** A hook that starts another program hands the depth on, so that a loop through processes ends too. */
const inheritedDepth = Number(process.env['HOOKLINE_DEPTH'] ?? 0) || 0

/** The ways to raise an event. `off` says why all hooks but managed ones are switched off, while they are. */
export function makeRaise(
  generations: Generations,
  dialects: Dialects,
  shared: EngineServices,
  off: () => Note | undefined,
): Pick<Hooks, 'raise' | 'raiseAs' | 'plan'> {
  const offIndexes = new WeakMap<HookIndex, HookIndex>()
  const servicesByIndex = new WeakMap<HookIndex, EngineServices>()

  /** One generation from beginning to end, whatever is reloaded meanwhile. */
  async function using<T>(work: (index: HookIndex, services: EngineServices) => Promise<T>): Promise<T> {
    const generation = generations.current
    const why = off()
    const index = why ? managedOnly(generation.index) : generation.index
    const services = servicesFor(index, generation)
    generations.take(generation)
    try {
      return await work(index, why ? withNote(services, why) : services)
    } finally {
      generations.giveBack(generation)
    }
  }

  /** The hooks while they are switched off: only managed ones run. */
  function managedOnly(index: HookIndex): HookIndex {
    const known = offIndexes.get(index) ?? generations.indexFor(index.hooks.map(offUnlessManaged), index.generation)
    offIndexes.set(index, known)
    return known
  }

  /** What a hook does in the background belongs to the generation that began it. */
  function servicesFor(index: HookIndex, generation: Generation): EngineServices {
    const known = servicesByIndex.get(index)
    if (known) return known
    const own: EngineServices = {
      ...shared,
      background(work) {
        generations.take(generation)
        shared.background(work.finally(() => generations.giveBack(generation)))
      },
    }
    servicesByIndex.set(index, own)
    return own
  }

  return {
    raise: (name, payload, options = {}) =>
      using((index, services) => dispatchIn(index, services, name, payload, options)) as Promise<never>,
    async raiseAs(name, payload, { event: named, ...options } = {}) {
      const dialect = await dialects.load(name)
      const decoded = dialect.event.decode(payload, named === undefined ? undefined : eventOf(dialect, named))
      if (!decoded.ok) throw new HooklineError(decoded.problem)
      const host = name === 'native' ? undefined : name
      const verdict = await using((index, services) =>
        raiseLanes(dialect, decoded.event, index, (event) =>
          dispatchIn(index, services, event, decoded.payload as never, options, host),
        ),
      )
      return { ...verdict, notes: [...decoded.notes, ...verdict.notes] }
    },
    plan(event, payload) {
      const { index: all } = generations.current
      const index = off() ? managedOnly(all) : all
      return plan(index, makeEvent(index, event, payload, 0, true))
    },
  }
}

async function dispatchIn<E extends EventName>(
  index: HookIndex,
  services: EngineServices,
  name: E,
  payload: Payload<E>,
  { signal, synthetic = false }: RaiseOptions,
  host?: string,
): Promise<Verdict> {
  const made = makeEvent(index, name, payload, depths.getStore() ?? inheritedDepth, synthetic)
  const event = host === undefined ? made : { ...made, host }
  return traceDispatch(event, () => dispatch(index, event, services, signal))
}

function offUnlessManaged({ hook }: { hook: Hook }): Hook {
  return hook.origin.layer === 'managed' ? hook : { ...hook, enabled: false }
}

function withNote(services: EngineServices, why: Note): EngineServices {
  return {
    ...services,
    record: (verdict, ...rest) => services.record({ ...verdict, notes: [...verdict.notes, why] }, ...rest),
  }
}

/** An event as the engine takes it, or an error that says what does not fit. */
function makeEvent<E extends EventName>(
  index: HookIndex,
  name: E,
  payload: Payload<E>,
  depth: number,
  synthetic: boolean,
): Event {
  if (!Object.hasOwn(events, name))
    throw new HooklineError(
      note('unknown-event', { event: name, hint: didYouMean(name, eventNames), known: eventNames.join(', ') }),
    )
  if (index.byEvent.has(name)) checkPayload(name, payload)
  return { name, payload, depth, synthetic } as unknown as Event
}

/** A payload that does not fit would slip past matchers and guards: it is refused, not guessed at. */
function checkPayload(name: EventName, payload: unknown): void {
  const row = eventRow(name)
  if (row.plainlyFits(payload)) return
  const checked = validate(row.payload, payload)
  if (checked.ok) return
  const [first] = checked.problems
  throw new HooklineError(
    note('payload-invalid', {
      event: name,
      path: formatPath(first?.path ?? []) || 'payload',
      detail: first?.detail ?? '',
    }),
  )
}

/** Our name for an event of that system. */
function eventOf(dialect: Dialect, name: string): EventName {
  const found = eventNamed(dialect, name)
  if (found) return found
  const known = Object.values(dialect.events)
  throw new HooklineError(
    note('unknown-event', { event: name, hint: didYouMean(name, known), known: known.join(', ') }),
  )
}

/**
 * In some systems one payload runs two lanes. The first lane's deny or ask ends it, and the second does not run; its
 * allow is only advice.
 */
async function raiseLanes(
  dialect: Dialect,
  event: EventName,
  index: HookIndex,
  raise: (event: EventName) => Promise<Verdict>,
): Promise<Verdict> {
  const lane = dialect.lanes?.[event]
  if (lane === undefined || !index.byEvent.has(lane)) return raise(event)
  const first = await raise(lane)
  if (first.halt || first.decision?.ruling === 'deny' || first.decision?.ruling === 'ask') {
    const second = { name: event, payload: first.payload, depth: 0, synthetic: false } as Event
    const reports = [...first.reports, ...skipAll(index, second, 'decided')]
    return { ...first, event, reports: inConfigOrder(index, reports) }
  }
  const second = await raise(event)
  const { decision: _advice, event: _lane, payload: _payload, reports, notes, ...opinion } = first
  const { event: _event, payload, reports: more, notes: others, ...rest } = second
  return {
    ...combine([opinion, rest]),
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
