import { useEffect, useState } from 'preact/hooks'
import { call, get, type Problem } from '../api.ts'
import { useKeys } from '../keys.ts'
import { DecisionPanel } from '../parts/decision.tsx'
import { Failed } from '../parts/failed.tsx'
import { useLoaded } from '../parts/load.ts'
import { ProjectChoice, projectNow } from '../parts/project.tsx'
import { baseName, Empty, Loading, Time } from '../parts/words.tsx'
import { Wrong } from '../parts/wrong.tsx'
import { fail, go, param, problemOf, withParams } from '../state.ts'
import type { Answered } from '../types.ts'

type Job = Answered<'showReplay'>
type Change = NonNullable<Job['result']>['changes'][number]
type Config = Answered<'listConfigs'>['files'][number]

const spans: Readonly<Record<string, { words: string; ms: number }>> = {
  day: { words: 'the last day', ms: 86_400_000 },
  week: { words: 'the last 7 days', ms: 7 * 86_400_000 },
  month: { words: 'the last 30 days', ms: 30 * 86_400_000 },
  all: { words: 'everything kept', ms: Number.POSITIVE_INFINITY },
}

/** What becomes of a call, in the words of a heading. */
export const kinds: Readonly<Record<string, { words: string; sign: string; mark: string }>> = {
  blocked: { words: 'newly blocked', sign: '✗', mark: 'blocked' },
  asked: { words: 'newly asked about', sign: '?', mark: 'asked' },
  allowed: { words: 'newly allowed', sign: '✓', mark: 'allowed' },
  unruled: { words: 'left to the agent', sign: '·', mark: 'quiet' },
  rewritten: { words: 'rewritten otherwise', sign: '~', mark: 'rewritten' },
}

/** The config as it is against a candidate, on what has happened: what stays, and what would be decided otherwise. */
export function Replay() {
  const project = projectNow()
  const configs = useLoaded<{ files: Config[] }>(`/api/configs?project=${encodeURIComponent(project)}`)
  const [file, setFile] = useState<string>()
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [span, setSpan] = useState('week')
  const [problem, setProblem] = useState<Problem>()
  const job = useJob(param('job'))
  const chosen = configs.value?.files.find((each) => each.file === file) ?? configs.value?.files[0]
  const text = chosen && (texts[chosen.file] ?? chosen.text)
  const isChanged = chosen !== undefined && text !== chosen.text
  const isPolicy = chosen?.group !== undefined
  const open = param('open')
  useKeys({ Escape: () => go(withParams({ open: null })) })
  const start = async () => {
    const { ms } = spans[span]!
    const body = {
      ...(Number.isFinite(ms) && { since: new Date(Date.now() - ms).toISOString() }),
      ...(isPolicy
        ? { policy: { text, ...(chosen.group !== 'default' && { group: chosen.group }) } }
        : { project, ...(isChanged && { candidate: { file: chosen.file, text } }) }),
    }
    try {
      const started = await call<Job>('POST', '/api/replays', body)
      setProblem(undefined)
      go(withParams({ job: started.id, open: null }))
    } catch (error) {
      setProblem(problemOf(error))
    }
  }
  return (
    <main class={open === '' ? 'screen' : 'screen with-panel'} aria-label="Replay">
      <div class="list scrolls">
        <div class="title">
          <h1>Replay</h1>
          <ProjectChoice />
        </div>
        <p class="dim">Change the config below, and see what it would have decided otherwise. Nothing happens again, and nothing is saved.</p>
        {configs.problem ? (
          <Failed problem={configs.problem} again={configs.again} />
        ) : !chosen ? (
          <Loading rows={6} />
        ) : (
          <form
            class="try"
            onSubmit={(event) => {
              event.preventDefault()
              void start()
            }}
          >
            <label>
              The candidate
              <select value={chosen.file} onChange={(event) => setFile(event.currentTarget.value)}>
                {configs.value!.files.map((each) => (
                  <option key={each.file} value={each.file}>
                    {each.layer}: {each.file}
                  </option>
                ))}
              </select>
            </label>
            <textarea
              class="code"
              aria-label={isPolicy ? `The policy of ${chosen.group}` : `What would stand in ${baseName(chosen.file)}`}
              rows={10}
              spellcheck={false}
              value={text}
              onInput={(event) => setTexts({ ...texts, [chosen.file]: event.currentTarget.value })}
            />
            <div class="buttons">
              <select aria-label="Span of time" value={span} onChange={(event) => setSpan(event.currentTarget.value)}>
                {Object.entries(spans).map(([name, { words }]) => (
                  <option key={name} value={name}>
                    {words}
                  </option>
                ))}
              </select>
              <button type="submit" class="main" disabled={job?.state === 'running'}>
                {isPolicy ? 'Replay this policy on the fleet' : isChanged ? 'Replay against this candidate' : 'Replay against what was decided'}
              </button>
              {isChanged && (
                <button type="button" class="quiet" onClick={() => setTexts({})}>
                  Undo my changes
                </button>
              )}
            </div>
          </form>
        )}
        {problem && <Wrong problem={problem} />}
        <div aria-live="polite">{job ? <Outcome job={job} /> : <NothingReplayed />}</div>
      </div>
      {open !== '' && <DecisionPanel id={open} />}
    </main>
  )
}

