import { useEffect, useState } from 'preact/hooks'
import { call, get } from '../api.ts'
import { Failed } from '../parts/failed.tsx'
import { useLoaded } from '../parts/load.ts'
import { type Session, sessionsIn } from '../parts/sessions.ts'
import { Ago, baseName, Empty, lasting, Loading, Sign } from '../parts/words.tsx'
import { countedAgain, fail, now, param, questions, rulesChanged, stats, waiting } from '../state.ts'
import type { Decision } from '../types.ts'

const dayMs = 86_400_000
/** Whoever has called within this time is at work. */
const activeMs = 120_000

/** What is going on: who works, what waits, and the two figures that should be zero. */
export function Now() {
  const [since] = useState(() => new Date(Date.now() - dayMs).toISOString())
  const decisions = useLoaded<{ decisions: Decision[] }>(`/api/decisions?limit=500&since=${since}`, countedAgain.value)
  const journal = useLoaded<{ broken: { seq: number; detail: string } | null; error: string | null }>('/api/journal', countedAgain.value)
  const sessions = decisions.value && sessionsIn(decisions.value.decisions)
  return (
    <main class="screen" aria-label="Now">
      <h1>Now</h1>
      <Headlines sessions={sessions ?? []} broken={journal.value?.broken ?? null} />
      {journal.value?.error && <p class="bad">✗ The journal cannot be read: {journal.value.error}</p>}
      <SwitchedOff />
      <Waiting />
      {decisions.problem && !sessions ? (
        <Failed problem={decisions.problem} again={decisions.again} />
      ) : !sessions ? (
        <Loading />
      ) : sessions.length === 0 ? (
        <Empty title="No agent has called in the last day.">
          <p>Install Hookline in the agents of this machine; from their next call on, they are here.</p>
          <pre>hookline install --all</pre>
        </Empty>
      ) : (
        <Sessions sessions={sessions} />
      )}
    </main>
  )
}

interface Figure {
  name: string
  value: number | string
  mood: string
  href: string
  means: string
}

function Headlines({ sessions, broken }: { sessions: readonly Session[]; broken: { seq: number } | null }) {
  const unapproved = useUnapproved(sessions)
  const failed = stats.value?.failed_open
  const working = sessions.filter(({ last }) => now.value - Date.parse(last.time) < activeMs).length
  const zeroIsGood = (count: number | undefined, mood = 'bad') => (count === undefined ? '' : count > 0 ? mood : 'good')
  const figures: readonly Figure[] = [
    {
      ...{ name: 'failed open', value: failed ?? '–', mood: zeroIsGood(failed), href: '/journal?mark=failed' },
      means: 'Guards that failed and stopped nothing, in the last day. 0 is good.',
    },
    {
      ...{ name: 'unapproved', value: unapproved ?? '–', mood: zeroIsGood(unapproved, 'warn'), href: '/rules' },
      means: 'Hooks that do not run until you approve them, in the projects of the last day. 0 is good.',
    },
    {
      ...{ name: 'waiting', value: waiting.value, mood: zeroIsGood(waiting.value, 'warn'), href: '/inbox' },
      means: 'Questions that wait for your answer.',
    },
    {
      ...{ name: 'record', value: broken ? `broken at ${broken.seq}` : 'intact', mood: broken ? 'bad' : 'good', href: '/journal' },
      means: 'Whether every line of the journal is as it was written, as far as it was read.',
    },
    { name: 'at work', value: working, mood: '', href: '/sessions', means: 'Sessions that have called within two minutes.' },
  ]
  return (
    <dl class="figures headlines">
      {figures.map(({ name, value, mood, href, means }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <a href={href} class={mood} title={means}>
              {value}
            </a>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** While hooks are switched off nothing else here means what it seems to. */
function SwitchedOff() {
  const { value } = useLoaded<{ on: boolean; note: string | null }>('/api/hooks/switch', rulesChanged.value)
  if (value?.on !== false) return null
  return (
    <p class="bad" role="alert">
      ✗ {value.note ?? 'Hooks are switched off: no rule holds.'}{' '}
      <button type="button" onClick={() => call('POST', '/api/hooks/switch', { on: true }).catch(fail)}>
        Switch them on
      </button>
    </p>
  )
}

/** In the project of the server and in those that were worked in today; more would take long to read. */
const mostProjects = 8

function useUnapproved(sessions: readonly Session[]): number | undefined {
  const [count, setCount] = useState<number>()
  const projects = [...new Set(sessions.flatMap(({ last }) => last.project ?? []))].slice(0, mostProjects)
  useEffect(() => {
    let isLeft = false
    const read = async () => {
      const waits = new Set<string>()
      for (const project of [undefined, ...projects]) {
        const query = project === undefined ? '' : `?project=${encodeURIComponent(project)}`
        // A project that is gone, or a config that cannot be read, is the business of Rules.
        const found = await get<{ hooks: { id: string; file: string | null; waits: boolean }[] }>(`/api/hooks${query}`).catch(() => undefined)
        for (const { id, file, waits: isWaiting } of found?.hooks ?? []) if (isWaiting) waits.add(`${file} ${id}`)
      }
      if (!isLeft) setCount(waits.size)
    }
    void read()
    return () => {
      isLeft = true
    }
  }, [projects.join('\n'), rulesChanged.value])
  return count
}

function Waiting() {
  if (questions.value.length === 0) return null
  return (
    <section>
      <h2>Waiting for you</h2>
      <table class="rows">
        <tbody>
          {questions.value.map(({ id, host, cwd, what, expires }) => (
            <tr key={id}>
              <td>
                <span class="sign asked" role="img" aria-label="asks">
                  ?
                </span>{' '}
                {host}
              </td>
              <td title={cwd}>{baseName(cwd)}</td>
              <td class="code">
                <a href="/inbox">{what}</a>
              </td>
              <td class="whole">{lasting(Date.parse(expires) - now.value)} left</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Sessions({ sessions }: { sessions: readonly Session[] }) {
  return (
    <section>
      <h2>Agents and their sessions, the last day</h2>
      <SessionTable sessions={sessions} />
    </section>
  )
}

/** One line for each session: who, where, what it did last. */
export function SessionTable({ sessions }: { sessions: readonly Session[] }) {
  const open = param('open')
  return (
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">agent</th>
          <th scope="col">project</th>
          <th scope="col">state</th>
          <th scope="col">last</th>
          <th scope="col">calls</th>
          <th scope="col">blocked</th>
          <th scope="col">asked</th>
          <th scope="col">when</th>
        </tr>
      </thead>
      <tbody>
        {sessions.map(({ key, id, last, count, blocked, asked }) => (
          <tr key={key} class={id !== null && id === open ? 'chosen' : ''}>
            <td>
              {id === null ? last.host : <a href={`/sessions?open=${encodeURIComponent(id)}`}>{last.host}</a>}
            </td>
            <td title={last.project ?? ''}>{baseName(last.project)}</td>
            <td>{stateOf(id, last)}</td>
            <td class="code">
              <Sign mark={last.mark} /> {last.subject}
            </td>
            <td>{count.toLocaleString()}</td>
            <td class={blocked > 0 ? 'bad' : 'dim'}>{blocked}</td>
            <td class={asked > 0 ? 'warn' : 'dim'}>{asked}</td>
            <td>
              <Ago at={last.time} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function stateOf(session: string | null, last: Decision) {
  if (session !== null && questions.value.some((each) => each.session === session)) return <span class="warn whole">? waits for you</span>
  return now.value - Date.parse(last.time) < activeMs ? <span class="good whole">at work</span> : <span class="dim">quiet</span>
}
