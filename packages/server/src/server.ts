import { randomBytes } from 'node:crypto'
import { stateDirectory, version } from 'hookline/internal/start'
import { type FindPerson, type OidcSettings, openAccess, openProofs } from './access/index.ts'
import { makeEarly } from './http/early.ts'
import { makeLimits } from './http/limits.ts'
import { type Address, listen, mustBeSafe, surfaceOf, type Tls } from './http/listen.ts'
import { makeMetrics } from './metrics.ts'
import { openPages } from './pages.ts'
import { earlyRoutes } from './routes/early.ts'
import { openPresence, openStore } from './store/index.ts'
import { openHub } from './stream/index.ts'
import type { OtlpSettings } from './telemetry/index.ts'
import type { EarlyWorld } from './world.ts'

export interface ServerOptions {
  /** A file of SQLite, or the address of a PostgreSQL (`postgres://…`), which several servers may use. */
  database: string
  /** What arrived longer ago than so many days is forgotten; absent: nothing is. */
  keepDays?: number
  /** The journal that it follows, or what finds it. */
  journal: string | (() => Promise<string>)
  listen?: Address
  tls?: Tls
  /** Under which address browsers reach it, where that is another. */
  publicUrl?: URL
  /** Who can show to be a person at this server, and how; throws where nobody can. Absent: nobody, and what loosens anything is refused. */
  person?: FindPerson
  /** An identity provider that people sign in with, beside the link. */
  oidc?: OidcSettings
  /** A collector of OpenTelemetry that gets what hooks do, and figures. */
  otlp?: OtlpSettings
  /** The directory of a policy for machines; with the online key, the server keeps it fresh. */
  policy?: { directory: string; key?: string }
  /**
   * How turns of agents are run, on a PostgreSQL: by workers alone, so many at once, how long questions wait. `false`: they do not outlive
   * this process. Only one server of a process can keep turns.
   */
  turns?: { runsTurns?: boolean; atOnce?: number; answerWithinMs?: number } | false
  cwd?: string
  log?(line: string): void
  /** Called as soon as it answers; what needs more than the store waits until everything is loaded. */
  onListening?(running: RunningServer): void
}

export interface RunningServer {
  readonly url: string
  /** Whether the console was built with it: there is something to sign in to. */
  readonly hasConsole: boolean
  /** For programs, as long as this server runs. */
  readonly token: string
  /** An address that signs a browser in: once, within ten minutes. What is secret in it, browsers send to nobody. */
  signInUrl(): string
  close(): Promise<void>
}

/** How long requests that have begun may still take when the server stops. */
const graceMs = 5_000
/** Loading takes all of the processor for a while: whoever is there at once is answered before it. */
const soonMs = 200

/** Listens first, and loads what most requests need after that: whoever is early waits for it. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { database, listen: wanted = { host: '127.0.0.1', port: 0 }, tls, publicUrl } = options
  const { cwd = process.cwd(), log = () => {} } = options
  mustBeSafe(wanted, tls, publicUrl)
  const sql = await openStore(database)
  const presence = await openPresence(sql)
  const hub = await openHub(sql)
  const token = `hl_${randomBytes(32).toString('base64url')}`
  const access = openAccess(sql, token)
  const proofs = openProofs(options.person, async () =>
    (await import('hookline/internal/server')).hasPassphrase(stateDirectory()),
  )
  const pages = openPages()
  const limits = makeLimits()
  const urlOf = ({ host, port }: Address) =>
    publicUrl?.origin ?? `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`
  const leave = async () => {
    hub.close()
    await presence.close()
    await sql.close()
  }

  let early!: EarlyWorld
  let load = () => {}
  const isTime = new Promise<void>((resolve) => {
    load = resolve
  })
  /** Whoever needs what is not loaded yet does not wait any longer than that takes. */
  const now = <T>(what: Promise<T>): Promise<T> => {
    load()
    return what
  }
  const { server, at, replace } = await listen(wanted, tls, (address) => {
    const surface = surfaceOf(address, tls, publicUrl)
    const cookie = surface.encrypted
      ? { name: '__Host-hookline', secure: true }
      : { name: `hookline-${address.port}`, secure: false }
    const own = { metrics: makeMetrics(), cwd, log, version: version(), since: new Date() }
    early = { sql, access, proofs, hub, ...own, url: urlOf(address), surface, cookie }
    return makeEarly({
      ...{ world: early, routes: earlyRoutes, limits },
      byPass: async (...given) => (await now(rooms)).world.machines.byPass(...given),
      whole: () => now(whole),
    })
  }).catch(async (error) => {
    await leave()
    throw error
  })
  const url = urlOf(at)
  const loading = isTime.then(() => import('./rooms.ts'))
  const rooms = loading.then(({ openRooms }) => openRooms(early, presence.id, options))
  const whole = Promise.all([loading, rooms]).then(
    ([{ recordChange, getRequestListener, makeApp, routes }, { world }]) => {
      const app = makeApp({
        ...{ world, routes, limits, byPass: world.machines.byPass },
        recordChange: (...said) => recordChange(world, ...said),
        otherwise: (request) => pages?.(request),
      })
      const listener = getRequestListener(app.fetch as never)
      replace(listener)
      return listener
    },
  )
  const running: RunningServer = {
    url,
    hasConsole: pages !== undefined,
    token,
    signInUrl: () => `${url}/#sign-in=${access.newCode()}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      hub.close()
      server.closeIdleConnections()
      const hurry = setTimeout(() => server.closeAllConnections(), graceMs)
      const opened = await now(rooms).catch(() => undefined)
      // Machines that wait for a new policy do not keep it.
      opened?.world.policies.close()
      await closed
      clearTimeout(hurry)
      await opened?.close()
      await presence.close()
      await sql.close()
    },
  }
  const soon = setTimeout(load, options.onListening ? soonMs : 0)
  options.onListening?.(running)
  try {
    await whole
    clearTimeout(soon)
    return running
  } catch (error) {
    server.closeAllConnections()
    await running.close()
    throw error
  }
}
