import { dataDirectory } from 'hookline/internal'
import { openOidc } from './access/index.ts'
import { openAlerts, openIngest, openWatch, publishedRules, rulesIn } from './audit/index.ts'
import { openBundles } from './bundles/index.ts'
import { channelOf, followForChats, openChannels } from './channels/index.ts'
import { openTotals } from './decisions/index.ts'
import { openIndex } from './index/index.ts'
import { openMachines } from './machines/index.ts'
import { measuresOf } from './measures.ts'
import { openOutlets } from './outlets/index.ts'
import { openPolicies, repositoryAt } from './policy/index.ts'
import { openProving } from './proved/index.ts'
import { openQuestions } from './questions/index.ts'
import { openReplays } from './replay/index.ts'
import type { ServerOptions } from './server.ts'
import { openAgents, openSessions } from './sessions/index.ts'
import { filesFor, isPostgres } from './store/index.ts'
import { openTelemetry, type Telemetry } from './telemetry/index.ts'
import type { EarlyWorld, World } from './world.ts'

export { getRequestListener } from '@hono/node-server'
export { makeApp } from './http/app.ts'
export { recordChange } from './record-change.ts'
export { routes } from './routes/index.ts'

export interface Rooms {
  world: World
  close(): Promise<void>
}

/** Everything behind the routes that is not there at once. `server` names this one among those that use the store. */
export async function openRooms(early: EarlyWorld, server: string, options: ServerOptions): Promise<Rooms> {
  const { database, policy, otlp } = options
  const { sql, hub, cwd, version, since, log } = early
  const closing: (() => unknown)[] = []
  /** What was opened last is closed first. */
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each()
  }
  const kept = <T extends { close(): unknown }>(room: T): T => {
    closing.push(() => room.close())
    return room
  }
  try {
    const journal = typeof options.journal === 'string' ? options.journal : await options.journal()
    const index = kept(await openIndex({ sql, file: journal, onNew: hub.notify }))
    const totals = openTotals(sql)
    const machines = await openMachines(sql)
    const policies = kept(openPolicies(policy && repositoryAt(policy.directory), policy?.key, log))
    if (policy && policies.published() === undefined)
      log(
        `No policy is published in ${policy.directory} yet: \`hookline policy sign\`, then \`hookline policy publish\`.`,
      )
    const questions = kept(await openQuestions({ sql, hub, server, log }))
    const proving = openProving(sql)
    const agents = openAgents(sql, cwd)
    const bundles = openBundles(filesFor(database, dataDirectory()))
    const ingest = openIngest(sql, hub.notify)
    const alerts = openAlerts(sql, hub)
    const { published } = policies
    kept(
      openWatch({
        sql,
        alerts,
        rules: async () => [...(await rulesIn(cwd)), ...(await publishedRules(policies))],
        published,
        keepDays: options.keepDays,
        log,
      }),
    )
    const outlets = kept(openOutlets({ sql, server, log }))
    const channels = kept(openChannels(sql))
    const { configsFor } = bundles
    const own = { sql, hub, server, questions, journal, configsFor, channelFor: channelOf(channels), log }
    // Turns survive where others can go on with them.
    const sessions = kept(
      isPostgres(database) && options.turns !== false
        ? await (await import('./durable/index.ts')).openDurableSessions({ ...own, database, ...options.turns })
        : await openSessions(own),
    )
    const replays = kept(openReplays())
    let telemetry: Telemetry | undefined
    const things = { questions, agents, bundles, channels, sessions, replays, proving }
    const fleet = { machines, policies, ingest, alerts, outlets }
    const oidc = options.oidc && openOidc(options.oidc)
    const world: World = { ...early, oidc, index, totals, ...things, ...fleet, telemetry: () => telemetry }
    followForChats(world)
    if (otlp) {
      const measures = () => measuresOf(world)
      telemetry = await openTelemetry({ sql, hub, settings: otlp, version, since, log, measures })
      // Last of all: it sends what the others leave.
      closing.unshift(() => telemetry?.close())
    }
    return { world, close }
  } catch (error) {
    await close()
    throw error
  }
}
