import type { GivenAnswer } from 'hookline/internal'
import type { Questions } from '../questions/index.ts'
import { approvalOf, describe, type openRows } from '../sessions/index.ts'
import type { Sql } from '../store/index.ts'
import type { OpenQuestion } from './questions.ts'
import type { TurnWorker } from './worker.ts'

interface Bringing {
  sql: Sql
  worker: TurnWorker
  questions: Questions
  rows: ReturnType<typeof openRows>
  log(line: string): void
}

/** For notices that got lost. */
const lookMs = 5_000

/** Whether calls of turns may run, wherever they wait, is in the list of all questions. Gives back how to stop that. */
export async function bringQuestions({ sql, worker, questions, rows, log }: Bringing): Promise<() => void> {
  const known = new Map<string, GivenAnswer | undefined>()
  let [busy, again, isOver] = [false, false, false]

  async function look(): Promise<void> {
    again = true
    if (busy) return
    busy = true
    try {
      while (again && !isOver) {
        again = false
        await bringAll()
      }
    } catch (error) {
      log(
        `Questions of turns cannot be read now, and will be: ${error instanceof Error ? error.message : String(error)}`,
      )
    } finally {
      busy = false
    }
  }

  async function bringAll(): Promise<void> {
    const before = [...known.keys()]
    const open = await worker.questions.open()
    const ids = new Set(open.map(({ id }) => id))
    for (const id of before) if (!ids.has(id)) takeBack(id)
    for (const each of open) await bring(each)
  }

  /** Thousands may wait: a notice is about one of them. */
  async function lookAt(id: string): Promise<void> {
    const found = await worker.questions.find(id)
    if (found) await bring(found)
    else takeBack(id)
  }

  function takeBack(id: string): void {
    if (!known.has(id)) return
    questions.takeBack(id, known.get(id))
    known.delete(id)
  }

  async function bring({ id, session, question, asked, expires }: OpenQuestion): Promise<void> {
    if (question.kind !== 'approval' || known.has(id)) return
    known.set(id, undefined)
    const { call, reason, metadata } = question
    const { project: cwd = '' } = (await rows.find(session)) ?? {}
    // It was settled meanwhile.
    if (!known.has(id)) return
    const pending = {
      ...{ id, host: 'hookline', session, cwd, what: describe(call), reason, hooks: [], layers: [] },
      ...{ call: { tool: call.name, input: call.input, parts: 1 }, details: { ...metadata } },
      ...{ asked: new Date(asked).toISOString(), expires: new Date(expires).toISOString() },
    }
    questions.bring(pending, async (given) => {
      if (!(await worker.answer(id, { approval: approvalOf(given) }))) return { ok: false, reason: 'answered' }
      known.set(id, given)
      void lookAt(id).catch(() => {})
      return { ok: true, question: pending }
    })
  }

  sql.onAnnounced((what) => {
    const id = /^(?:asked|settled) (.+)$/.exec(what)?.[1]
    // What cannot be read now is found by looking at all.
    if (id !== undefined) void lookAt(id).catch(() => {})
    else if (what === '') void look()
  })
  await look()
  const timer = setInterval(() => void look(), lookMs).unref()
  return () => {
    isOver = true
    clearInterval(timer)
  }
}