/** A replay goes on by itself: it is looked at until it is over. */
function useJob(id: string): Job | undefined {
  const [job, setJob] = useState<Job>()
  useEffect(() => {
    if (id === '') return setJob(undefined)
    let isLeft = false
    const look = async (): Promise<void> => {
      const found = await get<Job>(`/api/replays/${encodeURIComponent(id)}`)
      if (isLeft) return
      setJob(found)
      if (found.state === 'running') setTimeout(() => look().catch(fail), 300)
    }
    look().catch((error: unknown) => {
      fail(error)
      setJob(undefined)
    })
    return () => {
      isLeft = true
    }
  }, [id])
  return job?.id === id ? job : undefined
}

function NothingReplayed() {
  return (
    <Empty title="Nothing replayed yet.">
      <p>The journal keeps what agents did; a replay asks the config about it once more. In a terminal:</p>
      <pre>hookline replay --since 7d</pre>
    </Empty>
  )
}

function Outcome({ job }: { job: Job }) {
  const { id, state, done, of, problem, result } = job
  if (state === 'running')
    return (
      <div class="running">
        <p>
          Replaying: {done.toLocaleString()} of {of.toLocaleString()}{' '}
          <button type="button" onClick={() => call('DELETE', `/api/replays/${id}`).catch(fail)}>
            Cancel
          </button>
        </p>
        <progress max={Math.max(1, of)} value={done} aria-label="Entries replayed" />
      </div>
    )
  if (state === 'canceled') return <p class="warn">! Canceled after {done.toLocaleString()} entries.</p>
  if (state === 'failed' || !result) return <p class="bad">✗ The replay failed: {problem}</p>
  return <Result result={result} />
}

function Result({ result }: { result: NonNullable<Job['result']> }) {
  const { replayed, counts, changes, not_replayed: skipped, impossible } = result
  const changed = Object.values(counts).reduce((sum, count) => sum + count, 0)
  if (replayed === 0)
    return (
      <Empty title="Nothing was recorded here in this time.">
        <p>Choose a longer span, or another project.</p>
      </Empty>
    )
  return (
    <section>
      <dl class="figures">
        <div>
          <dt>the same</dt>
          <dd>{Math.max(0, replayed - changed).toLocaleString()}</dd>
        </div>
        {Object.entries(kinds).map(([kind, { words, sign, mark }]) => (
          <div key={kind}>
            <dt>{words}</dt>
            <dd class={(counts[kind] ?? 0) > 0 ? mark : 'dim'}>
              <span aria-hidden="true">{sign}</span> {(counts[kind] ?? 0).toLocaleString()}
            </dd>
          </div>
        ))}
      </dl>
      {Object.entries(skipped).map(([hook, times]) => (
        <p key={hook} class="warn">
          ! {hook} was not replayed ({times} ×): it acts or looks at the world, and the journal has no answer of the hook as it is now.
        </p>
      ))}
      {Object.entries(impossible).map(([why, times]) => (
        <p key={why} class="warn">
          ! {times} could not be replayed: {why}
        </p>
      ))}
      {changes.length > 0 && (
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">would be</th>
              <th scope="col">what</th>
              <th scope="col">by</th>
              <th scope="col">when</th>
            </tr>
          </thead>
          <tbody>
            {changes.map((change, at) => (
              <Row key={at} change={change} />
            ))}
          </tbody>
        </table>
      )}
      {changed > changes.length && <p class="dim">The first {changes.length.toLocaleString()} are shown.</p>}
    </section>
  )
}

function Row({ change }: { change: Change }) {
  const { decision, machine, time, about, kind, before, after, reason, rules, doubts } = change
  const { words, sign, mark } = kinds[kind] ?? { words: kind, sign: '·', mark: 'quiet' }
  return (
    <tr class={decision !== null && String(decision) === param('open') ? 'chosen' : ''}>
      <td class={mark} title={`${before} → ${after}`}>
        <span class="sign" aria-hidden="true">
          {sign}
        </span>{' '}
        {words}
        {doubts.length > 0 && (
          <div class="dim" title={doubts.join('; ')}>
            uncertain: {doubts[0]}
          </div>
        )}
      </td>
      <td class="code">{decision === null ? about : <a href={withParams({ open: String(decision) })}>{about}</a>}
        {machine !== null && <div class="dim">on {machine}</div>}
      </td>
      <td>
        {rules[0]} <span class="dim">{reason}</span>
      </td>
      <td>
        <Time at={time} />
      </td>
    </tr>
  )
}
