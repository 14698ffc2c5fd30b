import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { DBOS, DBOSWorkflowConflictError } from '@dbos-inc/dbos-sdk'
import type { Agent, Durable, Person, RunEnd } from '@hookline/agent'
import type { Sql } from '../store/index.ts'
import { isAway } from '../store/postgres.ts'
import { type Asked, openJournal } from './journal.ts'
import { type Answer, personBehind, type TurnQuestions } from './questions.ts'
import { type Hold, holdFirst, holdLater, type Recorded, recordedOf, writeDown, writeEnd } from './steps.ts'
import { type SessionRecord, type SoFar, soFar, type Written, writtenFor } from './tables.ts'

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
  agent: Pick<Agent, 'prompt' | 'goal' | 'steer' | 'settled'>
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
  /** By question: looks whether it is answered, while a turn waits here. */
  waiting: Map<string, () => void>
  /** Turns that run here, waiting ones included; and those of them whose agents work. */
  running: Set<string>
  working: Set<string>
  /** It takes no more turns, and others go on with its own. */
  isLeaving(): boolean
}

let desk: TurnDesk | undefined
export const setDesk = (given: TurnDesk | undefined): void => {
  desk = given
}

/** Outside of every workflow: what is read here is no step of one. */
const outside = AsyncLocalStorage.snapshot()

/**
 * One turn, from its journal: what is in there is not done again. DBOS queues turns, knows who owns one, and keeps how it ended; what a
 * turn does is in rows of our own, which only its last run writes. So a step costs one statement, and what DBOS numbers by the order
 * of calls is little: later runs.
 */
export const runTurn = DBOS.registerWorkflow(
  async (turn: Turn): Promise<RunEnd> => {
    const here = desk!
    here.running.add(turn.id)
    try {
      const end = await run(here, turn)
      // How it ended is written down: whoever goes on with it says so.
      return here.isLeaving() ? await never() : end
    } catch (error) {
      // What fails from now on fails because of that; were it the end of the turn, nobody could go on with it.
      if (here.isLeaving()) return await never()
      if (!isAway(error)) throw error
      await giveBack(here, turn)
      throw new DBOSWorkflowConflictError(turn.id)
    } finally {
      here.running.delete(turn.id)
    }
  },
  { name: 'hookline.turn', maxRecoveryAttempts: 1_000 },
)

/** The store went away in a moment in which nobody waits for it: another run goes on from what is written down. */
async function giveBack(here: TurnDesk, { id }: Turn): Promise<void> {
  while (!here.isLeaving())
    try {
      await outside(() => DBOS.resumeWorkflows([id], { queueName }))
      return
    } catch {
      await delay(againMs)
    }
}

const againMs = 200

/** Another one each time: whoever waits for it is forgotten with it. */
const never = (): Promise<never> => new Promise(() => {})

async function run(here: TurnDesk, turn: Turn): Promise<RunEnd> {
  if (here.isLeaving()) return never()
  let begun: Begun | undefined = await begin(here, turn)
  const { hold, recorded } = begun
  const waits = openWaits(here, turn, hold)
  for (const { batch } of recorded) if (batch.asks) waits.begin(batch.asks)
  for (;;) {
    const end = await goOn(here, turn, waits, hold, begun)
    if (end) return end
    // Whoever waits keeps as little as possible.
    begun = undefined
    await waits.settled()
  }
}

/** What a run begins with. */
interface Begun {
  hold: Hold
  recorded: readonly Recorded[]
  soFar?: SoFar
}

async function begin(here: TurnDesk, turn: Turn): Promise<Begun> {
  const soFar = await holdFirst(here.sql, turn)
  const begun = soFar ? { hold: { run: 1, steps: 0 }, recorded: [], soFar } : await beginAgain(here, turn)
  if (begun.recorded.length === 0) await here.began(turn)
  return begun
}

/**
 * Somebody has run it before, and perhaps still does, believing that it is theirs. DBOS lets only the owner of a turn write a step
 * down; that step makes this the last run, and from then on no other writes anything.
 */
async function beginAgain(here: TurnDesk, turn: Turn): Promise<Begun> {
  const before = (await outside(() => DBOS.listWorkflowSteps(turn.id))) ?? []
  // The numbers of recorded steps are given out again, in the same order.
  for (const { name } of before)
    await DBOS.runStep(() => Promise.reject(new Error('This step was recorded.')), { name })
  await stepAsOwner(turn)
  // The first run writes no such step.
  const run = before.length + 2
  if (!(await holdLater(here.sql, turn, run))) throw new DBOSWorkflowConflictError(turn.id)
  return { hold: { run, steps: 0 }, recorded: await recordedOf(here.sql, turn.id) }
}

async function stepAsOwner(turn: Turn): Promise<void> {
  const by = randomUUID()
  const written = await DBOS.runStep(async () => ({ by }), { name: 'run' })
  // Whoever owns the turn now has written that step down: DBOS gives what it recorded, and asks for no owner.
  if (written.by !== by) throw new DBOSWorkflowConflictError(turn.id)
}

