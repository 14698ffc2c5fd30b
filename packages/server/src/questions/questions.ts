import { setTimeout as delay } from 'node:timers/promises'
import {
  type AnswerResult,
  connectDaemon,
  type DaemonConnection,
  type GivenAnswer,
  type PendingQuestion,
} from 'hookline/internal'
import { masked, openBroker, startDaemon } from 'hookline/internal/server'
import { leftBehind, type Sql } from '../store/index.ts'
import type { Hub } from '../stream/index.ts'

type AskedQuestion = Parameters<ReturnType<typeof openBroker>['ask']>[0]

/** What agents on this machine wait for, those of others through the daemon, and what became of it. */
export interface Questions {
  /** As they are: what is shown of them is masked first. */
  readonly pending: readonly PendingQuestion[]
  /** Whether a daemon runs, and questions would wait in it. */
  readonly connected: boolean
  /** A question of a session of this server: it waits here, also while nobody looks. */
  ask(question: AskedQuestion, signal: AbortSignal): Promise<GivenAnswer | undefined>
  answer(id: string, given: GivenAnswer): Promise<AnswerResult>
  /** A question that waits elsewhere, and how an answer gets there. */
  bring(question: PendingQuestion, answer: (given: GivenAnswer) => Promise<AnswerResult>): void
  /** It does not wait there any more; with what became of it. */
  takeBack(id: string, answer: GivenAnswer | undefined): void
  /** What was answered for always has become this rule. */
  addedRule(id: string, rule: string): Promise<void>
  close(): Promise<void>
}

export interface QuestionsOptions {
  sql: Sql
  hub: Hub
  /** Which of the servers this is, where several use one store. */
  server: string
  log(line: string): void
}

/** How often to look for a daemon while there is none, at most. */
const lookMs = 300
/** How long a daemon may take to start before another is started. */
const startMs = 10_000
/** How long a question of a session of this server waits. */
const ownMs = 3_600_000

/**
 * Questions wait only while somebody is there who can answer, so the daemon is told so exactly as long as a console is
 * open; else agents would wait for nobody.
 */
export async function openQuestions({ sql, hub, server, log }: QuestionsOptions): Promise<Questions> {
  const waiting = new Map<string, PendingQuestion>()
  const closing = new AbortController()
  let daemon: DaemonConnection | undefined
  let trouble: string | undefined
  let started = 0
  let reconnect = () => {}
  const own = openBroker()
  own.attach()
  own.onChange((change) => {
    const work = change.kind === 'asked' ? asked(change.question) : settled(change.question, change.answer)
    work.catch(cannotKeep)
  })
  const brought = new Map<string, (given: GivenAnswer) => Promise<AnswerResult>>()
  const isOwn = (id: string) => brought.has(id) || own.pending.some((each) => each.id === id)
  await forgetUnsettled()
  hub.onAttended(() => reconnect())
  const following = follow()

  const cannotKeep = (error: unknown) => log(`A question could not be kept: ${String(error)}`)

  async function follow(): Promise<void> {
    while (!closing.signal.aborted) {
      const began = Date.now()
      await followOnce().then(
        () => {
          trouble = undefined
        },
        (error: unknown) => {
          if (trouble !== String(error)) log(`Questions cannot be followed: ${String(error)}`)
          trouble = String(error)
        },
      )
      // A connection that ends at once would else be opened again at once, for ever.
      if (Date.now() - began < lookMs) await delay(lookMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  /** As long as one connection lasts. */
  async function followOnce(): Promise<void> {
    const attached = hub.attended
    const connection = await connectDaemon({
      onNotice(notice) {
        const work =
          notice.notice === 'asked'
            ? asked(notice.question)
            : notice.notice === 'settled'
              ? settled(notice.question, notice.answer)
              : undefined
        work?.catch(cannotKeep)
      },
    })
    if (!connection && attached && Date.now() - started > startMs) {
      started = Date.now()
      startDaemon()
    }
    reconnect = () => connection?.close()
    // Somebody has come or gone while it was being opened.
    if (hub.attended !== attached || closing.signal.aborted) connection?.close()
    try {
      const begun = await connection?.request('subscribe', { attached })
      daemon = begun ? connection : undefined
      for (const question of begun?.pending ?? []) await asked(question)
      await connection?.ended
    } catch {
      connection?.close()
    } finally {
      daemon = undefined
    }
    // With whoever could answer gone, or the daemon, they are refused there.
    const left = hub.attended && !closing.signal.aborted ? await stillPending() : new Set<string>()
    for (const question of [...waiting.values()])
      if (!left.has(question.id) && !isOwn(question.id)) await settled(question, undefined)
  }

  async function stillPending(): Promise<Set<string>> {
    const connection = await connectDaemon()
    try {
      const { pending = [] } = (await connection?.request('pending', {})) ?? {}
      return new Set(pending.map(({ id }) => id))
    } catch {
      return new Set()
    } finally {
      connection?.close()
    }
  }

  async function asked(question: PendingQuestion): Promise<void> {
    if (waiting.has(question.id)) return
    waiting.set(question.id, question)
    const { id, host, session, cwd, what, reason, hooks, asked: at, expires } = masked(question)
    // Several servers may bring the same.
    await hub.publishWith(
      {
        sql: `insert into questions (id, asked, expires, host, session, cwd, what, reason, hooks, server)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (id) do nothing`,
        values: [
          ...[id, Date.parse(at), Date.parse(expires), host, session ?? null, cwd, what, reason],
          ...[JSON.stringify(hooks), server],
        ],
      },
      'question.asked',
      { id },
      session,
    )
  }

  async function settled({ id, session }: PendingQuestion, answer: GivenAnswer | undefined): Promise<void> {
    if (!waiting.delete(id)) return
    await hub.publishWith(
      {
        sql: `update questions set settled = $1, answer = $2, because = $3, answered_by = $4
          where id = $5 and (settled is null or settled = expires)`,
        values: [Date.now(), answer?.answer ?? null, answer?.because ?? null, answer?.by ?? null, id],
      },
      'question.settled',
      { id, answer: answer?.answer ?? null },
      session,
    )
  }

  /** What waited when a server was killed does not wait any more, unless the daemon has it still. */
  async function forgetUnsettled(): Promise<void> {
    await sql.run(`update questions set settled = expires where settled is null and ${leftBehind}`)
  }

  return {
    get pending() {
      return [...waiting.values()]
    },
    get connected() {
      return daemon !== undefined
    },
    async answer(id, given) {
      const carry = brought.get(id)
      if (carry) return carry(given)
      if (isOwn(id)) return own.answer(id, given)
      return daemon ? daemon.answer(id, given) : { ok: false, reason: 'unknown' }
    },
    bring(question, answer) {
      brought.set(question.id, answer)
      asked(question).catch(cannotKeep)
    },
    takeBack(id, answer) {
      const question = waiting.get(id)
      brought.delete(id)
      if (question) settled(question, answer).catch(cannotKeep)
    },
    async addedRule(id, rule) {
      await sql.run('update questions set rule = $1 where id = $2', [rule, id])
    },
    ask: (question, signal) => own.ask(question, { forMs: ownMs, signal }),
    async close() {
      own.close()
      closing.abort()
      reconnect()
      await following
    },
  }
}
