import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Event, Report, Verdict } from '../../src/core/index.ts'
import { traceDispatch } from '../../src/journal/index.ts'
import { verdict } from './support.ts'

const event = { name: 'pre_tool_use', payload: verdict().payload, depth: 0, synthetic: false } as Event
const dispatch = (over: Partial<Verdict>) => traceDispatch(event, async () => verdict(over))

describe('without a provider', () => {
  it('a dispatch is just run', () => {
    const promise = Promise.resolve(verdict())
    expect(traceDispatch(event, () => promise)).toBe(promise)
  })
})

describe('with a provider', () => {
  const exporter = new InMemorySpanExporter()
  const contexts = new AsyncLocalStorageContextManager()
  beforeEach(() => {
    exporter.reset()
    context.setGlobalContextManager(contexts.enable())
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  })
  afterEach(() => {
    trace.disable()
    context.disable()
  })
  const spans = (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name)
  const eventsOf = (index: number) =>
    Object.fromEntries(spans('hookline.hook')[index]!.events.map(({ name, attributes }) => [name, attributes ?? {}]))

  it('it is a span of its own, with the outcome, under the span of the host', async () => {
    await trace.getTracer('host').startActiveSpan('host', async (host) => {
      await dispatch({ decision: { ruling: 'deny', reason: 'no' } })
      host.end()
    })
    const [span] = spans('hookline.dispatch')
    expect(span?.attributes).toMatchObject({
      event: 'pre_tool_use',
      session_id: 's1',
      tool_call_id: 'c1',
      tool_name: 'shell',
      decision: 'deny',
      hooks_asked: 1,
    })
    expect(span?.parentSpanContext?.spanId).toBe(spans('host')[0]?.spanContext().spanId)
  })

  it('each hook that ran is a child with hook.invoked and hook.completed', async () => {
    const report: Report = { hook: 'a', stage: 0, asked: true, outcome: 'allow', durationMs: 12, exit: 0 }
    const reports = [
      { ...report, bytes: { stdin: 1, stdout: 42, stderr: 0 } },
      { hook: 'b', stage: 0, asked: false },
    ]
    await dispatch({ reports })
    const [hook, ...others] = spans('hookline.hook')
    expect(others).toEqual([])
    expect(hook?.parentSpanContext?.spanId).toBe(spans('hookline.dispatch')[0]?.spanContext().spanId)
    const { 'hook.invoked': invoked, 'hook.completed': completed, ...rest } = eventsOf(0)
    expect(invoked).toMatchObject({
      hook_id: 'a',
      event: 'pre_tool_use',
      session_id: 's1',
      tool_call_id: 'c1',
      matched: true,
    })
    expect(completed).toEqual({ hook_id: 'a', decision: 'allow', duration_ms: 12, stdout_bytes: 42, exit_code: 0 })
    expect(rest).toEqual({})
    const [seconds, nanoseconds] = hook!.duration
    expect(seconds * 1000 + nanoseconds / 1e6).toBeCloseTo(12, 1)
  })

  it('a denial is hook.blocked, a failure is hook.warning, and a shadow hook blocks nothing', async () => {
    const denied: Report = {
      ...{ hook: 'a', stage: 0, asked: true, outcome: 'deny' },
      opinion: { decision: { ruling: 'deny', reason: 'not here' }, message: ['blocked'] },
    }
    const failed: Report = {
      ...{ hook: 'b', stage: 1, asked: true, outcome: 'failure' },
      failure: { kind: 'time-out', detail: 'after 30 s' },
    }
    await dispatch({ reports: [denied, failed, { ...denied, hook: 'c', stage: 2, shadow: true }] })
    expect(eventsOf(0)['hook.blocked']).toEqual({ hook_id: 'a', reason: 'not here', user_message: 'blocked' })
    expect(eventsOf(1)['hook.warning']).toEqual({ hook_id: 'b', message: 'time-out: after 30 s' })
    expect(eventsOf(2)).not.toHaveProperty('hook.blocked')
    expect(eventsOf(2)['hook.completed']).toMatchObject({ decision: 'deny', shadow: true })
  })

  it('reasons pass the redactor before they leave', async () => {
    const halted: Report = {
      hook: 'a',
      stage: 0,
      asked: true,
      outcome: 'halt',
      opinion: { halt: { reason: 'hunter2' } },
    }
    const redact = (text: string) => text.replaceAll('hunter2', '[REDACTED]')
    await traceDispatch(event, async () => verdict({ reports: [halted] }), { redact })
    expect(eventsOf(0)['hook.blocked']).toEqual({ hook_id: 'a', reason: '[REDACTED]' })
  })

  it('a dispatch that throws still ends its span, and throws', async () => {
    const thrown = traceDispatch(event, () => Promise.reject(new Error('broken')))
    await expect(thrown).rejects.toThrow('broken')
    expect(spans('hookline.dispatch')[0]?.status).toMatchObject({ message: 'broken' })
  })
})
