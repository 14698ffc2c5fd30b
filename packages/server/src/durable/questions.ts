import { createHash } from 'node:crypto'
import type { Approval, Person } from '@hookline/agent'
import type { Sql } from '../store/index.ts'
import { announcing } from '../store/postgres.ts'
import type { TurnJournal } from './journal.ts'

/** What a person is asked: whether a call may run, or something in words. */
export type Question =
  | {
      kind: 'approval'
      call: { name: string; input: Record<string, unknown> }
      agent: string
      reason: string
      metadata: Readonly<Record<string, string>>
    }
  | { kind: 'words'; question: string; options: readonly string[] }

/** What came back. Absent where the turn was stopped. */
export type Answer = { approval: Approval } | { text: string } | { canceled: true }

export interface OpenQuestion {
  id: string
  session: string
  turn: string
  question: Question
  asked: number
  expires: number
}

/**
 * Questions of turns, in the store: the first answer is the answer, whichever process takes it. Whether one is in time is for the
 * store's clock to say. Each is one statement, so that a process that stands still holds no lock.
 */
export interface TurnQuestions {
  open(session?: string): Promise<OpenQuestion[]>
  find(id: string): Promise<OpenQuestion | undefined>
  /** False: it does not wait any more. */
  answer(id: string, answer: Answer): Promise<boolean>
  /** Those of a turn that wait no longer. */
  cancel(turn: string): Promise<void>
  ask(question: Omit<OpenQuestion, 'asked' | 'expires'>, withinMs: number): Promise<void>
  /** Those with an answer, or whose time is over, that no turn has heard of yet. */
  ready(): Promise<string[]>
  /** The run of a turn goes on with the answer, or, when the time is over, without one. Undefined: it waits. */
  settle(id: string, turn: string, run: number): Promise<Settled | undefined>
}

export interface Settled {
  /** Another run holds the turn: nothing has changed. */
  isOvertaken: boolean
  answer?: Answer
}

export function openTurnQuestions(sql: Sql): TurnQuestions {
  const listed = 'select id, session, turn, question, asked, expires from durable_questions'
  const now = sql.dialect.clock
  return {
    async open(session) {
      const where = 'where settled is null and answer is null'
      const rows = await (session === undefined
        ? sql.all<Row>(`${listed} ${where} order by asked`)
        : sql.all<Row>(`${listed} ${where} and session = $1 order by asked`, [session]))
      return rows.map(asOpen)
    },
    async find(id) {
      const rows = await sql.all<Row>(`${listed} where id = $1 and settled is null and answer is null`, [id])
      return rows[0] && asOpen(rows[0])
    },
    async answer(id, answer) {
      const given = await sql.all(
        `with given as (update durable_questions set answer = $1, answered = ${now}
            where id = $2 and answer is null and settled is null returning id)
          select ${announcing("'answered ' || id")} from given`,
        [JSON.stringify(answer), id],
      )
      return given.length > 0
    },
    async cancel(turn) {
      await sql.lasting(
        `with given as (update durable_questions set answer = $1, answered = ${now}
            where turn = $2 and answer is null and settled is null returning id)
          select ${announcing("'answered ' || id")} from given`,
        [JSON.stringify({ canceled: true } satisfies Answer), turn],
      )
    },
    async ask({ id, session, turn, question }, withinMs) {
      await sql.lasting(
        `with asked as (insert into durable_questions (id, session, turn, kind, question, asked, expires)
            values ($1, $2, $3, $4, $5, ${now}, ${now} + $6::bigint) on conflict (id) do nothing returning id)
          select ${announcing("'asked ' || id")} from asked`,
        [id, session, turn, question.kind, JSON.stringify(question), withinMs],
      )
    },
    async ready() {
      const rows = await sql.all<{ id: string }>(
        `select id from durable_questions where settled is null and answer is not null
          union select id from durable_questions where settled is null and expires <= ${now}`,
      )
      return rows.map(({ id }) => id)
    },
    async settle(id, turn, run) {
      const [row] = await sql.lasting<{ held: boolean; answer: string | null }>(
        `with held as (select 1 from durable_turns where turn = $2 and run = $3 for share),
        settled as (update durable_questions set settled = ${now}
          where id = $1 and settled is null and (answer is not null or expires <= ${now}) and exists (select 1 from held)
          returning id, answer)
        select true as held, answer, ${announcing("'settled ' || id")} from settled
        union all select true, answer, '' from durable_questions
          where id = $1 and settled is not null and exists (select 1 from held)
        union all select false, null, '' where not exists (select 1 from held)`,
        [id, turn, run],
      )
      if (!row) return undefined
      return {
        isOvertaken: !row.held,
        ...(row.answer !== null && { answer: JSON.parse(row.answer) as Answer }),
      }
    },
  }
}

interface Row {
  id: string
  session: string
  turn: string
  question: string
  asked: number
  expires: number
}

const asOpen = ({ question, ...row }: Row): OpenQuestion => ({ ...row, question: JSON.parse(question) as Question })

/** Whoever answers for a turn: not in this process, and perhaps days later, when another process runs it. */
export function personBehind(
  { session, turn, withinMs }: { session: string; turn: string; withinMs: number },
  journal: TurnJournal,
  questions: TurnQuestions,
  /** What is known already: answers, and questions that nobody answered in time. */
  answers: ReadonlyMap<string, Answer | undefined>,
  /** It has been asked, and this process need not hold the turn meanwhile. */
  answered: (id: string) => Promise<Answer | undefined>,
): Person {
  async function ask(question: Question): Promise<Answer | undefined> {
    const id = idOf(turn, journal.asking ?? '')
    if (answers.has(id)) return answers.get(id)
    await questions.ask({ id, session, turn, question }, withinMs)
    await journal.ask({ id })
    return answered(id)
  }
  return {
    async approve({ call, agent, reason, metadata }) {
      const answer = await ask({
        kind: 'approval',
        call: { name: call.name, input: call.input },
        agent,
        reason,
        metadata,
      })
      return answer && 'approval' in answer ? answer.approval : { answer: 'no', reason: 'Nobody answered.' }
    },
    async answer(question, options) {
      const answer = await ask({ kind: 'words', question, options })
      return answer && 'text' in answer ? answer.text : 'The user did not answer.'
    },
    async goOn(limit) {
      const question = `The agent has called its model ${limit} times, which is its limit. Go on?`
      const answer = await ask({ kind: 'words', question, options: ['yes', 'no'] })
      return answer !== undefined && 'text' in answer && answer.text === 'yes'
    },
  }
}

/** The same when the turn is run again: the same question is asked once. */
const idOf = (turn: string, key: string): string =>
  createHash('sha256').update(`${turn}\0${key}`).digest('hex').slice(0, 16)
