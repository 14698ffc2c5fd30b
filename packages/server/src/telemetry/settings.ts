/** Where telemetry goes, by the variables of OpenTelemetry (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). */
export interface OtlpSettings {
  /** Whole addresses; absent: this signal is not sent. */
  logs?: string | undefined
  metrics?: string | undefined
  headers: Readonly<Record<string, string>>
  timeoutMs: number
  /** How often metrics are sent. */
  metricsMs: number
  /** What the server is called there. */
  resource: Readonly<Record<string, string>>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Undefined: nobody wants any. */
export function otlpFrom(env: Environment, version: string): OtlpSettings | undefined {
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT']
  const isOff = (signal: string) => env[`OTEL_${signal}_EXPORTER`] === 'none'
  const address = (signal: 'LOGS' | 'METRICS') => {
    if (isOff(signal) || env['OTEL_SDK_DISABLED'] === 'true') return undefined
    const own = env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]
    return own || (base ? `${base.replace(/\/$/, '')}/v1/${signal.toLowerCase()}` : undefined)
  }
  const [logs, metrics] = [address('LOGS'), address('METRICS')]
  if (logs === undefined && metrics === undefined) return undefined
  return {
    ...{ logs, metrics, headers: pairsIn(env['OTEL_EXPORTER_OTLP_HEADERS']) },
    timeoutMs: Number(env['OTEL_EXPORTER_OTLP_TIMEOUT']) || 10_000,
    metricsMs: Number(env['OTEL_METRIC_EXPORT_INTERVAL']) || 60_000,
    resource: {
      ...{ 'service.name': 'hookline', 'service.version': version },
      ...pairsIn(env['OTEL_RESOURCE_ATTRIBUTES']),
      ...(env['OTEL_SERVICE_NAME'] && { 'service.name': env['OTEL_SERVICE_NAME'] }),
    },
  }
}

/** `name=value,name=value`, with values as in addresses. */
function pairsIn(text = ''): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
    return name === undefined || value === undefined ? [] : [[name, decoded(value)]]
  })
  return Object.fromEntries(pairs)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
