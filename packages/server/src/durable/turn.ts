import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { DBOS, DBOSWorkflowConflictError } from '@dbos-inc/dbos-sdk'
import type { Agent, Durable, Person, RunEnd } from '@hookline/agent'
import type { Sql } from '../store/index.ts'
import { type Asked, type Batch, openJournal } from './journal.ts'
import { type Answer, personBehind, type TurnQuestions } from './questions.ts'
import { recordsOf, type SessionRecord, type Written, writtenFor } from './tables.ts'

/** One turn of a session: what a person wants of the agent. The id of its workflow is that of the turn. */
export interface Turn {
  id: string
  session: string
  kind: 'prompt' | 'follow-up' | 'goal'
  text: string
  /** Where it comes from, for hooks. */
  channel?: string
}

/** What an agent is opened with, so that its turn survives. */
export interface Surviving {
  session: string
  records: readonly SessionRecord[]
  continues: { turns: number }
  /** Where a session is kept, of the turn itself or of a sub-agent. */
  open(session: string): Promise<Durable>
  /** The same for an agent, which asks for all to be written down before it rests: the end of the turn does that. */
  openLog(session: string): Promise<Durable>
  person: Person
  /** False while it only repeats what was done before: nobody should see that again. */
  isLive(): boolean
}

/** An agent that was opened for a turn. */
export interface Opened {
  agent: Pick<Agent, 'prompt' | 'goal' | 'steer' | 'cancel' | 'settled'>
  /** Closes what it holds, and raises nothing: the session goes on. */
  leave(): Promise<void>
}

/** What turns are run with, in this process. */
export interface TurnDesk {
  sql: Sql
  questions: TurnQuestions
  open(turn: Turn, surviving: Surviving): Promise<Opened>
  began(turn: Turn): Promise<void>
  /** Called again when the process dies in it. */
  ended(turn: Turn, end: RunEnd): Promise<void>
  /** How long a question waits. */
  answerWithinMs: number
  /** How long an agent whose person does not answer stays in memory. */
  lingerMs: number
  /** A place among those that work at once; gives back the release. */
  seat(): Promise<() => void>
  /** By session: looks for what people wrote, while an agent works here. */
  live: Map<string, () => void>
  /** Never ends while this process drains: others do it. */
  mayBegin(): Promise<void>
}

let desk: TurnDesk | undefined
export const setDesk = (given: TurnDesk | undefined): void => {
  desk = given
}

/** Outside of every workflow: what is read here is no step of one. */
const outside = AsyncLocalStorage.snapshot()

/** Polling is for notices that got lost. */
const pollMs = 60_000

/**
 * One turn, from its journal: what is in there is not done again. DBOS numbers steps by the order in which they are called, and
 * calls of a batch end in any order; so the turn writes down batches, one after the other, and finds what is in them by its key.
 */
export const runTurn = DBOS.registerWorkflow(
  async (turn: Turn): Promise<RunEnd> => {
    const here = desk!
    await here.mayBegin()
    const waits = openWaits(here)
    const end = await goOn(here, turn, waits, await giveNumbers(here, turn, waits))
    if (end) return end
    for (;;) {
      await waits.settled()
      const later = await goOn(here, turn, waits)
      if (later) return later
    }
  },
  { name: 'hookline.turn', maxRecoveryAttempts: 1_000 },
)

/** The numbers of recorded steps are given out again, in the same order. */
async function giveNumbers(here: TurnDesk, turn: Turn, waits: Waits): Promise<Recorded[]> {
  const recorded = await batchesOf(turn.id)
  const again = recorded.map(({ name, batch }) => {
    const step = DBOS.runStep(() => Promise.reject(new Error('This step was recorded.')), { name })
    if (batch.asks) waits.begin(batch.asks)
    return step
  })
  await Promise.all(again)
  if (recorded.length === 0) await here.began(turn)
  return recorded
}

/** As far as it goes without a person. */
async function goOn(
  here: TurnDesk,
  turn: Turn,
  waits: Waits,
  known?: readonly Recorded[],
): Promise<RunEnd | undefined> {
  // Nobody needs to hold an agent for a question that is still open.
  if (waits.isOpen) return undefined
  const before = known ?? (await batchesOf(turn.id))
  const recorded = [...before, ...(await play(here, turn, before, waits))]
  if (waits.isOpen) return undefined
  const end = recorded.find(({ batch }) => batch.end)?.batch.end as RunEnd | undefined
  if (!end) return undefined
  await here.ended(turn, end)
  await keepRecords(here.sql, turn, recorded)
  return end
}

interface Recorded {
  name: string
  batch: Batch
}

export async function batchesOf(turn: string): Promise<Recorded[]> {
  const steps = await outside(() => DBOS.listWorkflowSteps(turn))
  return (steps ?? [])
    .filter(({ name }) => !name.startsWith('DBOS.'))
    .map(({ name, output }) => ({ name, batch: output as Batch }))
}

type Waits = ReturnType<typeof openWaits>

/** Questions of a turn that wait for a person, durably: DBOS keeps the message, and when the time is over. */
function openWaits({ questions }: TurnDesk) {
  const open = new Map<string, Promise<void>>()
  const answers = new Map<string, Answer | undefined>()
  async function wait(id: string, message: Promise<Answer | null>): Promise<void> {
    const answer = (await message) ?? (await questions.expire(id))
    answers.set(id, answer)
    await questions.settle(id)
    open.delete(id)
  }
  return {
    answers,
    get isOpen() {
      return open.size > 0
    },
    /** Takes its numbers before it returns. */
    begin({ id, expires }: Asked): void {
      const timeoutSeconds = Math.max(1, (expires - Date.now()) / 1_000)
      open.set(id, wait(id, DBOS.recv<Answer>(topicOf(id), { timeoutSeconds, pollingIntervalMs: pollMs })))
      open.get(id)!.catch(() => {})
    },
    answered: (id: string) => open.get(id) ?? Promise.resolve(),
    /** One of them at least. */
    async settled(): Promise<void> {
      if (open.size > 0) await Promise.race(open.values())
    },
  }
}

