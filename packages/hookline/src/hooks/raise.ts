import { AsyncLocalStorage } from 'node:async_hooks'
import type { Dialect, Event, EventName, Eventually, Hook, HostInfo, Note, Payload, Verdict } from '../core/index.ts'
import {
  didYouMean,
  eventNamed,
  eventNames,
  eventRow,
  events,
  formatPath,
  HooklineError,
  isAdministrators,
  isThenable,
  joined,
  joinReasons,
  note,
  validate,
} from '../core/index.ts'
import type { Dialects } from '../dialects/index.ts'
import { dispatch, type EngineServices, type HookIndex, plan, runLater } from '../engine/index.ts'
import { canaryReason, dialectNameOf, dialectOfHost, isCanary } from '../hosts/index.ts'
import { traceDispatch } from '../journal/index.ts'
import { callerEnvironment, type Variables } from '../platform/index.ts'
import type { Hooks, RaiseOptions } from './contract.ts'
import type { Generation, Generations } from './generations.ts'
import { type HostEvent, inOurWords, inTheirWords, raiseParts } from './host-call.ts'
import { raiseLanes } from './lanes.ts'

/** Runs work so that events raised inside it are known to be this many hooks deep. */
export const atDepth: EngineServices['nested'] = (depth, work) => depths.run(depth, work)

/** One for the process: each costs something on every promise, and a loop through two sets of hooks ends too. */
const depths = new AsyncLocalStorage<number>()

/** A hook that starts another program hands the depth on, so that a loop through processes ends too. */
function inheritedDepth(): number {
  const environment = callerEnvironment()
  if (environment !== process.env) return depthIn(environment)
  ownDepth ??= depthIn(environment)
  return ownDepth
}

/** Of this process, read once: reading the environment costs more than the rest of raising an event. */
let ownDepth: number | undefined
const depthIn = (environment: Variables): number => Number(environment['HOOKLINE_DEPTH'] ?? 0) || 0

