import { randomInt } from 'node:crypto'
import type { AnswerResult, GivenAnswer, PendingQuestion, QuestionBroker, QuestionChange } from './broker.ts'

interface Waiting {
  question: PendingQuestion
  settle(answer: GivenAnswer | undefined): void
}

/** So many settled questions are remembered, so that whoever answers late learns why that changed nothing. */
const mostRemembered = 1_000

/** The questions that wait in one daemon; see the contract of QuestionBroker. */
export function openQuestions(): QuestionBroker {
  const waiting = new Map<string, Waiting>()
  const settled = new Map<string, 'answered' | 'late'>()
  const listeners = new Set<(change: QuestionChange) => void>()
  let attached = 0
  let closed = false

  const tell = (change: QuestionChange) => {
    for (const listener of listeners) listener(change)
  }
  const dismissAll = () => {
    for (const { settle } of [...waiting.values()]) settle(undefined)
  }

  return {
    ask: (asked, { forMs, signal }) =>
      new Promise((resolve) => {
        if (closed || attached === 0 || signal?.aborted || forMs <= 0) return resolve(undefined)
        const now = Date.now()
        const times = { asked: new Date(now).toISOString(), expires: new Date(now + forMs).toISOString() }
        const question: PendingQuestion = { ...asked, id: freeId(), ...times }
        const settle = (answer: GivenAnswer | undefined) => {
          if (!waiting.delete(question.id)) return
          clearTimeout(timer)
          signal?.removeEventListener('abort', dismiss)
          remember(question.id, answer ? 'answered' : 'late')
          resolve(answer)
          tell({ kind: 'settled', question, ...(answer && { answer }) })
        }
        const dismiss = () => settle(undefined)
        const timer = setTimeout(dismiss, forMs)
        signal?.addEventListener('abort', dismiss, { once: true })
        waiting.set(question.id, { question, settle })
        tell({ kind: 'asked', question })
      }),
    answer(id, given): AnswerResult {
      const found = waiting.get(id)
      if (!found) return { ok: false, reason: settled.get(id) ?? 'unknown' }
      found.settle(given)
      return { ok: true, question: found.question }
    },
    get pending() {
      return [...waiting.values()].map(({ question }) => question)
    },
    get attended() {
      return attached > 0
    },
    attach() {
      attached++
      let here = true
      return () => {
        if (!here) return
        here = false
        if (--attached === 0) dismissAll()
      }
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      closed = true
      dismissAll()
    },
  }

  function remember(id: string, as: 'answered' | 'late'): void {
    settled.set(id, as)
    if (settled.size > mostRemembered) settled.delete(settled.keys().next().value!)
  }

  /** Not counted: an id that somebody remembers from another daemon must not mean another question in this one. */
  function freeId(): string {
    for (;;) {
      const id = Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('')
      if (!waiting.has(id) && !settled.has(id)) return id
    }
  }
}

/** None that is taken for another when it is read or typed. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
