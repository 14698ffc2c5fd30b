import { setTimeout as delay } from 'node:timers/promises'
import { DBOS } from '@dbos-inc/dbos-sdk'
import type { Sql } from '../store/index.ts'
import { queueName } from './turn.ts'

interface ReaperOptions {
  sql: Sql
  id: string
  version: string
  /** Looks for what a notice that got lost was about. */
  look(): Promise<void>
  /** Whether this process runs that turn. */
  runs(turn: string): boolean
  deadMs: number
  adoptMs: number
  log(line: string): void
}

/** How often a worker says that it lives, looks for those that do not, and for what it was not told. */
const beatMs = 500
/** A worker that died while it took over what another left. */
const againMs = 10_000
/** So long after connections broke, what they were about is known. */
const settleMs = 2_000
/** In one statement. */
const most = 500

/**
 * Every worker is one: it says that it lives, and gives turns of dead ones back to the queue. One that only seemed dead does no harm:
 * only the last run of a turn writes down what it does, and no tool begins before its claim is written down.
 */
export function openReaper({ sql, id, version, look, runs, deadMs, adoptMs, log }: ReaperOptions) {
  const closing = new AbortController()
  // A worker whose own clock is wrong would seem dead, or never be.
  const now = sql.dialect.clock
  /** When to look for turns that are here by mistake. */
  let straysAt = Number.POSITIVE_INFINITY
  let suspects: ReadonlySet<string> = new Set()
  let isLeaving = false
  const begun = beat()
  const working = begun.then(loop)

  async function loop(): Promise<void> {
    while (!closing.signal.aborted) {
      await delay(beatMs, undefined, { signal: closing.signal }).catch(() => {})
      if (closing.signal.aborted) return
      try {
        await beat()
        if (isLeaving) continue
        await takeOver()
        await adopt()
        await look()
        await takeStray()
      } catch (error) {
        if (isLeaving) continue
        log(
          `Workers cannot be looked after now, and will be: ${error instanceof Error ? error.message : String(error)}`,
        )
      }
    }
  }

  async function beat(): Promise<void> {
    await sql.run(
      `insert into durable_workers (id, version, since, seen) values ($1, $2, ${now}, ${now})
        on conflict (id) do update set seen = excluded.seen, reaped = null`,
      [id, version],
    )
  }

  /** One of the living does it. */
  async function takeOver(): Promise<void> {
    const dead = await sql.all<{ id: string; version: string }>(
      `update durable_workers set reaped = ${now} where id in (
        select id from durable_workers where version = $1 and seen < ${now} - $2 and (reaped is null or reaped < ${now} - $3)
          for update skip locked) returning id, version`,
      [version, deadMs, againMs],
    )
    for (const each of dead) {
      const left = await DBOS.listWorkflows({
        ...{ executorId: each.id, status: 'PENDING', loadInput: false, loadOutput: false },
      })
      for (let at = 0; at < left.length; at += most)
        await DBOS.resumeWorkflows(
          left.slice(at, at + most).map(({ workflowID }) => workflowID),
          { queueName },
        )
      await sql.run(`delete from durable_workers where id = $1 and seen < ${now} - $2`, [each.id, deadMs])
      if (left.length > 0) log(`The worker ${each.id} is gone: ${left.length} of its turns go on elsewhere.`)
    }
  }

  /**
   * Turns of a version that nobody runs any more would wait for ever. DBOS gives a workflow another version only when it is over: so
   * it is cancelled, and rewound to where it was. Which ones is written down first, since whoever does it may die in between.
   */
  async function adopt(): Promise<void> {
    const [gone] = await sql.all<{ version: string }>(
      `select version from durable_workers where version <> $1 group by version having max(seen) < ${now} - $2
        union all select '' as version from durable_adopted limit 1`,
      [version, adoptMs],
    )
    if (!gone) return
    await sql.transaction(async (within) => {
      const [lock] = await within.all<{ mine: boolean }>('select pg_try_advisory_xact_lock(4667) as mine')
      if (!lock?.mine) return
      if (gone.version !== '') await noteAll(gone.version)
      const noted = await sql.all<{ turn: string; session: string }>('select turn, session from durable_adopted')
      for (const { turn, session } of noted) await move(turn, session)
      await sql.run(`delete from durable_workers where version = $1 and seen < ${now} - $2`, [gone.version, adoptMs])
      if (noted.length > 0)
        log(`No worker of ${gone.version || 'another version'} is left: ${noted.length} of its turns go on here.`)
    })
  }

  async function noteAll(applicationVersion: string): Promise<void> {
    const left = await DBOS.listWorkflows({
      ...{ applicationVersion, status: ['PENDING', 'ENQUEUED'], queueName, loadInput: true, loadOutput: false },
    })
    await sql.batch(
      left.map(({ workflowID, input }) => ({
        sql: 'insert into durable_adopted (turn, session) values ($1, $2) on conflict do nothing',
        values: [workflowID, (input as { session: string }[] | undefined)?.[0]?.session ?? workflowID],
      })),
    )
  }

  async function move(turn: string, session: string): Promise<void> {
    const status = await DBOS.getWorkflowStatus(turn)
    if (status && status.applicationVersion !== version && status.status !== 'SUCCESS' && status.status !== 'ERROR') {
      await DBOS.cancelWorkflow(turn)
      await DBOS.rewindWorkflow(turn, {
        ...{ startStep: lastStep, applicationVersion: version, queueName, queuePartitionKey: session },
      })
    }
    await sql.run('delete from durable_adopted where turn = $1', [turn])
  }

  /**
   * A connection that breaks when DBOS has taken turns, before it hears so, leaves them with a process that does not know of them.
   * Whoever is about to begin one has begun when they are looked at again.
   */
  async function takeStray(): Promise<void> {
    if (straysAt > Date.now()) return
    const left = await DBOS.listWorkflows({ executorId: id, status: 'PENDING', loadInput: false, loadOutput: false })
    const unknown = left.map(({ workflowID }) => workflowID).filter((turn) => !runs(turn))
    const strays = unknown.filter((turn) => suspects.has(turn))
    suspects = new Set(unknown)
    straysAt = unknown.length > strays.length ? Date.now() + settleMs : Number.POSITIVE_INFINITY
    if (strays.length > 0) await DBOS.resumeWorkflows(strays, { queueName })
  }

  return {
    begun,
    /** From now on it only says that it lives. */
    leave() {
      isLeaving = true
    },
    /** Connections broke. */
    suspect() {
      straysAt = Date.now() + settleMs
    },
    async close() {
      closing.abort()
      await working.catch(() => {})
    },
  }
}

/** Nothing of what was recorded is dropped. */
const lastStep = 2 ** 31 - 1
