import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { DBOS, DBOSClient, Error as Errors } from '@dbos-inc/dbos-sdk'
import type { RunEnd } from '@hookline/agent'
import pg from 'pg'
import type { Sql } from '../store/index.ts'
import { openPostgres, surviving } from '../store/postgres.ts'
import { type Answer, openTurnQuestions, type TurnQuestions } from './questions.ts'
import { openReaper } from './reaper.ts'
import { allRecordsOf, recordedOf } from './steps.ts'
import { drop, idleMs, keep, prepare, type SessionRecord, sessionsWrittenFor, write } from './tables.ts'
import { type Opened, queueName, runTurn, type Surviving, setDesk, type Turn, type TurnDesk } from './turn.ts'

export interface WorkerOptions {
  /** The address of a PostgreSQL. */
  database: string
  /** The store there, where it is open already. */
  sql?: Sql
  /** Opens the agent of a session for one turn. */
  open(turn: Turn, surviving: Surviving): Promise<Opened>
  began?(turn: Turn): Promise<void>
  /** Called again when the process dies in it. */
  ended?(turn: Turn, end: RunEnd): Promise<void>
  /** False: it only begins turns and answers questions, and others run them. */
  runsTurns?: boolean
  /** Absent: that of this release. Turns of another are left to its own workers while there are any. */
  version?: string
  /** Agents that work at once; more turns wait. Those that wait for people do not count. */
  atOnce?: number
  answerWithinMs?: number
  lingerMs?: number
  /** A worker that has not been heard of for so long is dead. */
  deadMs?: number
  /** When no worker of a version is left for so long, others take its turns over. */
  adoptMs?: number
  log?(line: string): void
}

/** A process that runs turns, together with any number of others. */
export interface TurnWorker {
  readonly id: string
  readonly questions: TurnQuestions
  /** Turns of one session run one after the other, in this order. The same id again begins nothing. */
  begin(turn: Turn): Promise<void>
  steer(session: string, text: string): Promise<void>
  /** Stops a turn, also one that waits for a person; true when it is there. */
  cancel(turn: Pick<Turn, 'id' | 'session'>): Promise<void>
  /** False: it does not wait any more. */
  answer(question: string, answer: Answer): Promise<boolean>
  result(turn: string, withinMs: number): Promise<RunEnd | undefined>
  /** How a turn ended, in whatever way; undefined: it has not. */
  over(turn: string): Promise<RunEnd | undefined>
  /** What is kept of a session; `running` names the turn that runs. */
  records(session: string, running?: string): Promise<readonly SessionRecord[]>
  /** What is kept of a session besides its turns; under a name that no turn has. */
  keep(
    session: string,
    turn: string,
    records: readonly (readonly [key: string, record: SessionRecord])[],
  ): Promise<void>
  /** A turn that has not begun never does. */
  forget(turn: string): Promise<void>
  /** Nothing is kept of it any more. */
  drop(session: string): Promise<void>
  /** The keys of the steps that a turn has written down, each as often as it was. */
  journal(turn: string): Promise<string[]>
  /** The names of what a turn has written down: `model`, `verdict`, `tool`, `result`, `ask`, `end`. */
  steps(turn: string): Promise<string[]>
  /** Agents that work here now. */
  readonly working: number
  /** Takes no more turns, lets those end that work, and leaves the rest to others. */
  close(options?: { graceMs?: number }): Promise<void>
}

/**
 * How turns are written down. Raised when an older worker could not go on with what a newer one has begun, or the other way round;
 * it is not the version of the package, so that most upgrades leave turns where they are.
 */
export const turnFormat = 'turns-1'

/** How long a turn waits for a worker, at most, when one is free. */
const pollMs = 100
/** DBOS sends plain JSON. */
const serializer = {
  name: () => 'json',
  stringify: JSON.stringify,
  parse: (text: string | null) => JSON.parse(text ?? 'null'),
}

