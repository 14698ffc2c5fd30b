import { randomBytes } from 'node:crypto'
import { dataDirectory, type PagePerson, stateDirectory, version } from 'hookline/internal'
import { hasPassphrase } from 'hookline/internal/server'
import { type OidcSettings, openAccess, openOidc, openProofs } from './access/index.ts'
import { openAlerts, openIngest, openWatch, rulesIn } from './audit/index.ts'
import { openBundles } from './bundles/index.ts'
import { channelOf, followForChats, openChannels } from './channels/index.ts'
import { makeApp } from './http/app.ts'
import { type Address, listen, mustBeSafe, surfaceOf, type Tls } from './http/listen.ts'
import { openIndex } from './index/index.ts'
import { openMachines } from './machines/index.ts'
import { measuresOf } from './measures.ts'
import { makeMetrics } from './metrics.ts'
import { openOutlets } from './outlets/index.ts'
import { openPages } from './pages.ts'
import { openPolicies, repositoryAt } from './policy/index.ts'
import { openProving } from './proved/index.ts'
import { openQuestions } from './questions/index.ts'
import { openReplays } from './replay/index.ts'
import { routes } from './routes/index.ts'
import { openAgents, openSessions } from './sessions/index.ts'
import { filesFor, isPostgres, openPresence, openStore } from './store/index.ts'
import { openHub } from './stream/index.ts'
import { type OtlpSettings, openTelemetry, type Telemetry } from './telemetry/index.ts'
import type { World } from './world.ts'

export interface ServerOptions {
  /** A file of SQLite, or the address of a PostgreSQL (`postgres://…`), which several servers may use. */
  database: string
  /** What arrived longer ago than so many days is forgotten; absent: nothing is. */
  keepDays?: number
  /** The journal that it follows. */
  journal: string
  listen?: Address
  tls?: Tls
  /** Under which address browsers reach it, where that is another. */
  publicUrl?: URL
  /** Who can show to be a person at this server, and how; throws where nobody can. Absent: nobody, and what loosens anything is refused. */
  person?: () => PagePerson
  /** An identity provider that people sign in with, beside the link. */
  oidc?: OidcSettings
  /** A collector of OpenTelemetry that gets what hooks do, and figures. */
  otlp?: OtlpSettings
  /** The directory of a policy for machines; with the online key, the server keeps it fresh. */
  policy?: { directory: string; key?: string; days?: number }
  /**
   * How turns of agents are run, on a PostgreSQL: by workers alone, so many at once, how long questions wait. `false`: they do not outlive
   * this process. Only one server of a process can keep turns.
   */
  turns?: { runsTurns?: boolean; atOnce?: number; answerWithinMs?: number } | false
  cwd?: string
  log?(line: string): void
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

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { database, journal, listen: wanted = { host: '127.0.0.1', port: 0 }, tls, publicUrl } = options
  const { cwd = process.cwd(), log = () => {} } = options
  mustBeSafe(wanted, tls, publicUrl)
  const sql = await openStore(database)
  const presence = await openPresence(sql)
  const hub = await openHub(sql)
  const index = await openIndex({ sql, file: journal, onNew: hub.notify })
  const token = `hl_${randomBytes(32).toString('base64url')}`
  const access = openAccess(sql, token)
  const proofs = openProofs(options.person, () => hasPassphrase(stateDirectory()))
  const oidc = options.oidc && openOidc(options.oidc)
  const machines = await openMachines(sql)
  const { policy } = options
  const online = policy?.key === undefined ? undefined : { key: policy.key, days: policy.days ?? 7 }
  const policies = openPolicies(policy && repositoryAt(policy.directory), online, log)
  const questions = await openQuestions({ sql, hub, server: presence.id, log })
  const replays = openReplays()
  const proving = openProving(sql)
  const agents = openAgents(sql, cwd)
  const bundles = openBundles(filesFor(database, dataDirectory()))
  const channels = openChannels(sql)
  const ingest = openIngest(sql, hub.notify)
  const alerts = openAlerts(sql, hub)
  const watch = openWatch({ sql, alerts, rules: () => rulesIn(cwd), keepDays: options.keepDays, log })
  const outlets = openOutlets({ sql, server: presence.id, log })
  const { configsFor } = bundles
  const channelFor = channelOf(channels)
  const own = { sql, hub, server: presence.id, questions, journal, configsFor, channelFor, log }
  // Turns survive where others can go on with them.
  const sessions =
    isPostgres(database) && options.turns !== false
      ? await (await import('./durable/index.ts')).openDurableSessions({ ...own, database, ...options.turns })
      : await openSessions(own)
  const pages = openPages()
  const urlOf = ({ host, port }: Address) =>
    publicUrl?.origin ?? `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`
  let telemetry: Telemetry | undefined
  const since = new Date()
  let world!: World
  const { server, at } = await listen(wanted, tls, (address) => {
    const surface = surfaceOf(address, tls, publicUrl)
    const cookie = surface.encrypted
      ? { name: '__Host-hookline', secure: true }
      : { name: `hookline-${address.port}`, secure: false }
    const things = { questions, agents, bundles, channels, sessions, replays, proving }
    const fleet = { machines, policies, ingest, alerts, outlets }
    const rooms = { sql, access, oidc, proofs, index, hub, ...things, ...fleet }
    const more = { metrics: makeMetrics(), cwd, log, version: version(), since, telemetry: () => telemetry }
    world = { ...rooms, ...more, url: urlOf(address), surface, cookie }
    followForChats(world)
    return makeApp(world, routes, pages) as never
  }).catch(async (error) => {
    await sessions.close()
    policies.close()
    await questions.close()
    await watch.close()
    await outlets.close()
    await index.close()
    hub.close()
    await presence.close()
    await sql.close()
    throw error
  })
  const url = urlOf(at)
  const { otlp: settings } = options
  if (settings)
    telemetry = await openTelemetry({
      ...{ sql, hub, settings, version: version(), since, log },
      measures: () => measuresOf(world),
    })
  return {
    url,
    hasConsole: pages !== undefined,
    token,
    signInUrl: () => `${url}/#sign-in=${access.newCode()}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      hub.close()
      policies.close()
      server.closeIdleConnections()
      const hurry = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearTimeout(hurry)
      await replays.close()
      await sessions.close()
      channels.close()
      await questions.close()
      await watch.close()
      await outlets.close()
      await index.close()
      await telemetry?.close()
      await presence.close()
      await sql.close()
    },
  }
}
