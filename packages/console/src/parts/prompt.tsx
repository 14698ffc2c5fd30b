import { useState } from 'preact/hooks'
import { call } from '../api.ts'
import { fail, go } from '../state.ts'
import type { OwnSession } from '../types.ts'

/** Where a person talks to a session of this server: a prompt; while it works, something to steer it or to do next. */
export function Prompt({ session, changed }: { session: OwnSession; changed(): void }) {
  const [text, setText] = useState('')
  const at = `/api/sessions/${encodeURIComponent(session.id)}`
  const works = session.state !== 'idle'
  const send = async (way: 'prompt' | 'steer' | 'follow-up') => {
    if (text.trim() === '') return
    if (/^\/hooks\b/.test(text.trim())) return go(`/rules?project=${encodeURIComponent(session.project)}`)
    try {
      await call('POST', `${at}/${way}`, { text })
      // What could not be sent stays.
      setText('')
      changed()
    } catch (error) {
      fail(error)
    }
  }
  const usual = works ? 'steer' : 'prompt'
  return (
    <form
      class="prompt"
      onSubmit={(event) => {
        event.preventDefault()
        void send(usual)
      }}
    >
      {session.asks.map((ask) => (
        <Ask key={ask.id} ask={ask} answer={(words) => call('POST', `${at}/answer`, { id: ask.id, text: words }).then(changed, fail)} />
      ))}
      <textarea
        aria-label={works ? 'Steer it while it works' : 'Prompt'}
        placeholder={works ? 'Steer it while it works, or say what to do next' : 'What should the agent do? /hooks shows its hooks'}
        rows={2}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          void send(usual)
        }}
      />
      <div class="buttons">
        <button type="submit" class="main" disabled={text.trim() === ''}>
          {works ? 'Steer' : 'Send'}
        </button>
        {works && (
          <>
            <button type="button" disabled={text.trim() === ''} onClick={() => void send('follow-up')}>
              Do it next
            </button>
            <button type="button" class="no" onClick={() => call('POST', `${at}/cancel`).then(changed, fail)}>
              Stop
            </button>
          </>
        )}
        <span class="spacer" />
        <More session={session} />
      </div>
    </form>
  )
}

function Ask({ ask, answer }: { ask: OwnSession['asks'][number]; answer(text: string): void }) {
  const [text, setText] = useState('')
  return (
    <fieldset>
      <legend>
        <span class="asked">?</span> {ask.question}
      </legend>
      <div class="buttons">
        {ask.options.map((option) => (
          <button key={option} type="button" onClick={() => answer(option)}>
            {option}
          </button>
        ))}
        <input aria-label={`Answer: ${ask.question}`} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <button type="button" disabled={text.trim() === ''} onClick={() => answer(text)}>
          Answer
        </button>
      </div>
    </fieldset>
  )
}

function More({ session }: { session: OwnSession }) {
  const [isSure, setSure] = useState(false)
  const at = `/api/sessions/${encodeURIComponent(session.id)}`
  const fork = async (prompts?: number) => {
    const made = await call<OwnSession>('POST', `${at}/fork`, prompts === undefined ? {} : { prompts })
    go(`/sessions?open=${encodeURIComponent(made.id)}`)
  }
  const prompts = session.turns.length
  return (
    <>
      {prompts > 0 && (
        <button type="button" onClick={() => fork(prompts - 1).catch(fail)} title="A copy of this session without its last turn. Files stay as they are.">
          Undo the last turn
        </button>
      )}
      <button type="button" onClick={() => fork().catch(fail)} title="A copy of this session that goes on by itself">
        Fork
      </button>
      <a href={`${at}/export`} download={`${session.id}.md`}>
        Export
      </a>
      <button
        type="button"
        class="no"
        onClick={() => {
          if (!isSure) return setSure(true)
          call('DELETE', at).then(() => go('/sessions'), fail)
        }}
      >
        {isSure ? 'Really delete it' : 'Delete'}
      </button>
    </>
  )
}
