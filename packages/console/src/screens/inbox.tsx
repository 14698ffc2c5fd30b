import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { call, get, type Problem } from '../api.ts'
import { useKeys } from '../keys.ts'
import { Failed } from '../parts/failed.tsx'
import { asPerson } from '../parts/proof.tsx'
import { type Form, No, QuestionCard } from '../parts/question.tsx'
import { baseName, Empty, lasting, Loading, Time } from '../parts/words.tsx'
import { connected, fail, loadQuestions, problemOf, questions, settledCount, tell } from '../state.ts'
import type { Answer, Answered, PastQuestion, Question } from '../types.ts'

type Page = Answered<'answeredQuestions'>

const words: Record<Answer, string> = { yes: 'once', session: 'for the session', always: 'always', no: 'no' }

/** For so long after questions have moved, nothing answers: a key or click may be meant for what stood there before. */
const calmMs = 700

/** What waits, with everything that helps to decide; and below, what was decided. Answers go to a question by its id, never by its place. */
export function Inbox() {
  const all = questions.value
  const [chosen, setChosen] = useState<string>()
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set())
  const [form, setForm] = useState<{ id: string; kind: Form }>()
  const isCalm = useCalm(all.map(({ id }) => id))
  const current = all.find(({ id }) => id === chosen) ?? all[0]
  // Whatever is shown as chosen stays chosen when others come.
  useLayoutEffect(() => setChosen(current?.id), [current?.id])
  const several = all.filter(({ id }) => picked.has(id))
  const bulk = several.length > 0 ? several : undefined

  const give = async (to: readonly Question[], answer: Answer, because = ''): Promise<void> => {
    const meant = to.filter(({ id }) => !busy.has(id))
    if (meant.length === 0) return
    if (!isCalm()) return tell('The list has just changed. Look again, then answer.')
    setBusy((known) => new Set([...known, ...meant.map(({ id }) => id)]))
    const isDone = await answerAll(meant, answer, because)
    setBusy((known) => new Set([...known].filter((id) => !meant.some((each) => each.id === id))))
    if (!isDone) return
    setForm(undefined)
    setPicked(new Set())
  }
  const onCurrent = (work: (question: Question) => void) => () => current && work(current)
  const move = (by: number) => {
    const at = all.findIndex(({ id }) => id === current?.id) + by
    setChosen(all[Math.max(0, Math.min(all.length - 1, at))]?.id)
  }
  const toggle = (id: string) => setPicked((known) => new Set(known.has(id) ? [...known].filter((each) => each !== id) : [...known, id]))
  const close = () => {
    if (form) setForm(undefined)
    else setPicked(new Set())
  }
  // With a form open, letters belong to it alone.
  useKeys(
    form
      ? { Escape: close }
      : {
          j: () => move(1),
          k: () => move(-1),
          ArrowDown: () => move(1),
          ArrowUp: () => move(-1),
          x: onCurrent(({ id }) => toggle(id)),
          y: onCurrent((question) => void give(bulk ?? [question], 'yes')),
          s: onCurrent((question) => void give(bulk ?? [question], 'session')),
          a: onCurrent(({ id }) => setForm({ id, kind: 'always' })),
          n: onCurrent(({ id }) => setForm({ id: bulk ? 'bulk' : id, kind: 'no' })),
          Escape: close,
        },
  )
  return (
    <main class="screen" aria-label="Inbox">
      <div class="title">
        <h1>Inbox</h1>
        {all.length > 1 && (
          <Bulk
            all={all}
            several={several}
            pick={(ids) => setPicked(new Set(ids))}
            give={(answer) => void give(several, answer)}
            refuse={() => setForm({ id: 'bulk', kind: 'no' })}
          />
        )}
      </div>
      {form?.id === 'bulk' && bulk && (
        <No close={() => setForm(undefined)} refuse={(because) => give(bulk, 'no', because)} />
      )}
      {all.length === 0 ? (
        <NothingWaits />
      ) : (
        <ul class="questions" aria-label="Questions" aria-busy={!isCalm()}>
          {all.map((question) => (
            <QuestionCard
              key={question.id}
              question={question}
              isChosen={question === current}
              isPicked={picked.has(question.id)}
              isBusy={busy.has(question.id)}
              form={form?.id === question.id ? form.kind : undefined}
              open={(kind) => setForm(kind && { id: question.id, kind })}
              give={(answer, because) => give([question], answer, because)}
              choose={() => setChosen(question.id)}
              pick={() => toggle(question.id)}
            />
          ))}
        </ul>
      )}
      <History />
    </main>
  )
}

/** False for a moment after a question has taken the place of another. What is added below moves nothing. */
function useCalm(ids: readonly string[]): () => boolean {
  const known = useRef<readonly string[]>([])
  const until = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [, render] = useState(0)
  useLayoutEffect(() => {
    const before = known.current
    known.current = ids
    if (ids.length === 0 || (before.length > 0 && before.every((id, at) => ids[at] === id))) return
    until.current = performance.now() + calmMs
    clearTimeout(timer.current)
    timer.current = setTimeout(() => render((count) => count + 1), calmMs + 10)
    render((count) => count + 1)
  }, [ids.join()])
  useEffect(() => () => clearTimeout(timer.current), [])
  return () => performance.now() >= until.current
}

