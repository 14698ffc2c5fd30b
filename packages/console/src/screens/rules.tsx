import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { call, type Problem, Refused } from '../api.ts'
import { useKeys } from '../keys.ts'
import { Layers, Views } from '../parts/layers.tsx'
import { Failed } from '../parts/failed.tsx'
import { useLoaded } from '../parts/load.ts'
import { ProjectChoice, projectNow } from '../parts/project.tsx'
import { asPerson } from '../parts/proof.tsx'
import { Ago, baseName, Empty, Loading, millis, Time } from '../parts/words.tsx'
import { Wrong } from '../parts/wrong.tsx'
import { fail, go, param, rulesChanged, tell, withParams } from '../state.ts'
import type { Answered } from '../types.ts'

type Listed = Answered<'listHooks'>
type Rule = Listed['rules'][number]
type Hook = Listed['hooks'][number]
type Proof = NonNullable<Rule['proof']>
type Preview = Answered<'previewRule'>

/** Whether a guard would really block. */
const proofs = {
  proven: { words: '✓ proved', mood: 'good' },
  answers: { words: '✓ answers', mood: 'good' },
  unproven: { words: '! not proven', mood: 'warn' },
  failed: { words: '✗ does not work', mood: 'bad' },
  off: { words: '· off', mood: 'dim' },
} as const

const healths = {
  ok: { words: '✓ works', mood: 'good' },
  failing: { words: '! fails', mood: 'warn' },
  'failed-open': { words: '✗ failed open', mood: 'bad' },
  waiting: { words: '! waits for approval', mood: 'warn' },
  off: { words: '· off', mood: 'dim' },
  quiet: { words: '· has not run', mood: 'dim' },
} as const

/** Counts when something was changed here. */
const changed = signal(0)

const rulings = { deny: { sign: '✗', mark: 'blocked' }, ask: { sign: '?', mark: 'asked' }, allow: { sign: '✓', mark: 'allowed' } }

/** Every rule and hook that counts in a project, and the place where rules are written. */
export function Rules() {
  const loaded = useLoaded<Listed>(`/api/hooks?project=${encodeURIComponent(projectNow())}`, rulesChanged.value, changed.value)
  const all = loaded.value
  const open = param('rule')
  const chosen = all?.rules.find((rule) => keyOf(rule) === open)
  useKeys({ Escape: () => go(withParams({ rule: null })), n: () => go(withParams({ rule: 'new' })) })
  const isOpen = all !== undefined && (open === 'new' || chosen !== undefined)
  return (
    <main class={isOpen ? 'screen with-panel' : 'screen'} aria-label="Rules">
      <div class="list scrolls">
        <div class="title">
          <h1>Rules</h1>
          <ProjectChoice />
          <Views view={param('view')} />
          <button type="button" onClick={() => go(withParams({ rule: 'new' }))}>
            New rule
          </button>
          {all && <Prove project={all.project} />}
        </div>
        {all ? param('view') === 'layers' ? <Layers members={membersOf(all)} open={open} /> : <Lists all={all} open={open} /> : loaded.problem ? <Failed problem={loaded.problem} again={loaded.again} /> : <Loading />}
      </div>
      {isOpen && <Editor key={open} rule={chosen} project={all.project} />}
    </main>
  )
}

const keyOf = ({ layer, id, file }: Rule): string => `${layer} ${id} ${file ?? ''}`

/** Rules first, as they are what people look for. */
const membersOf = ({ rules, hooks }: Listed) => [
  ...rules.map((rule) => ({
    ...{ key: keyOf(rule), id: rule.id, layer: rule.layer, file: rule.file, line: rule.line, about: rule.sentence },
    ...{ sign: rulings[rule.ruling].sign, mark: rulings[rule.ruling].mark, word: rule.ruling },
    ...(rule.editable && { href: withParams({ rule: keyOf(rule) }) }),
  })),
  ...hooks
    .filter(({ type }) => type !== 'rules')
    .map((hook) => ({
      ...{ key: `${hook.layer} ${hook.id} ${hook.event}`, id: hook.id, layer: hook.layer, file: hook.file, line: hook.line },
      ...{ about: `${hook.event} ${hook.matcher}`, sign: '·', mark: 'quiet', word: hook.type },
    })),
]