export async function startWorker(options: WorkerOptions): Promise<TurnWorker> {
  if (DBOS.isInitialized())
    throw new Error(
      'This process already runs turns for one server or worker, and cannot for a second. Start this one in a process of its own, or, if it is a server, with `turns: false`: its turns end with this process then.',
    )
  const { database, version = turnFormat, atOnce = 50, log = () => {} } = options
  const sql = options.sql ?? openPostgres(database)
  const id = `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`
  const questions = openTurnQuestions(sql)
  const seats = openSeats(atOnce)
  let isLeaving = false
  let reaper: ReturnType<typeof openReaper> | undefined
  const live: TurnDesk['live'] = new Map()
  const waiting: TurnDesk['waiting'] = new Map()
  const running: TurnDesk['running'] = new Set()
  const working: TurnDesk['working'] = new Set()
  setDesk({
    sql,
    questions,
    open: options.open,
    began: async (turn) => options.began?.(turn),
    ended: async (turn, end) => options.ended?.(turn, end),
    answerWithinMs: options.answerWithinMs ?? 24 * 3_600_000,
    lingerMs: options.lingerMs ?? 250,
    seat: seats.take,
    ...{ live, waiting, running, working },
    isLeaving: () => isLeaving,
  })
  /** One query for all that wait, however many: only what somebody did is found. */
  async function look(): Promise<void> {
    if (waiting.size > 0) for (const question of await questions.ready()) waiting.get(question)?.()
    if (live.size > 0) for (const session of await sessionsWrittenFor(sql, [...live.keys()])) live.get(session)?.()
  }
  sql.onAnnounced((what) => {
    const [, kind, about = ''] = /^(inbox|answered) (.+)$/.exec(what) ?? []
    if (kind === 'inbox') live.get(about)?.()
    else if (kind === 'answered') waiting.get(about)?.()
    else if (what === '') reaper?.suspect()
  })
  const pool = openPool(database)
  await launch({ database, pool, sql, id, version, log, runsTurns: options.runsTurns !== false })
  reaper = openReaper({
    ...{ sql, id, version, look, log, runs: (turn) => running.has(turn) },
    deadMs: options.deadMs ?? 3_000,
    adoptMs: options.adoptMs ?? 60_000,
  })
  await reaper.begun

  const worker: TurnWorker = {
    id,
    questions,
    async begin(turn) {
      await DBOS.startWorkflow(runTurn, {
        workflowID: turn.id,
        queueName,
        enqueueOptions: { queuePartitionKey: turn.session },
      })(turn)
    },
    steer: (session, text) => write(sql, session, { kind: 'steer', turn: null, text }),
    async cancel({ id: turn, session }) {
      await write(sql, session, { kind: 'cancel', turn, text: '' })
      // A turn that waits must be woken for it.
      await questions.cancel(turn)
    },
    answer: questions.answer,
    async result(turn, withinMs) {
      const until = Date.now() + withinMs
      for (;;) {
        const timeoutSeconds = Math.max(0, until - Date.now()) / 1_000
        try {
          return (await DBOS.getResult<RunEnd>(turn, { timeoutSeconds, pollingIntervalMs: 100 })) ?? undefined
        } catch (error) {
          if (!(error instanceof Errors.DBOSAwaitedWorkflowCancelledError)) throw error
          const end = await worker.over(turn)
          if (end) return end
          await delay(100)
        }
      }
    },
    async over(turn) {
      // One on its way from one version to another is cancelled for a moment.
      const moving = await sql.all('select turn from durable_adopted where turn = $1', [turn])
      const found = moving.length > 0 ? null : await DBOS.getWorkflowStatus(turn)
      const { status = 'PENDING', output, error } = found ?? {}
      if (status === 'PENDING' || status === 'ENQUEUED' || status === 'DELAYED') return undefined
      if (status === 'SUCCESS') return output as RunEnd
      if (status === 'CANCELLED') return { reason: 'canceled', response: '' }
      return { reason: 'error', response: '', detail: textOf(error ?? status) }
    },
    records: (session, running) => allRecordsOf(sql, session, running),
    keep: (session, turn, records) => keep(sql, session, turn, records),
    forget: (turn) => DBOS.cancelWorkflow(turn),
    drop: (session) => drop(sql, session),
    journal: async (turn) => (await recordedOf(sql, turn)).flatMap(({ batch }) => batch.steps.map(([key]) => key)),
    steps: async (turn) => (await recordedOf(sql, turn)).map(({ name }) => name),
    get working() {
      return seats.taken
    },
    async close({ graceMs = 30_000 } = {}) {
      isLeaving = true
      const until = Date.now() + graceMs
      reaper?.leave()
      // It takes no more turns from the queue. What agents do here is written down without it.
      await DBOS.shutdown()
      while (seats.taken > 0 && Date.now() < until) {
        // Those that wait need not wait for those that work.
        await handOver({ database, pool }, id, (turn) => !working.has(turn), log)
        for (let looks = 0; looks < 25 && seats.taken > 0; looks += 1) await delay(20)
      }
      await reaper?.close()
      setDesk(undefined)
      await handOver({ database, pool }, id, () => true, log)
      await pool.end()
      if (!options.sql) await sql.close()
    },
  }
  return worker
}

