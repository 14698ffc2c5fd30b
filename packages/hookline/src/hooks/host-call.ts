import type { Dialect, Event, EventName, Note, Opinion, Report, ToolCall, Verdict } from '../core/index.ts'
import {
  backToTheirs,
  eventRow,
  isRecord,
  joinReasons,
  note,
  outcomeOf,
  resultToOurs,
  resultToTheirs,
  rulings,
  stringifyJson,
  toOurs,
} from '../core/index.ts'
import { combineParts } from '../engine/index.ts'
import { deliverMessage } from './host-message.ts'

/** What a host raised, in our words: a payload for each part of its call, usually one. */
export interface HostEvent {
  payload: Record<string, unknown>
  original?: NonNullable<Event['original']>
}

/** Translates the call of a foreign host, and keeps it beside. Without a call, or in our words already, nothing changes. */
export function inOurWords(
  { tools: section }: Dialect,
  event: EventName,
  payload: Record<string, unknown>,
): HostEvent[] {
  const { subject, result } = eventRow(event)
  const tool = payload[subject.tool ?? '']
  const input = payload[subject.args ?? '']
  if (section === undefined || section.own || typeof tool !== 'string' || !isRecord(input)) return [{ payload }]
  const parts = toOurs(section, { tool, input })
  const given = result === undefined ? undefined : payload[result]
  const text = given === undefined ? undefined : resultToOurs(section, tool, given)
  return parts.map((part) => ({
    payload: {
      ...payload,
      [subject.tool!]: part.tool,
      [subject.args!]: part.input,
      ...(text !== undefined && { [result!]: text }),
    },
    original: {
      ...{ tool, input, ours: { input: part.input, ...(text !== undefined && { result: text }) }, parts: parts.length },
      ...(given !== undefined && { result: given }),
    },
  }))
}

/**
 * Raises every part, one after the other: the strictest verdict holds. A result is one for all parts, so each gets it as
 * those before have left it.
 */
export async function raiseParts(
  event: EventName,
  parts: readonly HostEvent[],
  raise: (part: HostEvent) => Promise<Verdict>,
): Promise<Verdict[]> {
  const { result } = eventRow(event)
  const verdicts: Verdict[] = []
  for (const part of parts) {
    const before = result === undefined ? undefined : verdicts.at(-1)?.payload[result]
    verdicts.push(
      await raise(before === undefined ? part : { ...part, payload: { ...part.payload, [result!]: before } }),
    )
  }
  return verdicts
}

/** Verdicts about the parts as one, in the words of the host and as far as it takes them. */
export function inTheirWords(
  dialect: Dialect,
  raised: Record<string, unknown>,
  parts: readonly HostEvent[],
  verdicts: readonly Verdict[],
): Verdict {
  const [first] = verdicts as [Verdict, ...Verdict[]]
  const original = parts[0]?.original
  if (!original) return deliverMessage(dialect, raised, first)
  const whole = together(verdicts)
  const { rewrites, result } = eventRow(first.event)
  const payload = { ...first.payload, ...callOf(first.event, raised) }
  const rewritten = verdicts.some((each) => each.rewrite)
  if (!rewritten) return { ...whole, payload }
  const delivery =
    rewrites === undefined
      ? withheld(dialect, original, first.event)
      : rewrites === result
        ? deliverResult(dialect, original, verdicts.at(-1)!.payload[rewrites], whole)
        : deliverInput(dialect, { tool: original.tool, input: original.input as ToolCall['input'] }, verdicts, whole)
  if ('refusal' in delivery) {
    const { rewrite: _dropped, ...rest } = whole
    return { ...rest, ...refused(whole, delivery.refusal), payload, notes: [...whole.notes, delivery.note] }
  }
  const { value } = delivery
  return { ...whole, rewrite: { mode: 'replace', value }, payload: { ...payload, [rewrites!]: value } }
}

type Delivery = { value: unknown } | { refusal: Opinion; note: Note }

