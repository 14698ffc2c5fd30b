import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { call, get, type Problem } from '../api.ts'
import { Failed } from '../parts/failed.tsx'
import { ProjectChoice, projectNow } from '../parts/project.tsx'
import { asPerson } from '../parts/proof.tsx'
import { type Explanation, Explained } from '../parts/explained.tsx'
import { Empty, Loading } from '../parts/words.tsx'
import { fail, go, param, problemOf, tell, withParams } from '../state.ts'

interface Given {
  tool?: string
  command?: string
  input?: unknown
  event?: string
  prompt?: string
  payload?: unknown
}

/** Ways to say what happens; the first is what most people want. */
const ways = { command: 'a command', tool: 'a call of a tool', event: 'any event' } as const
type Way = keyof typeof ways

interface Names {
  events: string[]
  tools: string[]
}

/** An event in; out comes what it would do, every test of every matcher, and how the verdict comes about. */
export function Try() {
  const way = (Object.hasOwn(ways, param('way')) ? param('way') : 'command') as Way
  const [name, setName] = useState(param('name') || (way === 'tool' ? 'write_file' : 'user_prompt_submit'))
  const [text, setText] = useState(param('what'))
  const [found, setFound] = useState<{ explanation: Explanation; given: Given }>()
  const [problem, setProblem] = useState<Problem>()
  const [isBusy, setBusy] = useState(false)
  const names = useNames()
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => field.current?.focus(), [way])
  const tryIt = async (run = false) => {
    const given = givenFrom(way, name, text)
    if (typeof given === 'string') return setProblem({ title: given, remedy: 'Correct it, and try again.', status: 0, code: '' })
    go(withParams({ what: text, name: way === 'command' ? null : name }), { replace: true })
    setBusy(true)
    const ask = () => call<Explanation>('POST', '/api/explain', { project: projectNow(), given, ...(run && { run }) })
    try {
      const explanation = run ? await asPerson(ask) : await ask()
      if (explanation) setFound({ explanation, given })
      setProblem(undefined)
    } catch (error) {
      setProblem(problemOf(error))
    }
    setBusy(false)
  }
  // A link to what somebody tried shows what came of it.
  useEffect(() => {
    if (param('what') !== '') void tryIt()
  }, [param('project')])
  const submit = (event: Event) => {
    event.preventDefault()
    void tryIt()
  }
  return (
    <main class="screen" aria-label="Try">
      <div class="title">
        <h1>Try</h1>
        <ProjectChoice />
        <div role="tablist" aria-label="What to try" class="tabs">
          {(Object.keys(ways) as Way[]).map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              aria-selected={each === way}
              onClick={() => {
                setText('')
                setFound(undefined)
                setName(each === 'tool' ? 'write_file' : 'user_prompt_submit')
                go(withParams({ way: each === 'command' ? null : each, what: null, name: null }))
              }}
            >
              {ways[each]}
            </button>
          ))}
        </div>
      </div>
      <form class="try" onSubmit={submit}>
        {way !== 'command' && (
          <label>
            {way === 'tool' ? 'Tool' : 'Event'}
            <input value={name} list="try-names" onInput={(event) => setName(event.currentTarget.value)} />
            <datalist id="try-names">
              {(way === 'tool' ? names?.tools : names?.events)?.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          </label>
        )}
        <label>
          {way === 'command' ? 'Command' : way === 'tool' ? 'Its arguments, as JSON' : 'Its payload, as JSON'}
          <textarea
            ref={field}
            class="code"
            rows={way === 'command' ? 2 : 5}
            spellcheck={false}
            value={text}
            placeholder={placeholders[way]}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              const isSent = event.key === 'Enter' && (event.ctrlKey || event.metaKey || (way === 'command' && !event.shiftKey))
              if (isSent) submit(event)
            }}
          />
        </label>
        <div class="buttons">
          <button type="submit" class="main" disabled={isBusy || (way !== 'event' && text.trim() === '')}>
            {isBusy ? 'Trying…' : 'Try it'}
          </button>
          <span class="dim">{way === 'command' ? 'Enter' : 'Ctrl+Enter'} · rules and built-in guards decide; nothing else runs</span>
        </div>
      </form>
      <div aria-live="polite">
        {problem ? (
          <Failed problem={problem} again={() => void tryIt()} />
        ) : found ? (
          <>
            <Explained explanation={found.explanation} run={() => void tryIt(true)} />
            <SaveCase key={JSON.stringify(found.given)} {...found} />
          </>
        ) : isBusy ? (
          <Loading />
        ) : (
          <NothingTried />
        )}
      </div>
    </main>
  )
}

const placeholders: Record<Way, string> = {
  command: 'git push --force origin main',
  tool: '{ "path": "infra/main.tf", "content": "" }',
  event: '{ "prompt": "Deploy it" }',
}

function useNames(): Names | undefined {
  const [names, setNames] = useState<Names>()
  useEffect(() => {
    get<Names>('/api/vocabulary').then(setNames, fail)
  }, [])
  return names
}

/** As a test case has it; a text: what is wrong with it. */
function givenFrom(way: Way, name: string, text: string): Given | string {
  if (way === 'command') return { tool: 'shell', command: text }
  let value: unknown = {}
  try {
    if (text.trim() !== '') value = JSON.parse(text)
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}.`
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'This is not one JSON object.'
  return way === 'tool' ? { tool: name, input: value } : { event: name, payload: value }
}

function NothingTried() {
  return (
    <Empty title="What would happen?">
      <p>Type a command as an agent would run it. You see what it does, every rule and matcher, and how the verdict comes about. In a terminal:</p>
      <pre>hookline explain "git push --force origin main"</pre>
    </Empty>
  )
}

/** What was seen becomes a case, so that it stays so. */
function SaveCase({ explanation, given }: { explanation: Explanation; given: Given }) {
  const decision = explanation.decision?.ruling ?? 'none'
  const about = given.command ?? given.tool ?? given.event ?? 'the event'
  const [name, setName] = useState(`${about}: ${decision === 'none' ? 'nothing against it' : decision}`.slice(0, 200))
  const rule = explanation.rules.find(({ match }) => match === 'decides')?.id
  const expected = { decision, ...(rule !== undefined && { rule }) }
  const save = async (event: Event) => {
    event.preventDefault()
    const body = { project: explanation.project, name, given, expect: expected }
    const saved = await asPerson(() => call<{ file: string; name: string }>('POST', '/api/cases', body))
    if (saved) tell(`“${saved.name}” is in ${saved.file}. hookline test runs it.`)
  }
  return (
    <form class="save-case" onSubmit={save}>
      <h2>Keep it so</h2>
      <p class="dim">
        Saved as a test case, it fails in <span class="code">hookline test</span> as soon as the decision is no longer{' '}
        <strong>{decision}</strong>
        {rule !== undefined && (
          <>
            {' '}
            by <strong>{rule}</strong>
          </>
        )}
        .
      </p>
      <label>
        Name
        <input value={name} maxLength={200} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <div class="buttons">
        <button type="submit" disabled={name.trim() === ''}>
          Save as a test case
        </button>
      </div>
    </form>
  )
}
