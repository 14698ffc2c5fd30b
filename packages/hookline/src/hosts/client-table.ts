import { type EventName, isRecord, type Verdict } from '../core/index.ts'
import type { Dialects } from '../dialects/index.ts'
import { isClosed } from './entry.ts'
import type { Host } from './host.ts'
import { dialectOfHost, installable, loadHost, raisedAs } from './index.ts'

/** The thin client gives up after so many milliseconds: below what hosts wait. */
const usualWait = 50_000
/** Of a shorter time that a host gives an event, the client uses this much. */
const share = 0.8

/**
 * What the thin client must know of hosts, which knows none: how each is told that nothing could be judged, and how long
 * it waits where that is less than usual. `packages/client/src/table.c` reads it; `@reason@` stands for why.
 */
export async function renderClientTable(dialects: Dialects): Promise<string> {
  const lines = [`wait ${usualWait}`]
  for (const name of installable) {
    const host = (await loadHost(name))!
    const { reply } = await dialectOfHost(raisedAs(name), dialects)
    for (const event of Object.keys(host.events) as EventName[]) {
      const wait = waitOf(host, event)
      if (wait !== undefined) lines.push(`wait ${name} ${event} ${wait}`)
      const { exit, stdout } = reply.encode(unjudged(event)).value
      if (exit === 0 && stdout.includes('@reason@')) lines.push(`words ${name} ${event} 0 ${stdout.trim()}`)
    }
  }
  return `${lines.join('\n')}\n`
}

/** A refusal where something waits to be refused; elsewhere a warning, and the host goes on. */
function unjudged(event: EventName): Verdict {
  const said = isClosed(event)
    ? { decision: { ruling: 'deny' as const, reason: '@reason@' } }
    : { message: ['@reason@'] }
  return { event, payload: {}, ...said, reports: [], notes: [] } as unknown as Verdict
}

function waitOf({ setup, events, can }: Host, event: EventName): number | undefined {
  const nowhere = { home: '/', project: '/', env: {} }
  const files = setup.files('user', nowhere, { entry: '/hookline-hook', mark: '/mark' }) ?? []
  const entry = files
    .flatMap((file) => (file.kind === 'shared' ? file.entries : []))
    .find(({ path }) => path.at(-1) === events[event])
  const [handler] = Array.isArray(entry?.value['hooks']) ? (entry.value['hooks'] as unknown[]) : []
  const own = isRecord(handler) ? Number(handler['timeout']) : Number.NaN
  const timeout = can.timeout?.fixed ? can.timeout.default : own
  const wait = timeout * (can.timeout?.unit === 'ms' ? 1 : 1000) * share
  return wait < usualWait - 5_000 ? Math.round(wait) : undefined
}