export const queueName = 'hookline-turns'

export const topicOf = (question: string): string => `answer ${question}`

/** Runs the agent until the turn ends, or only people can say how it goes on. */
async function play(here: TurnDesk, turn: Turn, recorded: readonly Recorded[], waits: Waits): Promise<Recorded[]> {
  const done: Recorded[] = []
  if (recorded.some(({ batch }) => batch.end)) return done
  const release = await here.seat()
  const inWorkflow = AsyncLocalStorage.snapshot()
  const by = randomUUID()
  let opened: Opened | undefined
  let [waiting, isCanceled, given] = [0, false, 0]
  let idle: NodeJS.Timeout | undefined
  let suspend = (): void => {}
  const suspended = new Promise<void>((resolve) => {
    suspend = resolve
  })
  /** Nothing runs but questions. */
  const onStep = () => {
    clearTimeout(idle)
    if (waiting > 0 && journal.running === waiting) idle = setTimeout(suspend, here.lingerMs)
  }
  const journal = openJournal({
    before: recorded.map(({ batch }) => batch),
    write: (name, batch) =>
      inWorkflow(async () => {
        const written = await DBOS.runStep(async () => ({ ...batch, by }), { name })
        // Whoever owns the turn now has written that step down: DBOS gives what it recorded, and asks for no owner.
        if (written.by !== by) throw new DBOSWorkflowConflictError(turn.id)
        done.push({ name, batch })
        if (batch.asks) waits.begin(batch.asks)
      }),
    onLive: () => isCanceled && opened?.agent.cancel(),
    onStep,
  })
  const { session } = turn
  /** What people wrote since, and whether they want it to stop. */
  async function look(written?: readonly Written[]): Promise<void> {
    written ??= await writtenFor(here.sql, session)
    for (const { id, kind, text } of written.filter(({ kind }) => kind === 'steer').slice(journal.taken)) {
      if (id <= given) continue
      given = id
      if (kind === 'steer') opened!.agent.steer(text)
    }
    isCanceled = written.some(({ kind, turn: of }) => kind === 'cancel' && of === turn.id)
    if (isCanceled && journal.isLive) opened!.agent.cancel()
  }
  async function answered(id: string): Promise<Answer | undefined> {
    waiting += 1
    onStep()
    await waits.answered(id)
    waiting -= 1
    clearTimeout(idle)
    return waits.answers.get(id)
  }

  try {
    const { records, turns, written } = await recordsOf(here.sql, session)
    const person = personBehind(
      { session, turn: turn.id, withinMs: here.answerWithinMs },
      journal,
      here.questions,
      waits.answers,
      answered,
    )
    const surviving: Surviving = {
      ...{ session, records, continues: { turns }, person, isLive: () => journal.isLive },
      open: async (id) => journal.open(id),
      openLog: async (id) => ({ ...journal.open(id), flush: async () => {}, close: async () => {} }),
    }
    try {
      opened = await here.open(turn, surviving)
    } catch (error) {
      await journal.end('end', failed(error))
      return done
    }
    const { agent } = opened
    here.live.set(session, () => void look().catch(() => {}))
    await look(written)
    const from = turn.channel === undefined ? {} : { channel: turn.channel }
    const whole = async (): Promise<void> => {
      const end = await (turn.kind === 'goal' ? agent.goal(turn.text) : agent.prompt(turn.text, from)).catch(failed)
      await agent.settled()
      await journal.end('end', end)
    }
    await Promise.race([whole(), suspended, journal.broken])
    return done
  } finally {
    journal.sever()
    clearTimeout(idle)
    here.live.delete(session)
    await opened?.leave().catch(() => {})
    release()
  }
}

const failed = (error: unknown): RunEnd => ({
  reason: 'error',
  response: '',
  detail: error instanceof Error ? error.message : String(error),
})

/** The records of a turn that is over, and what of the inbox it has taken. All of it is in the journal, so that it may be done again. */
async function keepRecords(sql: Sql, turn: Turn, recorded: readonly Recorded[]): Promise<void> {
  const records = recorded.flatMap(({ batch }) => batch.records)
  const taken = openJournal({ before: recorded.map(({ batch }) => batch), write: async () => {} }).taken
  // The inbox only loses what this turn took when its records were not there yet.
  await sql.run(
    `with kept as (
      insert into durable_records (session, turn, key, record)
        select each ->> 0, $2, each ->> 1, each ->> 2
          from json_array_elements($1::json) with ordinality as given (each, at) order by at
        on conflict do nothing returning 1)
    delete from durable_inbox where turn = $2 or (exists (select 1 from kept) and id in
      (select id from durable_inbox where session = $3 and kind = 'steer' order by id limit $4))`,
    [
      JSON.stringify(records.map(([session, key, record]) => [session, key, JSON.stringify(record)])),
      ...[turn.id, turn.session, taken],
    ],
  )
}

/** What is kept of a session: of the turns that are over, and of the one that runs. */
export async function allRecordsOf(sql: Sql, session: string, running?: string): Promise<readonly SessionRecord[]> {
  const { records } = await recordsOf(sql, session)
  if (running === undefined) return records
  const batches = await batchesOf(running)
  const own = batches.flatMap(({ batch }) =>
    batch.records.flatMap(([of, , record]) => (of === session ? [record] : [])),
  )
  return [...records, ...own]
}
