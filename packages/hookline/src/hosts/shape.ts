import {
  applyRewrite,
  type Decoded,
  type DecodedEvent,
  type Dialect,
  didYouMean,
  type EventName,
  eventRow,
  findEvent,
  foldName,
  joinReasons,
  type Note,
  note,
  stringifyJson,
  type Verdict,
  type WireReply,
} from '../core/index.ts'
import { asksInMode, canAsk } from './asking.ts'
import type { Answer, Host } from './host.ts'

/** A host as a dialect: its payloads and replies, its tools and conditions. What it shares with Claude Code is as there. */
export function hostDialect(host: Host, base: Dialect): Dialect {
  const { name, about, tools, rewrites, version: hostVersion } = host
  // What Claude Code says of its version says nothing of theirs.
  const { hostVersion: _ofClaude, ...shared } = base
  // An answer to a request for permission of Claude Code's shape takes new input beside an `allow`.
  const inputOn = rewrites.input === 'dropped' || host.writes ? {} : { ...base.rewrites?.inputOn }
  return {
    ...{ ...shared, ...audienceOf(host, hostVersion), ...(hostVersion && { hostVersion }), name, about, tools },
    rewrites: { ...rewrites, inputOn },
    events: host.shape ? { ...base.events, ...host.events } : host.events,
    event: { ...base.event, decode: (payload, named) => decode(host, base, payload, named) },
    reply: { ...base.reply, encode: (verdict) => oneObject(encode(host, base, verdict)) },
  }
}

/** A system with a dialect, where our entry is installed: as its dialect, and careful about what it makes of a question. */
export function careful(host: Host, base: Dialect): Dialect {
  const encode = (verdict: Verdict) => oneObject(base.reply.encode(asTaken(verdict, host)))
  const decode = (payload: Record<string, unknown>, named?: EventName): DecodedEvent => {
    const decoded = base.event.decode(payload, named)
    const refusal = decoded.ok && host.refuses?.(decoded.event, decoded.payload)
    return refusal ? { ...decoded, refusal } : decoded
  }
  return {
    ...{ ...base, ...audienceOf(host, base.hostVersion), rewrites: { ...base.rewrites, ...host.rewrites } },
    event: { ...base.event, decode },
    reply: { ...base.reply, encode },
  }
}

/** Where a host does not ask, nobody answers. */
const audienceOf = ({ takes }: Host, hostVersion: Dialect['hostVersion']): Required<Pick<Dialect, 'audience'>> => ({
  audience: (payload, env) =>
    canAsk(takes.ask, { payload, env, version: hostVersion?.(env, payload) }) ? 'person' : 'nobody',
})

function decode(host: Host, base: Dialect, payload: Record<string, unknown>, named?: EventName): DecodedEvent {
  const raw = eventKeys.map((key) => payload[key]).find((value) => typeof value === 'string')
  if (typeof raw === 'string' && host.withoutCounterpart?.includes(raw))
    return { ok: false, problem: note('event-without-counterpart', { event: raw, dialect: host.name }) }
  const own = typeof raw === 'string' ? eventIn(host, base, raw) : undefined
  if (own && named && own !== named) {
    const detail = `is ${String(raw)}, but ${host.events[named] ?? named} was raised`
    return { ok: false, problem: note('payload-invalid', { event: host.name, path: 'event', detail }) }
  }
  if (typeof raw === 'string' && !own && !named)
    return host.shape ? base.event.decode(payload) : { ok: false, problem: unknown(raw, host) }
  const event = own ?? named
  const theirs = host.reads ? host.reads(payload) : payload
  const { hook_event_name: _own, ...rest } = theirs
  const inClaude = event && base.events[event]
  const fields = inClaude === undefined ? theirs : { ...rest, hook_event_name: inClaude }
  const refusal = event && host.refuses?.(event, fields)
  const decoded = base.event.decode(fields, event)
  if (!decoded.ok) return decoded
  const missed = event && host.misses?.(event, fields)
  return { ...decoded, ...(refusal && { refusal }), ...(missed && { missed }) }
}

/** Under which of these a payload names its event, whatever host wrote it. */
const eventKeys = ['hook_event_name', 'event', 'hookName', 'type', 'agent_action_name', 'hookEventName'] as const

/** The event that a name in a payload means: as the host calls it, elsewhere than in our entries too, or as we do. */
function eventIn({ events, also = {}, shape }: Host, base: Dialect, name: string): EventName | undefined {
  if (Object.hasOwn(also, name)) return also[name]
  const known = Object.entries({ ...(shape && base.events), ...events })
  const own = known.find(([, theirs]) => foldName(theirs) === foldName(name))?.[0]
  return (own as EventName | undefined) ?? findEvent(name)
}

function unknown(event: string, { events }: Host): Note {
  const known = Object.values(events)
  return note('unknown-event', { event, hint: didYouMean(event, known), known: known.join(', ') })
}

