import type { Attributes, Span, Tracer } from '@opentelemetry/api'
import { type Event, type Eventually, type Opinion, outcomeOf, type Report, type Verdict } from '../core/index.ts'

type Api = typeof import('@opentelemetry/api')

/** Where every 1.x version of @opentelemetry/api registers its providers; `trace` is there once somebody set one. */
const registry = Symbol.for('opentelemetry.js.api.1')

export interface TraceOptions {
  /** Removes secrets from reasons and messages before they leave. Absent: the secrets guard. */
  redact?: (text: string) => string
}

/**
 * Runs a dispatch inside a span `hookline.dispatch`, with one child span per hook that ran, which carries the events
 * hook.invoked, hook.completed, hook.blocked and hook.warning. Without a registered provider it just runs it: the API
 * is not even loaded.
 */
export function traceDispatch(
  event: Event,
  run: () => Eventually<Verdict>,
  options: TraceOptions = {},
): Eventually<Verdict> {
  return hasProvider() ? traced(event, run, options) : run()
}

function hasProvider(): boolean {
  return (globalThis as { [registry]?: { trace?: unknown } })[registry]?.trace !== undefined
}

async function traced(event: Event, run: () => Eventually<Verdict>, options: TraceOptions) {
  const api = await import('@opentelemetry/api')
  const redact = options.redact ?? (await secretsGuard())
  const tracer = api.trace.getTracer('hookline')
  const about = attributesOf(event)
  const startedAt = Date.now()
  return tracer.startActiveSpan('hookline.dispatch', { attributes: about }, async (span) => {
    try {
      const verdict = await run()
      span.setAttributes({ decision: outcomeOf(verdict), hooks_asked: verdict.reports.filter((r) => r.asked).length })
      for (const { report, start } of timed(verdict.reports, startedAt)) {
        traceHook({ api, tracer, about, redact }, report, start)
      }
      return verdict
    } catch (error) {
      fail(api, span, error instanceof Error ? redact(error.message) : 'the dispatch failed')
      throw error
    } finally {
      span.end()
    }
  })
}

async function secretsGuard(): Promise<(text: string) => string> {
  const { redactText } = await import('../guards/secrets/index.ts')
  return (text) => redactText(text).redacted
}

interface Kit {
  api: Api
  tracer: Tracer
  about: Attributes
  redact(text: string): string
}

function traceHook({ api, tracer, about, redact }: Kit, report: Report, start: number): void {
  const { hook, durationMs = 0, exit, bytes, failure, opinion, shadow } = report
  const end = start + durationMs
  const span = tracer.startSpan('hookline.hook', { startTime: start, attributes: { ...about, hook_id: hook } })
  span.addEvent('hook.invoked', { ...about, hook_id: hook, matched: true }, start)
  const completed: Attributes = { hook_id: hook, decision: report.outcome ?? 'no-opinion', duration_ms: durationMs }
  if (bytes) completed['stdout_bytes'] = bytes.stdout
  if (exit !== undefined) completed['exit_code'] = exit
  if (shadow) completed['shadow'] = true
  span.setAttributes(completed)
  span.addEvent('hook.completed', completed, end)
  const reason = blockReason(opinion)
  if (reason !== undefined && !shadow) {
    const message = opinion?.message?.map(redact).join('\n')
    span.addEvent(
      'hook.blocked',
      { hook_id: hook, reason: redact(reason), ...(message && { user_message: message }) },
      end,
    )
  }
  if (failure) {
    const message = redact(`${failure.kind}: ${failure.detail}`)
    span.addEvent('hook.warning', { hook_id: hook, message }, end)
    fail(api, span, message)
  }
  span.end(end)
}

function blockReason(opinion: Opinion | undefined): string | undefined {
  if (opinion?.halt) return opinion.halt.reason
  return opinion?.decision?.ruling === 'deny' ? opinion.decision.reason : undefined
}

/** Hooks of one stage begin together, when the slowest of the stage before is done. Those in the background end later. */
function timed(reports: readonly Report[], startedAt: number): { report: Report; start: number }[] {
  const ran = reports.filter((report) => report.asked && !report.background)
  const stages = [...new Set(ran.map(({ stage }) => stage))].sort((a, b) => a - b)
  let start = startedAt
  return stages.flatMap((stage) => {
    const together = ran.filter((report) => report.stage === stage).map((report) => ({ report, start }))
    start += Math.max(...together.map(({ report }) => report.durationMs ?? 0))
    return together
  })
}

function attributesOf({ name, payload, synthetic }: Event): Attributes {
  const attributes: Attributes = { event: name, synthetic }
  for (const [attribute, field] of Object.entries(attributeFields)) {
    const value = payload[field]
    if (typeof value === 'string') attributes[attribute] = value
  }
  return attributes
}

/** Names as Everruns gives them in its structured events. */
const attributeFields = {
  session_id: 'session_id',
  tool_call_id: 'tool_use_id',
  tool_name: 'tool_name',
  agent_name: 'agent_name',
}

function fail({ SpanStatusCode }: Api, span: Span, message: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message })
}
