import type { Measure } from '../metrics.ts'
import type { Happening } from '../stream/index.ts'

/** OTLP as JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding. Numbers of 64 bits are texts there. */
type Value = { stringValue: string } | { intValue: string } | { doubleValue: number } | { boolValue: boolean }

interface Source {
  resource: Readonly<Record<string, string>>
  version: string
}

const severities: Readonly<Record<string, { severityNumber: number; severityText: string }>> = {
  'hook.blocked': { severityNumber: 13, severityText: 'WARN' },
  'hook.warning': { severityNumber: 13, severityText: 'WARN' },
}
const info = { severityNumber: 9, severityText: 'INFO' }

/** What hooks did, as events of OpenTelemetry: hook.invoked, hook.completed, hook.blocked, hook.warning. */
export function asLogs(happenings: readonly Happening[], { resource, version }: Source, now = Date.now()): object {
  const logRecords = happenings.map(({ type, data }) => {
    const { time, message, reason, ...about } = data as Record<string, unknown>
    return {
      timeUnixNano: nanos(typeof time === 'string' ? Date.parse(time) : now),
      observedTimeUnixNano: nanos(now),
      ...(severities[type] ?? info),
      eventName: type,
      body: { stringValue: String(message ?? reason ?? `${type} ${String(about['hook_id'] ?? '')}`) },
      // Collectors from before `eventName` look for it here.
      attributes: attributesOf({ 'event.name': type, ...about, ...(reason != null && { reason }) }),
    }
  })
  return {
    resourceLogs: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeLogs: [{ scope: { name: 'hookline', version }, logRecords }],
      },
    ],
  }
}

export function asMetrics(
  measures: readonly Measure[],
  { resource, version }: Source,
  since: number,
  now = Date.now(),
) {
  const names = [...new Set(measures.map(({ name }) => name))]
  const metrics = names.map((name) => {
    const own = measures.filter((each) => each.name === name)
    const dataPoints = own.map(({ value, labels = {} }) => ({
      ...{ startTimeUnixNano: nanos(since), timeUnixNano: nanos(now), attributes: attributesOf(labels) },
      ...(Number.isInteger(value) ? { asInt: String(value) } : { asDouble: value }),
    }))
    const { doc, counter } = own[0]!
    const about = { name: `hookline.${name}`, description: doc }
    return counter
      ? { ...about, sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints } }
      : { ...about, gauge: { dataPoints } }
  })
  const scopeMetrics = [{ scope: { name: 'hookline', version }, metrics }]
  return { resourceMetrics: [{ resource: { attributes: attributesOf(resource) }, scopeMetrics }] }
}

const nanos = (ms: number): string => `${Math.round(ms)}000000`

const attributesOf = (values: Readonly<Record<string, unknown>>): { key: string; value: Value }[] =>
  Object.entries(values).flatMap(([key, value]) => (value == null ? [] : [{ key, value: asValue(value) }]))

function asValue(value: unknown): Value {
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  return { stringValue: typeof value === 'string' ? value : JSON.stringify(value) }
}