/**
 * The connections of DBOS. Its own pool would set the time after which a transaction that stands still ends by a query that the next one
 * does not wait for, of which pg warns whoever runs the server.
 */
function openPool(connectionString: string): pg.Pool {
  const settings = {
    ...{ connectionString, application_name: 'hookline turns', max: 20, connectionTimeoutMillis: 10_000 },
    onConnect: (client: pg.ClientBase) => client.query(`set idle_in_transaction_session_timeout = ${idleMs}`),
  }
  return surviving(new pg.Pool(settings as pg.PoolConfig))
}

interface Launch {
  database: string
  pool: pg.Pool
  sql: Sql
  id: string
  version: string
  runsTurns: boolean
  log(line: string): void
}

async function launch({ database, pool, sql, id, version, runsTurns, log }: Launch): Promise<void> {
  DBOS.setConfig({
    name: 'hookline',
    systemDatabaseUrl: database,
    systemDatabasePool: pool,
    executorID: id,
    applicationVersion: version,
    serializer,
    // Each turn reads its own steps when it begins: one query, and no transaction around it.
    observabilityQueryTimeoutMs: 0,
    ...(runsTurns ? {} : { listenQueues: [] }),
    logger: { info() {}, debug() {}, warn: () => {}, error: (entry) => log(`DBOS: ${textOf(entry)}`) },
  })
  await prepare(sql, async () => {
    await DBOS.launch()
    await DBOS.registerQueue(queueName, { partitionConcurrency: 1, minPollingIntervalMs: pollMs })
  })
}

/** What is here, and is not held, goes to others at once, and not when they find out that this process is gone. */
async function handOver(
  { database, pool }: Pick<Launch, 'database' | 'pool'>,
  executorId: string,
  isFree: (turn: string) => boolean,
  log: (line: string) => void,
): Promise<void> {
  const client = await DBOSClient.create({ systemDatabaseUrl: database, systemDatabasePool: pool, serializer })
  try {
    const all = await client.listWorkflows({ executorId, status: 'PENDING', loadInput: false, loadOutput: false })
    const left = all.map(({ workflowID }) => workflowID).filter(isFree)
    if (left.length > 0) await client.resumeWorkflows(left, { queueName })
  } catch (error) {
    log(`Turns are taken over a little later: ${textOf(error)}`)
  } finally {
    await client.destroy()
  }
}

/** So many at once; the others wait in order. */
function openSeats(most: number) {
  let taken = 0
  const waiting: (() => void)[] = []
  const release = () => {
    taken -= 1
    waiting.shift()?.()
  }
  return {
    get taken() {
      return taken
    },
    async take(): Promise<() => void> {
      while (taken >= most) await new Promise<void>((resolve) => waiting.push(resolve))
      taken += 1
      return release
    },
  }
}

const textOf = (entry: unknown): string => (entry instanceof Error ? entry.message : String(entry))