/** The ways to raise an event. `off` says why all hooks but managed ones are switched off, while they are. */
export function makeRaise(
  generations: Generations,
  shared: EngineServices,
  dialects: Dialects,
  off: () => Note | undefined,
  ourHost: HostInfo | undefined,
): Pick<Hooks, 'raise' | 'raiseAs' | 'plan' | 'runLater'> {
  const offIndexes = new WeakMap<HookIndex, HookIndex>()
  const shadowIndexes = new WeakMap<HookIndex, HookIndex>()
  const servicesByIndex = new WeakMap<HookIndex, EngineServices>()

  /** One generation from beginning to end, whatever is reloaded meanwhile. */
  async function using<T>(
    work: (index: HookIndex, services: EngineServices) => Eventually<T>,
    shadow = false,
  ): Promise<T> {
    const generation = generations.current
    const why = off()
    const all = why ? changed(generation.index, offIndexes, offUnlessManaged) : generation.index
    const index = shadow ? changed(all, shadowIndexes, shadowUnlessManaged) : all
    const services = servicesFor(index, generation)
    generations.take(generation)
    try {
      const done = work(index, why ? withNote(services, why) : services)
      return isThenable<T>(done) ? await done : done
    } finally {
      generations.giveBack(generation)
    }
  }

  /** The same hooks, each changed; made once for a generation. */
  function changed(
    index: HookIndex,
    made: WeakMap<HookIndex, HookIndex>,
    change: (ready: { hook: Hook }) => Hook,
  ): HookIndex {
    const known = made.get(index) ?? generations.indexFor(index.hooks.map(change), index.generation)
    made.set(index, known)
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

  /** A payload in our words; the host that raises it may have other ones. */
  function raiseOne(
    name: EventName,
    payload: Record<string, unknown>,
    options: RaiseOptions,
    raisedBy: HostInfo | undefined,
  ): Promise<Verdict> {
    const isForeign = raisedBy !== undefined && raisedBy.name !== 'native' && dialects.names.includes(raisedBy.name)
    const raiser = { raisedBy, host: isForeign ? raisedBy.name : undefined }
    return using((index, services) => dispatchIn(index, services, name, { payload }, options, raiser), options.shadow)
  }

  /** Their words become ours on the way in, and ours theirs on the way out. */
  async function raiseFrom(
    dialect: Dialect,
    name: EventName,
    payload: Record<string, unknown>,
    options: RaiseOptions,
    raisedBy: HostInfo | undefined,
    refusal?: string,
  ): Promise<Verdict> {
    const raiser = { raisedBy, host: dialect.name === 'native' ? undefined : dialect.name }
    const own = dialect.audience?.(payload, callerEnvironment())
    const audience = options.audience ?? (own === 'nobody' && options.waits ? 'waiting' : own)
    const parts = inOurWords(dialect, name, payload)
    const verdicts = await using(
      (index, services) =>
        raiseParts(name, parts, (part) =>
          raiseLanes(dialect, name, index, part, async (event, seen) =>
            dispatchIn(
              index,
              refusing(services, refusal),
              event,
              seen,
              audience ? { ...options, audience } : options,
              raiser,
            ),
          ),
        ),
      options.shadow,
    )
    return inTheirWords(dialect, payload, parts, verdicts)
  }

  return {
    raise: ((name: EventName, payload: Record<string, unknown>, options: RaiseOptions = {}) => {
      const { dialect, host = ourHost } = options
      return dialect ? raiseFrom(dialect, name, payload, options, host) : raiseOne(name, payload, options, host)
    }) as Hooks['raise'],
    async raiseAs(name, payload, { event: named, host, ...options } = {}) {
      const dialect = await dialectOfHost(name, dialects)
      const decoded = dialect.event.decode(payload, named === undefined ? undefined : eventOf(dialect, named))
      if (!decoded.ok) throw new HooklineError(decoded.problem)
      const missed =
        decoded.missed && guards(generations.current.index, decoded.missed.event) ? decoded.missed.why : undefined
      const refusal = decoded.refusal ?? missed ?? (isCanary(decoded.event, decoded.payload) ? canaryReason : undefined)
      const usual = name === 'native' ? ourHost : { name: dialectNameOf(name) }
      const raisedBy = usual || host?.name ? ({ ...usual, ...host } as HostInfo) : undefined
      const verdict = await raiseFrom(
        dialect,
        decoded.event,
        decoded.payload,
        options,
        raisedBy,
        off() ? undefined : refusal,
      )
      return { ...verdict, notes: [...decoded.notes, ...verdict.notes] }
    },
    runLater: (id, event) =>
      using(async (index, services) => {
        const ready = index.byEvent.get(event.name)?.hooks.find(({ hook }) => hook.id === id)
        if (ready?.hook.background && ready.hook.enabled) await runLater(ready, event, index, services)
      }),
    plan(event, payload, { dialect } = {}) {
      const { index: all } = generations.current
      const index = off() ? changed(all, offIndexes, offUnlessManaged) : all
      const [part] = dialect ? inOurWords(dialect, event, payload) : [{ payload }]
      const made = makeEvent(index, event, part!.payload as never, 0, true)
      const raised = dialect && dialect.name !== 'native' ? fromHost(made, dialect.name, part!) : made
      return { ...plan(index, raised), event: raised }
    },
  }
}

/** Whether anything is there that could refuse at that event. */
const guards = ({ byEvent }: HookIndex, event: EventName): boolean =>
  byEvent
    .get(event)
    ?.hooks.some(({ hook: { enabled, mode, background } }) => enabled && mode !== 'shadow' && !background) ?? false

function dispatchIn<E extends EventName>(
  index: HookIndex,
  services: EngineServices,
  name: E,
  part: HostEvent,
  { signal, synthetic = false, audience }: Omit<RaiseOptions, 'host' | 'dialect'>,
  { raisedBy, host }: { raisedBy: HostInfo | undefined; host: string | undefined },
): Eventually<Verdict> {
  const made = makeEvent(index, name, part.payload as never, depths.getStore() ?? inheritedDepth(), synthetic)
  const named = joined(joined(made, raisedBy && { raisedBy }), audience && { audience })
  const event = host === undefined ? named : fromHost(named, host, part)
  return traceDispatch(event, () => dispatch(index, event, services, signal))
}

const fromHost = (event: Event, host: string, { original }: HostEvent): Event =>
  joined(event, { host, ...(original && { original }) })

function offUnlessManaged({ hook }: { hook: Hook }): Hook {
  return isAdministrators(hook.origin.layer) ? hook : { ...hook, enabled: false }
}

function shadowUnlessManaged({ hook }: { hook: Hook }): Hook {
  return isAdministrators(hook.origin.layer) ? hook : { ...hook, mode: 'shadow' }
}

function withNote(services: EngineServices, why: Note): EngineServices {
  return {
    ...services,
    record: (verdict, ...rest) => services.record({ ...verdict, notes: [...verdict.notes, why] }, ...rest),
  }
}

/** What must not happen in that host is refused in the record too, beside what hooks say of it. */
function refusing(services: EngineServices, refusal: string | undefined): EngineServices {
  if (refusal === undefined) return services
  const refused = (verdict: Verdict): Verdict => {
    const { rewrite: _dropped, decision, ...rest } = verdict
    const reason = decision?.ruling === 'deny' ? joinReasons(decision.reason, refusal) : refusal
    return { ...rest, decision: { ruling: 'deny', reason } }
  }
  return { ...services, record: (verdict, ...rest) => services.record(refused(verdict), ...rest) }
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