function encode(host: Host, base: Dialect, given: Verdict): Decoded<WireReply> {
  const verdict = asTaken(given, host)
  if (host.writes) {
    const notes: Note[] = []
    const answer = answerOf(host, verdict, notes)
    const refusal = answer.deny ?? answer.halt
    if (host.refusesBy && refusal !== undefined && isBefore(verdict))
      return { value: { kind: 'wire', exit: 2, stdout: '', stderr: `${refusal}\n` }, notes }
    const written = host.writes(answer)
    return { value: wire(Object.keys(written).length > 0 ? stringifyJson(written) : ''), notes }
  }
  if (host.rewrites.result !== 'as-reason' || !replacesResult(verdict)) return base.reply.encode(verdict)
  // Ending the run is no answer there: a refusal after the tool ran replaces its result by the reason.
  // What else hooks add stands there too, since whether the host reads it beside a refusal is not known.
  const reason = joinReasons(verdict.decision!.reason, ...(verdict.context ?? []))
  return { value: wire(stringifyJson({ decision: 'block', reason })), notes: [] }
}

const wire = (stdout: string): WireReply => ({ kind: 'wire', exit: 0, stdout, stderr: '' })

/** Hosts read one JSON object. Where there is nothing to say, it is empty; where exit codes speak, nothing is. */
function oneObject({ value, notes }: Decoded<WireReply>): Decoded<WireReply> {
  return { value: value.exit === 0 && value.stdout === '' ? { ...value, stdout: '{}' } : value, notes }
}

/** What a verdict says in the words that the host has; what it has no words for becomes a note. */
function answerOf(host: Host, verdict: Verdict, notes: Note[]): Answer {
  const { event, decision, halt, context = [], message = [], rewrite, payload } = verdict
  const lost = (what: string, fix: string) => notes.push(note('translation-lost', { what, dialect: host.name, fix }))
  const reason = decision?.reason ?? ''
  const added = joinReasons(...context)
  if (added && !host.can.context.includes(event))
    lost('Context', `Add it at ${host.can.context.join(', ') || 'no event'}.`)
  if (decision?.ruling === 'deny' && event === 'user_prompt_submit' && !host.can.refusesPrompt)
    lost('The decision `deny`', 'Refuse the tool calls that follow from the prompt.')
  const field = eventRow(event).rewrites
  const denied = decision?.ruling === 'deny'
  return {
    event,
    theirs: host.events[event] ?? event,
    ...(denied && { deny: reason || refusedByHook }),
    ...(decision?.ruling === 'ask' && { ask: reason || refusedByHook }),
    ...(decision?.ruling === 'allow' && { allow: reason }),
    ...(halt && { halt: halt.reason || 'A hook ends this run.' }),
    ...(added && host.can.context.includes(event) && { context: added }),
    ...(rewrite && field && !denied && { rewrite: { value: applyRewrite(payload[field as never], rewrite) } }),
    ...(message.length > 0 && { message: message.join('\n') }),
    payload,
  }
}

/** Some hosts run what is refused without a reason. */
const refusedByHook = 'A hook refuses this.'

/** Something waits for the answer: a call, or a prompt. A request for permission waits for its user in any case. */
const isBefore = ({ event }: Verdict): boolean => {
  const { deny, failure, result } = eventRow(event)
  return deny !== undefined && failure === 'closed' && result === undefined && event !== 'permission_request'
}

/** What a host ignores is a refusal there, or nothing where it would only have allowed: it must not count as a hook that failed. */
function asTaken(given: Verdict, { name, takes }: Host): Verdict {
  const { decision: said, halt, ...rest } = given
  // New input beside a refusal is nothing that any host documents.
  const { rewrite: _, ...unchanged } = rest
  const decision = said?.ruling === 'deny' && said.reason === '' ? { ...said, reason: refusedByHook } : said
  const verdict: Verdict = decision === said ? given : { ...given, decision: decision! }
  if (!isBefore(given)) return verdict
  const refused = (reason: string): Verdict => ({ ...unchanged, decision: { ruling: 'deny', reason } })
  // A host that ends the run may run the call before: claude did.
  if (halt) return { ...refused(halt.reason || 'A hook ends this run.'), ...(takes.halt && { halt }) }
  if (decision?.ruling === 'ask' && !asksInMode(takes.ask, given.payload))
    return refused(`${decision.reason} ${name} cannot ask its user about this, so it does not run.`.trim())
  if (takes.allow) return verdict
  // Without approvals, `allow` is no more than the word that new input needs beside it: codex runs the original without.
  return verdict.rewrite === undefined && decision?.ruling === 'allow' ? rest : withWord(verdict)
}

const withWord = (verdict: Verdict): Verdict =>
  verdict.rewrite && !verdict.decision ? { ...verdict, decision: { ruling: 'allow', reason: '' } } : verdict

const replacesResult = ({ event, decision }: Verdict): boolean =>
  decision?.ruling === 'deny' &&
  eventRow(event).result !== undefined &&
  eventRow(event).rewrites === eventRow(event).result
