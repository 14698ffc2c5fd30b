import { createHash } from 'node:crypto'
import type { Approval, Person } from '@hookline/agent'
import type { Sql } from '../store/index.ts'
import type { TurnJournal } from './journal.ts'
import { briefly } from './tables.ts'

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

/** Questions of turns, in the store: the first answer is the answer, whichever process takes it. */
export interface TurnQuestions {
  open(session?: string): Promise<OpenQuestion[]>
  find(id: string): Promise<OpenQuestion | undefined>
  /** False: it does not wait any more. The turn hears of it by `send`. */
  answer(id: string, answer: Answer): Promise<boolean>
  /** Nobody has answered in time; or somebody has, just now. */
  expire(id: string): Promise<Answer | undefined>
  /** The turn goes on with what was answered. */
  settle(id: string): Promise<void>
  ask(question: OpenQuestion): Promise<void>
  /** Answers that somebody gave, and did not live to send. */
  unheard(): Promise<{ id: string; turn: string; answer: Answer }[]>
}

export function openTurnQuestions(sql: Sql): TurnQuestions {
  const listed = 'select id, session, turn, question, asked, expires from durable_questions'
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
    answer: async (id, answer) =>
      (await sql.run(
        'update durable_questions set answer = $1, answered = $2 where id = $3 and answer is null and settled is null',
        [JSON.stringify(answer), Date.now(), id],
      )) > 0,
    async expire(id) {
      await sql.run('update durable_questions set settled = $1 where id = $2 and answer is null', [Date.now(), id])
      const rows = await sql.all<{ answer: string | null }>('select answer from durable_questions where id = $1', [id])
      const answer = rows[0]?.answer
      return answer == null ? undefined : (JSON.parse(answer) as Answer)
    },
    async settle(id) {
      await briefly(sql, async (within) => {
        await within.run('update durable_questions set settled = $1 where id = $2 and settled is null', [
          ...[Date.now(), id],
        ])
        await within.announce(`settled ${id}`)
      })
    },
    async ask({ id, session, turn, question, asked, expires }) {
      await briefly(sql, async (within) => {
        await within.run(
          `insert into durable_questions (id, session, turn, kind, question, asked, expires)
            values ($1, $2, $3, $4, $5, $6, $7) on conflict (id) do nothing`,
          [id, session, turn, question.kind, JSON.stringify(question), asked, expires],
        )
        await within.announce(`asked ${id}`)
      })
    },
    async unheard() {
      const rows = await sql.all<{ id: string; turn: string; answer: string }>(
        'select id, turn, answer from durable_questions where settled is null and answer is not null and answered < $1',
        [Date.now() - 1_000],
      )
      return rows.map(({ answer, ...row }) => ({ ...row, answer: JSON.parse(answer) as Answer }))
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
    const asked = Date.now()
    const expires = asked + withinMs
    await questions.ask({ id, session, turn, question, asked, expires })
    await journal.ask({ id, expires })
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
