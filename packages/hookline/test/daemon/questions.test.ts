import { describe, expect, it } from 'vitest'
import { openQuestions, type Question, type QuestionChange } from '../../src/daemon/index.ts'

const question: Question = {
  ...{ host: 'codex', cwd: '/work', what: 'npm publish', reason: 'Sure?', hooks: ['sure'], layers: ['user'] },
  call: { tool: 'shell', input: { command: 'npm publish' }, parts: 1 },
}
const yes = { answer: 'yes', by: 'somebody' } as const
const long = { forMs: 60_000 }

describe('a question', () => {
  it('waits for nobody where nobody is attached, nor when the last one leaves', async () => {
    const questions = openQuestions()
    expect(await questions.ask(question, long)).toBeUndefined()
    const leave = [questions.attach(), questions.attach()]
    const asked = questions.ask(question, long)
    const { id } = questions.pending[0]!
    leave[0]!()
    leave[0]!()
    expect([questions.attended, questions.pending.length]).toEqual([true, 1])
    leave[1]!()
    expect(await asked).toBeUndefined()
    expect(questions.answer(id, yes)).toEqual({ ok: false, reason: 'late' })
  })

  it('is answered once; whoever comes after learns that', async () => {
    const questions = openQuestions()
    const changes: QuestionChange[] = []
    questions.onChange((change) => changes.push(change))
    questions.attach()
    const asked = questions.ask(question, long)
    const { id } = questions.pending[0]!
    expect(questions.answer('other', yes)).toEqual({ ok: false, reason: 'unknown' })
    expect(questions.answer(id, yes)).toMatchObject({ ok: true, question: { id, what: 'npm publish' } })
    expect(questions.answer(id, { answer: 'no' })).toEqual({ ok: false, reason: 'answered' })
    expect(await asked).toEqual(yes)
    expect(changes.map(({ kind }) => kind)).toEqual(['asked', 'settled'])
    expect(changes[1]).toMatchObject({ answer: yes })
  })

  it('ends without an answer in time, when its agent goes away, and with the daemon', async () => {
    const questions = openQuestions()
    questions.attach()
    const agent = new AbortController()
    const left = questions.ask(question, { ...long, signal: agent.signal })
    const short = questions.ask(question, { forMs: 1 })
    const last = questions.ask(question, long)
    agent.abort()
    expect([await left, await short]).toEqual([undefined, undefined])
    expect(questions.pending).toHaveLength(1)
    questions.close()
    expect(await last).toBeUndefined()
    expect(await questions.ask(question, long)).toBeUndefined()
  })
})