/** Tries every guard on its canary; what came of it stands beside each. */
function Prove({ project }: { project: string }) {
  const [isBusy, setBusy] = useState(false)
  const prove = async () => {
    setBusy(true)
    try {
      await call('POST', '/api/hooks/prove', { project })
      tell('Every guard was tried; what came of it stands beside each.')
      changed.value++
    } catch (error) {
      fail(error)
    }
    setBusy(false)
  }
  return (
    <button type="button" disabled={isBusy} onClick={() => void prove()} title="Runs every guard on something it must block, in a copy of the project">
      {isBusy ? 'Trying…' : 'Prove guards'}
    </button>
  )
}

function Proven({ proof }: { proof: Proof | null }) {
  if (proof === null) return <span class="dim whole">not tried</span>
  const { words, mood } = proofs[proof.state]
  return (
    <span title={proof.summary}>
      <span class={`whole ${mood}`}>{words}</span>{' '}
      <span class="dim">
        {proof.summary} · <Ago at={proof.at} />
      </span>
    </span>
  )
}

function Lists({ all, open }: { all: Listed; open: string }) {
  return (
    <>
      {all.notes.map(({ code, message, remedy, place }) => (
        <p key={`${code}${place}`} class="warn">
          ! {place !== null && <span class="path">{place} </span>}
          {message} <span class="dim">{remedy}</span>
        </p>
      ))}
      {all.rules.length === 0 ? (
        <Empty title="No rules here yet.">
          <p>A rule blocks, asks about or allows what agents do. Write one here, or in a terminal:</p>
          <pre>hookline deny "git push --force"</pre>
        </Empty>
      ) : (
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">rule</th>
              <th scope="col">about</th>
              <th scope="col">where</th>
              <th scope="col">proof</th>
              <th scope="col">matched, 7 days</th>
            </tr>
          </thead>
          <tbody>
            {all.rules.map((rule) => (
              <tr key={keyOf(rule)} class={keyOf(rule) === open ? 'chosen' : ''}>
                <td>
                  <span class={`sign ${rulings[rule.ruling].mark}`} aria-hidden="true">
                    {rulings[rule.ruling].sign}
                  </span>{' '}
                  {rule.ruling}{' '}
                  {rule.editable ? (
                    <a href={withParams({ rule: keyOf(rule) })}>{rule.id}</a>
                  ) : (
                    <span>{rule.id}</span>
                  )}
                </td>
                <td class="code">{rule.sentence}</td>
                <td title={rule.file ?? ''}>
                  {rule.layer} <span class="dim">{rule.file && `${baseName(rule.file)}:${rule.line}`}</span>
                </td>
                <td>
                  <Proven proof={rule.proof} />
                </td>
                <td>
                  {rule.matches === 0 ? (
                    <span class="dim">never</span>
                  ) : (
                    <a href={`/journal?rule=${encodeURIComponent(rule.id)}`}>{rule.matches}</a>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <h2>Hooks</h2>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">hook</th>
            <th scope="col">runs at</th>
            <th scope="col">where</th>
            <th scope="col">trust</th>
            <th scope="col">health</th>
            <th scope="col">proof</th>
            <th scope="col">ran, 7 days</th>
            <th scope="col">blocked</th>
            <th scope="col">failed</th>
            <th scope="col">failed open</th>
            <th scope="col" title="How long it took: half of its runs, and all but one of a hundred">
              p50, p99
            </th>
            <th scope="col">last</th>
          </tr>
        </thead>
        <tbody>
          {all.hooks.map((hook) => (
            <HookRow key={`${hook.layer} ${hook.id} ${hook.event}`} hook={hook} project={all.project} />
          ))}
        </tbody>
      </table>
    </>
  )
}

function HookRow({ hook, project }: { hook: Hook; project: string }) {
  const approve = async () => {
    const done = await asPerson(() => call('POST', '/api/hooks/approve', { project, id: hook.id, digest: hook.digest }))
    if (done) tell(`Approved ${hook.id}.`)
    changed.value++
  }
  const revoke = async () => {
    const body = { project, id: hook.id, ...(hook.file !== null && { file: hook.file }) }
    const done = await asPerson(() => call('POST', '/api/hooks/revoke', body))
    if (done) tell(`${hook.id} no longer runs until somebody approves it.`)
    changed.value++
  }
  return (
    <tr>
      <td>
        {hook.id} {!hook.enabled && <span class="dim">off</span>}
        {hook.mode !== 'enforce' && <span class="dim"> {hook.mode}</span>}
      </td>
      <td>
        {hook.event} <span class="code dim">{hook.matcher}</span>
      </td>
      <td title={hook.file ?? ''}>
        {hook.layer} <span class="dim">{hook.file && `${baseName(hook.file)}:${hook.line}`}</span>
      </td>
      <td class={hook.waits ? 'warn' : ''}>
        {hook.trust}
        {hook.changes.map((change) => (
          <div key={change} class="dim">
            {change}
          </div>
        ))}
        {hook.waits && hook.refused.length === 0 && (
          <button type="button" onClick={() => void approve()}>
            Approve
          </button>
        )}
        {hook.refused.map((why) => (
          <div key={why}>✗ cannot be approved: {why}</div>
        ))}
        {hook.approved_at !== null && !hook.waits && (
          <div class="dim">
            since <Time at={hook.approved_at} />{' '}
            <button type="button" class="quiet" onClick={() => void revoke()}>
              Revoke
            </button>
          </div>
        )}
      </td>
      <td class={`whole ${healths[hook.health].mood}`}>{healths[hook.health].words}</td>
      <td>
        <Proven proof={hook.proof} />
      </td>
      <td>{hook.runs || <span class="dim">0</span>}</td>
      <td>{hook.denied || <span class="dim">0</span>}</td>
      <td class={hook.failures > 0 ? 'warn' : 'dim'}>{hook.failures}</td>
      <td class={hook.failed_open > 0 ? 'bad' : 'dim'}>{hook.failed_open}</td>
      <td class="whole">
        {hook.duration_ms.p50 === null ? <span class="dim">–</span> : `${millis(hook.duration_ms.p50)}, ${millis(hook.duration_ms.p99)}`}
      </td>
      <td>{hook.last === null ? <span class="dim">–</span> : <Time at={hook.last} />}</td>
    </tr>
  )
}

const kinds: Record<string, string> = {
  blocked: 'blocked',
  asked: 'asked about',
  allowed: 'allowed',
  unruled: 'left to the agent',
  rewritten: 'rewritten',
}

const template = `deny: { run: git push --force }
because: Force pushes are off limits here.
`

/** The rule as it is written and as a sentence, what is wrong with it, and what it would have changed; then it is saved. */
function Editor({ rule, project }: { rule: Rule | undefined; project: string }) {
  const [text, setText] = useState(rule?.text ?? template)
  const [layer, setLayer] = useState('project')
  const [preview, setPreview] = useState<Preview>()
  const [problem, setProblem] = useState<Problem>()
  const [isBusy, setBusy] = useState(false)
  const latest = useRef(0)
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  const maySave = problem === undefined && preview !== undefined && !isBusy
  const place = rule ? { file: rule.file, replaces: rule.id } : { layer }
  const body = { project, rule: text, ...place }
  useEffect(() => {
    const turn = ++latest.current
    const timer = setTimeout(async () => {
      setBusy(true)
      try {
        const found = await call<Preview>('POST', '/api/rules/preview', body)
        if (turn !== latest.current) return
        setPreview(found)
        setProblem(undefined)
      } catch (error) {
        if (turn !== latest.current) return
        if (error instanceof Refused) setProblem(error.problem)
        else fail(error)
      }
      setBusy(false)
    }, 400)
    return () => clearTimeout(timer)
  }, [text, layer])
  const done = (words: string) => {
    tell(words)
    changed.value++
    go(withParams({ rule: null }))
  }
  const save = async () => {
    const saved = await asPerson(() => call<{ id: string; file: string }>('POST', '/api/rules', body))
    if (saved) done(`${saved.id} is in ${saved.file}, and holds from the next call on.`)
  }
  const remove = async () => {
    const removed = await asPerson(() => call('POST', '/api/rules/remove', { project, ...place }))
    if (removed) done(`${rule?.id} is removed.`)
  }
  return (
    <aside class="panel" aria-label={rule ? `Rule ${rule.id}` : 'New rule'}>
      <header>
        <h2>{rule ? rule.id : 'New rule'}</h2>
        <button type="button" class="quiet" onClick={() => go(withParams({ rule: null }))} aria-label="Close (Esc)">
          ✕
        </button>
      </header>
      <label>
        The rule
        <textarea
          ref={field}
          class="code"
          rows={6}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && maySave) void save()
          }}
        />
      </label>
      {!rule && (
        <label>
          Where it holds
          <select value={layer} onChange={(event) => setLayer(event.currentTarget.value)}>
            <option value="project">in this project, for everybody</option>
            <option value="local">in this project, for me</option>
            <option value="user">everywhere, for me</option>
          </select>
        </label>
      )}
      <div aria-live="polite">
        {problem ? <Wrong problem={problem} /> : preview ? <Foreseen preview={preview} text={text} /> : <p class="dim">Trying it on the last week…</p>}
      </div>
      <div class="buttons">
        <button type="button" class="main" disabled={!maySave} onClick={() => void save()}>
          Save
        </button>
        {rule && (
          <button type="button" class="no" onClick={() => void remove()}>
            Remove
          </button>
        )}
      </div>
    </aside>
  )
}

const verbs: Record<string, string> = { deny: '✗ Blocks', ask: '? Asks before', allow: '✓ Allows' }

function Foreseen({ preview, text }: { preview: Preview; text: string }) {
  const ruling = /^[-\s{]*(?:id:.*\n\s*)?(allow|ask|deny)\b/m.exec(text)?.[1] ?? 'deny'
  const { sentence, file, replayed, counts, changes, needs_person: needsPerson } = preview
  const total = replayed.toLocaleString()
  const words = Object.entries(counts).map(([kind, count]) => `${kinds[kind] ?? kind} ${count.toLocaleString()}`)
  return (
    <>
      {sentence !== null && (
        <p>
          <strong>{verbs[ruling]}</strong> <span class="code">{sentence}</span>
        </p>
      )}
      <p class="dim">
        in <span class="path">{file}</span>
        {needsPerson && '; because it may loosen something, it needs you'}
      </p>
      <p>
        {replayed === 0
          ? 'In the last 7 days no call was recorded here to try it on.'
          : words.length === 0
            ? `In the last 7 days this would have changed nothing: ${total} calls tried.`
            : `In the last 7 days this would have ${words.join(', ')} of ${total} calls:`}
      </p>
      <ul class="plain">
        {changes.map(({ decision, time, about, kind }) => (
          <li key={`${time} ${about} ${kind}`} class="foreseen">
            <Time at={time} />
            <span class={kind === 'blocked' ? 'bad' : kind === 'asked' ? 'warn' : ''}>{kinds[kind] ?? kind}</span>
            {decision === null ? <span class="code">{about}</span> : <a class="code" href={`/journal?open=${decision}`}>{about}</a>}
          </li>
        ))}
      </ul>
    </>
  )
}
