import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { get } from '../api.ts'
import { fail, now } from '../state.ts'
import type { Answer, Answered, Question } from '../types.ts'
import { Change } from './change.tsx'
import { baseName, Exact, lasting } from './words.tsx'

/** Forms that a question can open: the rule before it is written, the reason before it is sent. */
export type Form = 'always' | 'no'

interface Props {
  question: Question
  isChosen: boolean
  isPicked: boolean
  isBusy: boolean
  form: Form | undefined
  open(form: Form | undefined): void
  give(answer: Answer, because?: string): Promise<void>
  choose(): void
  pick(): void
}

/** One question: who asks, what it is about, what is at stake, how long it waits; and what each answer leads to. */
export function QuestionCard(props: Props) {
  const { question, isChosen, isPicked, isBusy, form, open, give, choose, pick } = props
  const card = useRef<HTMLLIElement>(null)
  useLayoutEffect(() => {
    if (isChosen) card.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j and k do the same
    <li
      ref={card}
      class={isChosen ? 'question chosen' : 'question'}
      aria-current={isChosen}
      aria-label={`${question.host}: ${question.what}`}
      onClick={choose}
    >
      <div class="head">
        <input type="checkbox" checked={isPicked} onChange={pick} aria-label={`Select ${question.what}`} title="Select (x)" />
        <span class="sign asked" role="img" aria-label="asks">
          ?
        </span>
        <strong>{question.host}</strong>
        <span title={question.cwd}>{baseName(question.cwd)}</span>
        {question.session !== null && (
          <a href={`/sessions?open=${encodeURIComponent(question.session)}`} class="dim">
            session
          </a>
        )}
        <Seen question={question} />
        <span class="spacer" />
        <Countdown question={question} />
      </div>
      <pre class="command">{question.what}</pre>
      <p>{question.details['reason'] ?? question.reason}</p>
      <Details question={question} />
      <Edit input={question.input} />
      <p class="dim">asked by {question.hooks.join(', ')}</p>
      <Answers isBusy={isBusy} open={open} give={give} />
      {form === 'always' && <Always question={question} close={() => open(undefined)} save={() => give('always')} />}
      {form === 'no' && <No close={() => open(undefined)} refuse={(because) => give('no', because)} />}
    </li>
  )
}

/** How often the same was decided about before: what one knows needs less thought. */
function Seen({ question: { seen, what } }: { question: Question }) {
  if (seen === 0) return <span class="dim">never seen before</span>
  return (
    <a class="dim" href={`/journal?text=${encodeURIComponent(what)}`}>
      seen {seen === 1 ? 'once' : `${seen.toLocaleString()}${seen >= 1_000 ? ' or more' : ''} times`}
    </a>
  )
}

function Countdown({ question: { asked, expires } }: { question: Question }) {
  const [start, end] = [Date.parse(asked), Date.parse(expires)]
  const left = Math.max(0, end - now.value)
  const urgency = left < 10_000 ? 'bad' : left < 30_000 ? 'warn' : 'dim'
  return (
    <span class={`countdown ${urgency}`}>
      <Exact at={expires} shown={left === 0 ? 'time is up' : `refused in ${lasting(left)}`} />
      <progress max={end - start} value={left} aria-label="Time left to answer" />
    </span>
  )
}

function Details({ question }: { question: Question }) {
  const details = Object.entries(question.details).filter(([name, text]) => name !== 'reason' && !question.reason.includes(text))
  if (details.length === 0) return null
  return (
    <dl>
      {details.map(([name, text]) => (
        <>
          <dt>{name.replaceAll('_', ' ')}</dt>
          <dd>{text}</dd>
        </>
      ))}
    </dl>
  )
}

/** What a file would become, where the call says it. */
function Edit({ input }: { input: Record<string, unknown> }) {
  const edits = Array.isArray(input['edits']) ? (input['edits'] as Record<string, unknown>[]) : [input]
  const pairs = edits.flatMap((edit) => {
    const [before, after] = [edit?.['old_string'] ?? edit?.['old_text'], edit?.['new_string'] ?? edit?.['new_text'] ?? edit?.['content']]
    return typeof after === 'string' ? [{ before: typeof before === 'string' ? before : '', after }] : []
  })
  if (pairs.length === 0) return null
  return (
    <details open>
      <summary>The change</summary>
      {pairs.map(({ before, after }, at) => (
        <Change key={at} before={before} after={after} />
      ))}
    </details>
  )
}

function Answers({ isBusy, open, give }: Pick<Props, 'isBusy' | 'open' | 'give'>) {
  return (
    <div class="answers">
      <button type="button" disabled={isBusy} onClick={() => void give('yes')}>
        Once <kbd>y</kbd>
      </button>
      <p class="dim">This call runs. The next one asks again.</p>
      <button type="button" disabled={isBusy} onClick={() => void give('session')}>
        This session <kbd>s</kbd>
      </button>
      <p class="dim">The same call runs without asking until this session ends.</p>
      <button type="button" disabled={isBusy} onClick={() => open('always')}>
        Always… <kbd>a</kbd>
      </button>
      <p class="dim">Adds a rule to your config. You see it first.</p>
      <button type="button" class="no" disabled={isBusy} onClick={() => open('no')}>
        No… <kbd>n</kbd>
      </button>
      <p class="dim">Nothing runs. The agent reads your reason.</p>
    </div>
  )
}

/** The rule, before it is written. */
function Always({ question, close, save }: { question: Question; close(): void; save(): Promise<void> }) {
  const [lasts, setLasts] = useState<Answered<'lastingRule'>>()
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    get<Answered<'lastingRule'>>(`/api/questions/${question.id}/always`).then(setLasts, (error) => {
      fail(error)
      close()
    })
  }, [question.id])
  useLayoutEffect(() => button.current?.focus(), [lasts])
  if (!lasts) return <p class="form dim">Looking for the rule…</p>
  if (lasts.impossible !== null)
    return (
      <div class="form">
        <p>No rule can answer this: {lasts.impossible} Answer once, for the session, or no.</p>
        <div class="buttons">
          <button type="button" ref={button} onClick={close}>
            Close
          </button>
        </div>
      </div>
    )
  return (
    <div class="form">
      <p>
        Adds to <span class="path">{lasts.file}</span>:
      </p>
      <pre>{lasts.rule}</pre>
      <p class="dim">From then on, every agent under this config runs it without asking. Remove it in Rules.</p>
      <div class="buttons">
        <button type="button" ref={button} onClick={close}>
          Cancel
        </button>
        <button type="button" class="main" onClick={() => void save()}>
          Add this rule
        </button>
      </div>
    </div>
  )
}

export function No({ close, refuse }: { close(): void; refuse(because: string): Promise<void> }) {
  const [because, setBecause] = useState('')
  const field = useRef<HTMLInputElement>(null)
  // Not `autofocus`, which browsers honour once in a page: what is typed next is a reason, and must not act as keys.
  useLayoutEffect(() => field.current?.focus(), [])
  const submit = (event: Event) => {
    event.preventDefault()
    void refuse(because)
  }
  return (
    <form class="form" onSubmit={submit}>
      <label>
        Why not? The agent reads it.
        <input
          ref={field}
          value={because}
          maxLength={2_000}
          onInput={(event) => setBecause(event.currentTarget.value)}
          placeholder="Use a branch."
        />
      </label>
      <div class="buttons">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="no main">
          Refuse
        </button>
      </div>
    </form>
  )
}
