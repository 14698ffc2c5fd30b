import { useEffect, useState } from 'preact/hooks'
import { call, get, type Problem } from '../api.ts'
import { useKeys } from '../keys.ts'
import { DecisionPanel } from '../parts/decision.tsx'
import { Failed } from '../parts/failed.tsx'
import { useLoaded } from '../parts/load.ts'
import { useOwnSession } from '../parts/own-session.ts'
import { Prompt } from '../parts/prompt.tsx'
import { sessionsIn } from '../parts/sessions.ts'
import { Timeline } from '../parts/timeline.tsx'
import { Ago, baseName, Empty, Exact, Loading } from '../parts/words.tsx'
import { arrived, countedAgain, fail, go, param, problemOf, sessionsChanged, withParams } from '../state.ts'
import type { Decision, OwnSession } from '../types.ts'
import { SessionTable } from './now.tsx'

/** Every session of the last 30 days; one of them opens as a timeline. */
export function Sessions() {
  return param('open') === '' ? <List /> : <One key={param('open')} id={param('open')} />
}

function List() {
  const [since] = useState(() => new Date(Date.now() - 30 * 86_400_000).toISOString())
  const loaded = useLoaded<{ decisions: Decision[] }>(`/api/decisions?limit=500&since=${since}`, countedAgain.value)
  const own = useLoaded<{ sessions: OwnSession[] }>('/api/sessions', sessionsChanged.value)
  const ours = own.value?.sessions ?? []
  const others = loaded.value && sessionsIn(loaded.value.decisions).filter(({ id }) => !ours.some((each) => each.id === id))
  return (
    <main class="screen" aria-label="Sessions">
      <div class="title">
        <h1>Sessions</h1>
        <NewSession />
      </div>
      {ours.length > 0 && <Own sessions={ours} />}
      {loaded.problem && !others ? (
        <Failed problem={loaded.problem} again={loaded.again} />
      ) : !others ? (
        <Loading />
      ) : others.length > 0 ? (
        <section>
          {ours.length > 0 && <h2>Of other agents on this machine</h2>}
          <SessionTable sessions={others} />
        </section>
      ) : (
        ours.length === 0 && (
          <Empty title="No session yet.">
            <p>Every agent in which Hookline is installed shows up here with its first call. Ours starts above, or with</p>
            <pre>hookline run</pre>
          </Empty>
        )
      )}
    </main>
  )
}

/** Opens a session of an agent that this server runs. */
function NewSession() {
  const agents = useLoaded<{ agents: { name: string; project: string }[] }>('/api/agents')
  const [chosen, setChosen] = useState<string>()
  const all = agents.value?.agents ?? []
  const start = async () => {
    const made = await call<OwnSession>('POST', '/api/sessions', { agent: chosen ?? all[0]?.name ?? 'default' })
    go(`/sessions?open=${encodeURIComponent(made.id)}`)
  }
  return (
    <>
      {all.length > 1 && (
        <select aria-label="Agent" value={chosen ?? all[0]?.name} onChange={(event) => setChosen(event.currentTarget.value)}>
          {all.map(({ name, project }) => (
            <option key={name} value={name}>
              {name} · {baseName(project)}
            </option>
          ))}
        </select>
      )}
      <button type="button" onClick={() => start().catch(fail)}>
        New session
      </button>
    </>
  )
}

const stateWords: Record<OwnSession['state'], { words: string; mood: string }> = {
  idle: { words: 'ready', mood: 'dim' },
  working: { words: 'at work', mood: 'good' },
  waiting: { words: '? waits for you', mood: 'warn' },
}

function Own({ sessions }: { sessions: readonly OwnSession[] }) {
  return (
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">session</th>
          <th scope="col">agent</th>
          <th scope="col">project</th>
          <th scope="col">state</th>
          <th scope="col">turns</th>
          <th scope="col">when</th>
        </tr>
      </thead>
      <tbody>
        {sessions.map(({ id, title, agent, project, state, turns, updated }) => (
          <tr key={id}>
            <td>
              <a href={`/sessions?open=${encodeURIComponent(id)}`}>{title || turns[0]?.prompt.slice(0, 80) || 'a new session'}</a>
            </td>
            <td>{agent}</td>
            <td title={project}>{baseName(project)}</td>
            <td class={`whole ${stateWords[state].mood}`}>{stateWords[state].words}</td>
            <td>{turns.length}</td>
            <td>
              <Ago at={updated} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** So many of a session are shown; older ones are in the journal. */
const mostShown = 500

function One({ id }: { id: string }) {
  const { rows, problem, again } = useTimeline(id)
  const { session, heard, again: look } = useOwnSession(id)
  const decision = param('decision')
  const at = rows?.findIndex((row) => String(row.id) === decision) ?? -1
  const move = (by: number) => {
    const next = rows?.[Math.max(0, Math.min(rows.length - 1, at + by))]
    if (next) go(withParams({ decision: String(next.id) }), { replace: at >= 0 })
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Escape: () => go(decision === '' ? '/sessions' : withParams({ decision: null })),
  })
  const first = rows?.[0]
  return (
    <main class={decision === '' ? 'screen' : 'screen with-panel'} aria-label="Session">
      <div class="list scrolls">
        <div class="title">
          <h1>
            <a href="/sessions">Sessions</a> / {nameOf(id, session, first)}
          </h1>
          {first && (
            <span class="dim">
              <span class="code">{id}</span>, since <Exact at={first.time} shown={new Date(first.time).toLocaleString()} />
            </span>
          )}
          {heard.tokens > 0 && (
            <span class="dim">
              {heard.tokens.toLocaleString()} tokens{heard.cost > 0 && ` · $${heard.cost.toFixed(2)}`}
            </span>
          )}
          <span class="spacer" />
          <a href={`/journal?session=${encodeURIComponent(id)}`}>in the journal</a>
        </div>
        {problem && !rows ? (
          <Failed problem={problem} again={again} />
        ) : !rows ? (
          <Loading />
        ) : session ? (
          <Timeline rows={rows} open={decision} session={session} heard={heard} />
        ) : rows.length === 0 ? (
          <Empty title="Nothing is recorded of this session.">
            <p>It may be older than the journal keeps, or its name is misspelt.</p>
            <a href="/sessions">All sessions</a>
          </Empty>
        ) : (
          <Timeline rows={rows} open={decision} />
        )}
        {session && <Prompt session={session} changed={look} />}
        {rows && rows.length >= mostShown && <p class="dim">The last {mostShown} are shown. The journal has all.</p>}
      </div>
      {decision !== '' && <DecisionPanel id={decision} param="decision" />}
    </main>
  )
}

function nameOf(id: string, session: OwnSession | null | undefined, first: Decision | undefined): string {
  if (session) return `${session.agent} · ${baseName(session.project)}`
  return first ? `${first.host} · ${baseName(first.project)}` : id.slice(0, 12)
}

/** The session from its beginning, and what comes to it while it is looked at. */
function useTimeline(id: string) {
  const [rows, setRows] = useState<Decision[]>()
  const [problem, setProblem] = useState<Problem>()
  const load = () => {
    const path = `/api/decisions?session=${encodeURIComponent(id)}&all=true&limit=${mostShown}`
    get<{ decisions: Decision[] }>(path).then(
      ({ decisions }) => {
        setRows(decisions.toReversed())
        setProblem(undefined)
      },
      (error: unknown) => setProblem(problemOf(error)),
    )
  }
  const mine = arrived.value.filter(({ session }) => session === id).length
  useEffect(load, [id, mine])
  return { rows, problem, again: load }
}