/** As far as it goes without a person. */
async function goOn(here: TurnDesk, turn: Turn, waits: Waits, hold: Hold, begun?: Begun): Promise<RunEnd | undefined> {
  const recorded = begun?.recorded ?? (await recordedOf(here.sql, turn.id))
  const known = endOf(recorded)
  // Nobody needs to hold an agent for a question that is still open.
  if (!known && waits.isOpen) return undefined
  const end = known ?? (await play(here, turn, waits, hold, recorded, begun?.soFar))
  if (!end) return undefined
  // A turn that was stopped in the moment in which it asked.
  if (waits.isOpen) await waits.cancel()
  await here.ended(turn, end)
  return end
}

const endOf = (recorded: readonly Recorded[]): RunEnd | undefined =>
  recorded.find(({ batch }) => batch.end)?.batch.end as RunEnd | undefined

type Waits = ReturnType<typeof openWaits>

/**
 * Questions of a turn that wait for a person. What waits is the row of the question, in the store: here is only who to wake when there
 * is something in it, which notices tell, and a look at all questions where one gets lost.
 */
function openWaits({ questions, waiting }: TurnDesk, turn: Turn, { run }: Hold) {
  const open = new Map<string, Promise<void>>()
  const answers = new Map<string, Answer | undefined>()
  /** The agent that waits for each, while there is one: it must not hang on what may take days. */
  const listeners = new Map<string, { answered(): void; left(): void }>()
  async function wait(id: string): Promise<void> {
    for (;;) {
      // Before it looks: what happens from now on wakes it.
      const woken = nextOf(id)
      const settled = await questions.settle(id, turn.id, run)
      if (settled?.isOvertaken) throw new DBOSWorkflowConflictError(turn.id)
      if (settled) {
        answers.set(id, settled.answer)
        break
      }
      await woken
    }
    waiting.delete(id)
    open.delete(id)
    listeners.get(id)?.answered()
  }
  const nextOf = (id: string) =>
    new Promise<void>((resolve) => {
      // An earlier run of the turn in this process finds out that it is one.
      waiting.get(id)?.()
      waiting.set(id, resolve)
    })
  return {
    answers,
    listeners,
    get isOpen() {
      return open.size > 0
    },
    begin({ id }: Asked): void {
      open.set(id, wait(id))
      open.get(id)!.catch(() => {})
    },
    /** One of them at least. */
    async settled(): Promise<void> {
      if (open.size > 0) await Promise.race(open.values())
    },
    /** Nobody waits for the answers any more. */
    async cancel(): Promise<void> {
      await questions.cancel(turn.id)
      for (const id of open.keys()) waiting.get(id)?.()
      await Promise.all(open.values())
    },
  }
}

export const queueName = 'hookline-turns'

/** Runs the agent until the turn ends, which it gives back, or only people can say how it goes on. */
async function play(
  here: TurnDesk,
  turn: Turn,
  waits: Waits,
  hold: Hold,
  recorded: readonly Recorded[],
  known?: SoFar,
): Promise<RunEnd | undefined> {
  const release = await here.seat()
  if (here.isLeaving()) {
    release()
    return never()
  }
  here.working.add(turn.id)
  let opened: Opened | undefined
  let end: RunEnd | undefined
  let [waiting, isCanceled, given] = [0, false, 0]
  // Also for who wants it to stop before it begins.
  const stop = new AbortController()
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
    async write(name, batch) {
      const isHeld = batch.end
        ? await writeEnd(here.sql, turn, hold, { name, batch }, journal)
        : await writeDown(here.sql, turn, hold, { name, batch })
      if (!isHeld) throw new DBOSWorkflowConflictError(turn.id)
      end = batch.end as RunEnd | undefined
      if (!batch.asks) return
      waits.begin(batch.asks)
      // Who stopped the turn before it asked knew of no question that waits.
      await look()
    },
    onLive: () => isCanceled && stop.abort(),
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
    if (isCanceled && journal.isLive) stop.abort()
  }
  async function answered(id: string): Promise<Answer | undefined> {
    waiting += 1
    onStep()
    if (!waits.answers.has(id))
      await new Promise<void>((answered, reject) => {
        waits.listeners.set(id, { answered, left: () => reject(new Error('The agent does not wait here any more.')) })
      })
    waiting -= 1
    clearTimeout(idle)
    return waits.answers.get(id)
  }

  try {
    const { records, turns, written } = known ?? (await soFar(here.sql, session))
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
      if (isAway(error)) throw error
      await journal.end('end', failed(error))
      return end
    }
    const { agent } = opened
    here.live.set(session, () => void look().catch(() => {}))
    await look(written)
    const { signal } = stop
    const given = { signal, ...(turn.channel !== undefined && { channel: turn.channel }) }
    const whole = async (): Promise<void> => {
      const working = turn.kind === 'goal' ? agent.goal(turn.text, { signal }) : agent.prompt(turn.text, given)
      const end = await working.catch(failed)
      await agent.settled()
      await journal.end('end', end)
    }
    await Promise.race([whole(), suspended, journal.broken])
    return end
  } finally {
    journal.sever()
    // What the agent waits with holds on to it: Node keeps signals that somebody listens to.
    for (const { left } of waits.listeners.values()) left()
    waits.listeners.clear()
    clearTimeout(idle)
    here.live.delete(session)
    await opened?.leave().catch(() => {})
    here.working.delete(turn.id)
    release()
  }
}

const failed = (error: unknown): RunEnd => ({
  reason: 'error',
  response: '',
  detail: error instanceof Error ? error.message : String(error),
})
