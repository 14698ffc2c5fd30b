import { setTimeout as delay } from 'node:timers/promises'
import type { Measure } from '../metrics.ts'
import { one, type Sql } from '../store/index.ts'
import { type Happening, type Hub, happeningsBetween } from '../stream/index.ts'
import type { OtlpSettings } from './settings.ts'
import { asLogs, asMetrics } from './wire.ts'

/** Sends what hooks did, and what the server counts, to a collector of OpenTelemetry. */
export interface Telemetry {
  /** So many events have not been sent yet. */
  readonly unsent: number
  close(): Promise<void>
}

export interface TelemetryOptions {
  sql: Sql
  hub: Hub
  settings: OtlpSettings
  version: string
  since: Date
  measures(): Promise<readonly Measure[]>
  log(line: string): void
}

const pageSize = 500
const everyMs = 1_000
const mostWaitMs = 30_000
/** The last try when the server stops. */
const lastMs = 2_000

/**
 * Events are sent from where the last ones ended, which the store knows: a collector that is away misses nothing, nor does one
 * that was killed with the server. What is sent may be sent twice, after a crash; never not at all.
 */
export async function openTelemetry({
  sql,
  hub,
  settings,
  version,
  since,
  measures,
  log,
}: TelemetryOptions): Promise<Telemetry> {
  const { resource } = settings
  const known = await one<{ event: number }>(sql, "select event from exports where name = 'otlp'")
  // Whoever begins to export does not want the past.
  let sent = known?.event ?? hub.last
  if (!known) await keep(sent)
  const closing = new AbortController()
  let isDown = false
  const loops = [settings.logs !== undefined && sendLogs(), settings.metrics !== undefined && sendMetrics()]

  async function sendLogs(): Promise<void> {
    let pause = everyMs
    while (!closing.signal.aborted) {
      pause = (await sendPages()) ? everyMs : Math.min(pause * 2, mostWaitMs)
      await delay(pause, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  /** False: it is tried again, from the same place. */
  async function sendPages(limitMs = settings.timeoutMs): Promise<boolean> {
    while (sent < hub.last) {
      const to = Math.min(sent + pageSize, hub.last)
      const happenings = (await happeningsBetween(sql, sent, to)).filter(isOfHook)
      if (happenings.length > 0 && !(await post(settings.logs!, asLogs(happenings, { resource, version }), limitMs)))
        return false
      await keep(to)
      sent = to
    }
    return true
  }

  async function sendMetrics(): Promise<void> {
    while (!closing.signal.aborted) {
      await delay(settings.metricsMs, undefined, { signal: closing.signal }).catch(() => {})
      await post(
        settings.metrics!,
        asMetrics(await measures(), { resource, version }, since.getTime()),
        closing.signal.aborted ? lastMs : settings.timeoutMs,
      )
    }
  }

  /** What the collector does not understand, it will not understand later either: that is told, and left out. */
  async function post(address: string, body: object, limitMs: number): Promise<boolean> {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...settings.headers },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(limitMs),
    }).catch((error: Error) => error)
    const isThere = !(response instanceof Error)
    await (isThere ? response.body?.cancel() : undefined)
    const isLater = !isThere || response.status === 429 || response.status >= 500
    const detail = isThere ? `it answered with ${response.status}` : 'it cannot be reached'
    if (isLater && !isDown) log(`Telemetry was not sent to ${hostOf(address)}: ${detail}. It is kept, and sent later.`)
    if (isThere && !isLater && !response.ok)
      log(`Telemetry was refused by ${hostOf(address)}: ${detail}. It is left out.`)
    if (!isLater && isDown) log(`Telemetry is sent to ${hostOf(address)} again.`)
    isDown = isLater
    return !isLater
  }

  async function keep(event: number): Promise<void> {
    await sql.run(
      "insert into exports (name, event) values ('otlp', $1) on conflict (name) do update set event = excluded.event",
      [event],
    )
  }

  return {
    get unsent() {
      return Math.max(0, hub.last - sent)
    },
    async close() {
      closing.abort()
      await Promise.all(loops)
      if (settings.logs !== undefined) await sendPages(lastMs)
    },
  }
}

const isOfHook = ({ type }: Happening): boolean => type.startsWith('hook.')
/** Addresses may hold secrets. */
const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : 'the collector')