/** One after the other; the first that fails ends it, and what is wrong is shown. */
async function answerAll(to: readonly Question[], answer: Answer, because: string): Promise<boolean> {
  const body = { answer, ...(because !== '' && { because }) }
  const rules: string[] = []
  for (const { id } of to) {
    const done = await asPerson(() => call<{ rule: string | null }>('POST', `/api/questions/${id}/answer`, body))
    if (!done) {
      await loadQuestions().catch(fail)
      return false
    }
    if (done.rule !== null) rules.push(done.rule)
    questions.value = questions.value.filter((each) => each.id !== id)
  }
  const what = to.length === 1 ? to[0]!.what : `${to.length} questions`
  tell(`${answer === 'no' ? 'No' : `Yes, ${words[answer]}`}: ${what}${rules.length > 0 ? ` (rule ${rules.join(', ')} added)` : ''}`)
  await loadQuestions().catch(fail)
  return true
}

interface BulkProps {
  all: readonly Question[]
  several: readonly Question[]
  pick(ids: readonly string[]): void
  give(answer: Answer): void
  refuse(): void
}

/** One answer for several. No rule is written for several at once: each is read first. */
function Bulk({ all, several, pick, give, refuse }: BulkProps) {
  const sessions = [...new Set(all.map(({ session }) => session))].filter((each) => each !== null)
  const ofSession = (session: string) => all.filter((each) => each.session === session).map(({ id }) => id)
  return (
    <div class="bulk" role="toolbar" aria-label="Several questions">
      {several.length === 0 ? (
        <>
          <button type="button" onClick={() => pick(all.map(({ id }) => id))}>
            Select all {all.length}
          </button>
          {sessions.length > 1 &&
            sessions.map((session) => (
              <button key={session} type="button" onClick={() => pick(ofSession(session))}>
                {ofSession(session).length} of session {session.slice(0, 8)}
              </button>
            ))}
        </>
      ) : (
        <>
          <strong>{several.length} selected</strong>
          <button type="button" onClick={() => give('yes')}>
            Once
          </button>
          <button type="button" onClick={() => give('session')}>
            This session
          </button>
          <button type="button" class="no" onClick={refuse}>
            No…
          </button>
          <button type="button" class="quiet" onClick={() => pick([])}>
            Clear
          </button>
        </>
      )}
    </div>
  )
}

function NothingWaits() {
  return (
    <Empty title="Nothing waits for you.">
      <p>Where an agent cannot ask you itself, its questions wait here while this page is open. Make a rule that asks:</p>
      <pre>hookline ask "npm publish"</pre>
      {!connected.value && (
        <>
          <p>No agent has called yet. Install Hookline in those that you use:</p>
          <pre>hookline install --all</pre>
        </>
      )}
    </Empty>
  )
}

function History() {
  const [page, setPage] = useState<Page>()
  const [problem, setProblem] = useState<Problem>()
  const load = () => {
    setProblem(undefined)
    get<Page>('/api/questions/history').then(setPage, (error) => setProblem(problemOf(error)))
  }
  useEffect(load, [settledCount.value])
  if (problem) return <Failed problem={problem} again={load} />
  if (!page) return <Loading rows={3} />
  if (page.questions.length === 0) return null
  const more = async () => {
    const older = await get<Page>(`/api/questions/history?before=${page.next}`)
    setPage({ ...older, questions: [...page.questions, ...older.questions] })
  }
  return (
    <section>
      <h2>Answered</h2>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">answer</th>
            <th scope="col">agent</th>
            <th scope="col">project</th>
            <th scope="col">what</th>
            <th scope="col">after</th>
            <th scope="col">when</th>
          </tr>
        </thead>
        <tbody>
          {page.questions.map((each) => (
            <Answered key={each.id} question={each} />
          ))}
        </tbody>
      </table>
      {page.next !== null && (
        <button type="button" onClick={() => more().catch(fail)}>
          Show older
        </button>
      )}
    </section>
  )
}

function Answered({ question }: { question: PastQuestion }) {
  const { answer, because, by, rule, host, cwd, what, asked, settled } = question
  const isNo = answer === null || answer === 'no'
  return (
    <tr>
      <td>
        <span class={`sign ${isNo ? 'blocked' : 'allowed'}`} aria-hidden="true">
          {isNo ? '✗' : '✓'}
        </span>{' '}
        {answer === null ? 'nobody answered: refused' : words[answer]}
        {because !== null && <span class="dim">: “{because}”</span>}
        {by !== null && <span class="dim"> · {by.replace(/ at .*$/, '')}</span>}
        {rule !== null && (
          <>
            {' '}
            · <a href={`/journal?rule=${encodeURIComponent(rule)}`}>rule {rule}</a>
          </>
        )}
      </td>
      <td>{host}</td>
      <td title={cwd}>{baseName(cwd)}</td>
      <td class="code">{what}</td>
      <td>{lasting(Date.parse(settled) - Date.parse(asked))}</td>
      <td>
        <Time at={settled} />
      </td>
    </tr>
  )
}