/** New input into the host's own call, if it takes that; else a refusal that says what to run. */
function deliverInput(
  { tools: section, name, rewrites }: Dialect,
  original: ToolCall,
  verdicts: readonly Verdict[],
  { event, decision, halt }: Verdict,
): Delivery {
  const { subject } = eventRow(event)
  const ours = verdicts.map(({ payload }) => ({
    tool: payload[subject.tool!] as string,
    input: payload[subject.args!] as ToolCall['input'],
  }))
  const theirs = backToTheirs(section!, ours, original)
  const taken = rewrites?.inputOn?.[event] ?? rewrites?.input ?? 'taken'
  // What is refused anyway needs no other refusal; nothing runs.
  if (theirs && (halt || decision?.ruling === 'deny')) return { value: theirs.input }
  const isTaken = taken === 'taken' || (taken === 'with-allow' && decision?.ruling === 'allow')
  const loses = rewrites?.merges && Object.keys(original.input).some((key) => !Object.hasOwn(theirs?.input ?? {}, key))
  if (theirs && isTaken && !loses) return { value: theirs.input }
  const instead = (theirs ? [theirs] : ours).map(shown).join('\n')
  const reason = `A hook changed this call, and ${name} cannot run it changed. Run this instead: ${instead}`
  return {
    refusal: { decision: { ruling: 'deny', reason } },
    note: note('rewrite-refused', { host: name, what: 'new input' }),
  }
}

/** A new result in the shape of the tool; where the host would drop it, the model must not see the old one. */
function deliverResult(
  { tools: section, name, rewrites }: Dialect,
  original: NonNullable<Event['original']>,
  value: unknown,
  { event }: Verdict,
): Delivery {
  const theirs = resultToTheirs(section!, original.tool, value, original.result)
  const taken = rewrites?.result ?? 'taken'
  if (taken === 'taken' && sameShape(theirs, original.result)) return { value: theirs }
  if (taken !== 'as-reason') return withheld({ name }, original, event)
  const reason = typeof value === 'string' ? value : stringifyJson(value)
  return {
    refusal: { decision: { ruling: 'deny', reason } },
    note: note('rewrite-refused', { host: name, what: newResult }),
  }
}

const newResult = 'a new result'

/** The host cannot show the model another result, and it must not see this one: the run ends. */
function withheld(
  { name }: Pick<Dialect, 'name'>,
  { tool }: NonNullable<Event['original']>,
  event: EventName,
): Delivery {
  const reason = `A hook changed the result of ${tool}, and ${name} cannot show the model a changed one.`
  const why = note('rewrite-refused', { host: name, what: newResult })
  return { refusal: eventRow(event).effects.includes('halt') ? { halt: { reason } } : {}, note: why }
}

/** Hosts drop a result that is of another kind than the tool's own. */
const sameShape = (one: unknown, other: unknown): boolean =>
  other === undefined || (isRecord(one) === isRecord(other) && Array.isArray(one) === Array.isArray(other))

function shown({ tool, input }: ToolCall): string {
  const { command } = input
  return typeof command === 'string' ? command : `${tool} ${stringifyJson(input)}`
}

function refused({ decision, halt }: Verdict, refusal: Opinion): Opinion {
  const reasons = decision?.ruling === 'deny' ? [decision.reason] : []
  return {
    ...(refusal.decision && {
      decision: { ruling: 'deny', reason: joinReasons(...reasons, refusal.decision.reason) },
    }),
    ...(refusal.halt && { halt: { reason: joinReasons(halt?.reason ?? '', refusal.halt.reason) } }),
  }
}

function callOf(event: EventName, raised: Record<string, unknown>): Record<string, unknown> {
  const { subject, result } = eventRow(event)
  const fields = [subject.tool, subject.args, result].filter(
    (field) => field !== undefined && Object.hasOwn(raised, field),
  )
  return Object.fromEntries(fields.map((field) => [field, raised[field!]]))
}

function together(verdicts: readonly Verdict[]): Verdict {
  const [first, ...more] = verdicts as [Verdict, ...Verdict[]]
  if (more.length === 0) return first
  const opinions = verdicts.map(({ event: _e, payload: _p, reports: _r, notes: _n, ...opinion }) => opinion as Opinion)
  const { rewrite: _eachItsOwn, ...opinion } = combineParts(opinions)
  return {
    event: first.event,
    ...opinion,
    ...(verdicts.some((each) => each.rewrite) && { rewrite: first.rewrite ?? { mode: 'replace', value: undefined } }),
    payload: first.payload,
    reports: first.reports.map((_report, at) => strictest(verdicts.map(({ reports }) => reports[at]!))),
    notes: verdicts.flatMap(({ notes }) => notes),
  }
}

/** One report for all parts: of those that ran, the one that decided most. */
function strictest(reports: readonly Report[]): Report {
  const weight = ({ asked, outcome, opinion }: Report) => {
    if (!asked) return -1
    if (outcome === 'failure' || outcome === 'halt') return rulings.length + 1
    return opinion && outcomeOf(opinion) !== 'no-opinion' ? rulings.indexOf(opinion.decision?.ruling ?? 'allow') + 1 : 0
  }
  return reports.reduce((one, other) => (weight(other) > weight(one) ? other : one))
}
