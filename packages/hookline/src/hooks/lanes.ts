import type { Dialect, Event, EventName, Opinion, Report, Verdict } from '../core/index.ts'
import { eventRow, lanesOf, plainText, sameJson } from '../core/index.ts'
import { combine, type HookIndex, skipAll } from '../engine/index.ts'
import type { HostEvent } from './host-call.ts'

/**
 * One payload of a host runs the hooks of every event that it stands for, one event after the other, each on what the one
 * before has made of it. A deny or a halt ends it. The lane of a system's own ends it with an ask, too. An allow of any but
 * the event itself is only advice.
 */
export async function raiseLanes(
  dialect: Dialect,
  event: EventName,
  index: HookIndex,
  raised: HostEvent,
  raise: (event: EventName, part: HostEvent) => Promise<Verdict>,
): Promise<Verdict> {
  const lanes = lanesOf(dialect, event).filter((lane) => lane === event || index.byEvent.has(lane))
  if (lanes.length === 1) return raise(event, raised)
  const verdicts: Verdict[] = []
  let part = raised
  for (const lane of lanes) {
    const verdict = await raise(lane, lane === event ? part : withError(lane, part))
    verdicts.push(verdict)
    part = afterwards(verdict, part)
    const ruling = verdict.decision?.ruling
    if (verdict.halt || ruling === 'deny' || (ruling === 'ask' && lane === dialect.lanes?.[event])) break
  }
  return together(event, index, verdicts, lanes.slice(verdicts.length), part)
}

/** What a failed call gave back is its error: the model sees it as it would a result. */
function withError(lane: EventName, part: HostEvent): HostEvent {
  const { result } = eventRow(lane)
  const { error } = part.payload
  if (result === undefined || part.payload[result] !== undefined || typeof error !== 'string') return part
  return { ...part, payload: { ...part.payload, [result]: error, tool_error: true } }
}

/** The payload for the next event, with what a hook has rewritten. */
function afterwards({ event, rewrite, payload }: Verdict, part: HostEvent): HostEvent {
  const { rewrites, result } = eventRow(event)
  if (!rewrite || rewrites === undefined) return part
  const isError = rewrites === result && part.payload[rewrites] === undefined
  const changed = isError ? { error: plainText(payload[rewrites]) } : { [rewrites]: payload[rewrites] }
  return { ...part, payload: { ...part.payload, ...changed } }
}

function together(
  event: EventName,
  index: HookIndex,
  verdicts: readonly Verdict[],
  left: readonly EventName[],
  { payload: given }: HostEvent,
): Verdict {
  const own = verdicts.find((verdict) => verdict.event === event)
  const payload = (own ?? verdicts[0]!).payload
  const { rewrite: _inSteps, ...opinion } = combine(
    withoutRepeats(verdicts.map((verdict) => opinionOf(verdict, event))),
  )
  const skipped = left.flatMap((name) =>
    skipAll(index, { name, payload: given, depth: 0, synthetic: false } as unknown as Event, 'decided'),
  )
  const rewritten = verdicts.findLast(({ rewrite }) => rewrite)
  const value = rewritten?.payload[eventRow(rewritten.event).rewrites!]
  return {
    event,
    ...opinion,
    ...(rewritten && { rewrite: { mode: 'replace', value } }),
    payload,
    reports: inConfigOrder(index, [...verdicts.flatMap(({ reports }) => reports), ...skipped]),
    notes: verdicts.flatMap(({ notes }) => notes),
  }
}

function opinionOf(
  { event: lane, payload: _p, reports: _r, notes: _n, ...opinion }: Verdict,
  event: EventName,
): Opinion {
  if (lane === event || opinion.decision?.ruling !== 'allow') return opinion
  const { decision: _advice, ...rest } = opinion
  return rest
}

/** One guard on two events of one moment says the same twice. */
function withoutRepeats(opinions: readonly Opinion[]): Opinion[] {
  return opinions.map(({ decision, message, ...rest }, at) => {
    const before = opinions.slice(0, at)
    const isNew = before.every((each) => !sameJson(each.decision, decision))
    const others = message?.filter((text) => !before.some((each) => each.message?.includes(text)))
    return { ...rest, ...(decision && isNew && { decision }), ...(others?.length && { message: others }) }
  })
}

function inConfigOrder(index: HookIndex, reports: readonly Report[]): Report[] {
  const position = new Map(index.hooks.map(({ hook, position }) => [hook.id, position]))
  return [...reports].sort((a, b) => (position.get(a.hook) ?? 0) - (position.get(b.hook) ?? 0))
}
