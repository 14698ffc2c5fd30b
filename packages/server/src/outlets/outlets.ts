import { setTimeout as delay } from 'node:timers/promises'
import { createConnections, guardedFetch } from 'hookline/internal'
import type { Alert } from '../audit/alerts.ts'
import { type Decision, decisionsByIds } from '../decisions/index.ts'
import { lastNumber, leftBehind, one, type Sql } from '../store/index.ts'
import { withVariables } from '../variables.ts'
import type { OutletKind, OutletSettings, Post, Sent } from './kind.ts'
import { type OutletKindName, outletKinds } from './kinds.ts'

/** One place that alerts, and decisions where they are wanted, go to. */
export interface Outlet {
  name: string
  kind: OutletKindName
  alerts: boolean
  /** Which decisions: those that blocked, asked or failed, or all. */
  decisions: 'none' | 'notable' | 'all'
  /** It may send to this machine and private networks. */
  allow_private_ips: boolean
  settings: OutletSettings
}

export interface OutletState extends Outlet {
  /** Events that it has not got yet. */
  behind: number
  /** Why the last attempt failed. */
  error: string | null
}

export interface Outlets {
  list(): Promise<OutletState[]>
  define(outlet: Outlet): Promise<void>
  remove(name: string): Promise<boolean>
  /** Sends an alert that says that it is a trial. */
  try(name: string): Promise<string | undefined>
  /** Sends what there is now to each; by itself it does so all the time. */
  sendNew(): Promise<void>
  close(): Promise<void>
}

export interface OutletsOptions {
  sql: Sql
  /** Which of the servers this is: of several, one sends to an outlet. */
  server: string
  log(line: string): void
  everyMs?: number
}

/** So many events at once. */
const mostEvents = 500

/**
 * What each outlet has got is a number in the store, which moves when the outlet has taken what lies before it: what happens while it is away, or while no
 * server runs, reaches it later, and what it was sent when a server was killed may reach it twice.
 */
export function openOutlets({ sql, server, log, everyMs = 1_000 }: OutletsOptions): Outlets {
  const connections = createConnections()
  const closing = new AbortController()
  const pauses = new Map<string, { until: number; ms: number }>()
  let step: Promise<void> = Promise.resolve()
  const sendNew = () => {
    step = step.then(sendAll).catch((error: unknown) => log(`Outlets cannot be looked at: ${String(error)}`))
    return step
  }
  const following = follow()

  async function follow(): Promise<void> {
    while (!closing.signal.aborted) {
      await sendNew()
      await delay(everyMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  async function sendAll(): Promise<void> {
    const rows = await sql.all<Row>('select * from outlets order by name')
    for (const row of rows) {
      if (closing.signal.aborted || (pauses.get(row.name)?.until ?? 0) > Date.now()) continue
      // Whose server is gone is anybody's.
      const ours = await sql.run(`update outlets set server = $1 where name = $2 and (server = $1 or ${leftBehind})`, [
        server,
        row.name,
      ])
      if (ours > 0) await sendTo(row)
    }
  }

  async function sendTo(row: Row): Promise<void> {
    const outlet = asOutlet(row)
    let { position } = row
    try {
      for (const last = await lastNumber(sql); position < last && !closing.signal.aborted; ) {
        const to = Math.min(last, position + mostEvents)
        const what = await between(sql, outlet, position, to)
        if (what.alerts.length + what.decisions.length > 0) await deliver(outlet, what)
        position = to
        await sql.run('update outlets set position = $1, error = null where name = $2', [position, row.name])
      }
      pauses.delete(row.name)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (row.error !== why) log(`Nothing goes to the outlet ${row.name}: ${why}`)
      await sql.run('update outlets set error = $1 where name = $2', [why.slice(0, 300), row.name])
      const ms = Math.min(60_000, (pauses.get(row.name)?.ms ?? 500) * 2)
      pauses.set(row.name, { until: Date.now() + ms, ms })
    }
  }

  async function deliver(outlet: Outlet, what: Sent): Promise<void> {
    const post: Post = guardedFetch({ connections, allowLocal: outlet.allow_private_ips, limit: 64 * 1024 })
    await kindOf(outlet).send(what, withVariables(outlet.settings), post)
  }

  return {
    async list() {
      const last = await lastNumber(sql)
      const rows = await sql.all<Row>('select * from outlets order by name')
      return rows.map((row) => ({ ...asOutlet(row), behind: Math.max(0, last - row.position), error: row.error }))
    },
    async define({ name, ...definition }) {
      pauses.delete(name)
      // Whoever sets one up does not want the past; one that is changed goes on where it was.
      await sql.run(
        `insert into outlets (name, definition, position) values ($1, $2, $3)
          on conflict (name) do update set definition = excluded.definition, error = null`,
        [name, JSON.stringify(definition), await lastNumber(sql)],
      )
    },
    remove: async (name) => (await sql.run('delete from outlets where name = $1', [name])) > 0,
    async try(name) {
      const row = await one<Row>(sql, 'select * from outlets where name = $1', [name])
      if (!row) return undefined
      await deliver(asOutlet(row), { alerts: [trial()], decisions: [] })
      return row.name
    },
    sendNew,
    async close() {
      closing.abort()
      await following
      await step
      connections.close()
    },
  }
}

const kindOf = ({ kind }: Outlet): OutletKind => outletKinds[kind]

async function between(sql: Sql, { kind, alerts, decisions }: Outlet, after: number, last: number): Promise<Sent> {
  const raised = alerts
    ? await sql.all<{ data: string }>(
        "select data from events where id > $1 and id <= $2 and type in ('alert.raised', 'alert.ended') order by id",
        [after, last],
      )
    : []
  const isWanted = (decision: Decision) => decisions === 'all' || (!decision.synthetic && notable.has(decision.mark))
  const takes = decisions !== 'none' && outletKinds[kind].takesDecisions
  return {
    alerts: raised.map(({ data }) => JSON.parse(data) as Alert),
    decisions: takes ? (await decisionsByIds(sql, after, last)).filter(isWanted) : [],
  }
}

const notable = new Set(['blocked', 'asked', 'failed', 'rewritten'])

function trial(): Alert {
  const time = new Date().toISOString()
  return {
    ...{ id: 'trial', kind: 'drift', title: 'A trial', severity: 1, about: 'this server', raised: time, last: time },
    ...{ detail: 'somebody wanted to see whether alerts arrive', count: 1, ended: null },
  }
}

interface Row {
  name: string
  definition: string
  position: number
  error: string | null
  server: string | null
}

const asOutlet = ({ name, definition }: Row): Outlet => ({ name, ...(JSON.parse(definition) as Omit<Outlet, 'name'>) })
