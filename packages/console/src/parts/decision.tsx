import { fail, go, tell, withParams } from '../state.ts'
import type { Entry, HookEntry, WholeDecision } from '../types.ts'
import { Change } from './change.tsx'
import { Failed } from './failed.tsx'
import { useLoaded } from './load.ts'
import { Loading, millis, Sign, Time } from './words.tsx'

/**
 * One decision, top to bottom: verdict, what it would do, what each hook answered, the change, the time, the record.
 * `param` is what in the address opens it.
 */
export function DecisionPanel({ id, param = 'open' }: { id: string; param?: string }) {
  const { value: whole, problem, again } = useLoaded<WholeDecision>(`/api/decisions/${encodeURIComponent(id)}`)
  const close = () => go(withParams({ [param]: null }))
  return (
    <aside class="panel" aria-label="Decision">
      <header>
        <h2>{whole ? `Decision #${whole.decision.seq}` : 'Decision'}</h2>
        <button type="button" class="quiet" onClick={close} aria-label="Close (Esc)">
          ✕
        </button>
      </header>
      {whole ? <Whole whole={whole} /> : problem ? <Failed problem={problem} again={again} /> : <Loading rows={5} />}
    </aside>
  )
}

const headlines: Record<string, string> = {
  deny: 'Blocked',
  halt: 'Stopped',
  ask: 'Asked',
  allow: 'Allowed',
  'no-opinion': 'Nothing against it',
}

function Whole({ whole }: { whole: WholeDecision }) {
  const { decision, entry } = whole
  return (
    <div class="body">
      <p class={`verdict ${decision.mark}`}>
        <Sign mark={decision.mark} /> {headlines[decision.outcome] ?? decision.outcome}
        {decision.remark !== '' && <span class="dim"> by {decision.remark}</span>}
      </p>
      <pre class="command">{decision.subject}</pre>
      {decision.reason !== null && <p class="reason">{decision.reason}</p>}
      <dl>
        <dt>agent</dt>
        <dd>{decision.host}</dd>
        <dt>project</dt>
        <dd class="path">{decision.project ?? '–'}</dd>
        <dt>session</dt>
        <dd>
          {decision.session === null ? (
            '–'
          ) : (
            <a href={`/sessions?open=${encodeURIComponent(decision.session)}`}>{decision.session}</a>
          )}
        </dd>
        <dt>when</dt>
        <dd>
          <Time at={decision.time} />
          {decision.duration_ms !== null && `, in ${millis(decision.duration_ms)}`}
        </dd>
        <dt>event</dt>
        <dd>{decision.event}</dd>
      </dl>
      {entry && <Details entry={entry} />}
      <Chain whole={whole} />
    </div>
  )
}

function Details({ entry }: { entry: Entry }) {
  const ran = entry.hooks.filter(({ asked }) => asked)
  const skipped = entry.hooks.filter(({ asked }) => !asked)
  const [before, after] = [entry.payload?.['tool_input'], entry.rewrite?.value]
  return (
    <>
      {(entry.actions?.length ?? 0) > 0 && (
        <section>
          <h3>This would</h3>
          <ul class="plain">
            {entry.actions!.map((action) => (
              <li key={action} class="code">
                {action}
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h3>What each hook answered</h3>
        {ran.length === 0 ? (
          <p class="dim">No hook ran.</p>
        ) : (
          <ol class="fold">
            {ran.map((hook) => (
              <Answered key={hook.id} hook={hook} entry={entry} longest={Math.max(...ran.map((each) => each.duration_ms ?? 0))} />
            ))}
          </ol>
        )}
        {skipped.length > 0 && (
          <p class="dim">Did not run: {skipped.map(({ id, skipped: why }) => `${id} (${why ?? 'no reason given'})`).join(', ')}</p>
        )}
      </section>
      {after !== undefined && (
        <section>
          <h3>What was changed</h3>
          <Change before={before} after={after} />
        </section>
      )}
      <section>
        <details>
          <summary>The whole entry</summary>
          <pre>{JSON.stringify(entry, null, 2)}</pre>
        </details>
        <button type="button" onClick={() => void copyCase(entry)}>
          Copy as test case
        </button>
      </section>
    </>
  )
}

/** One opinion, in the order of the fold; whether it is what decided; how long it took, on one axis for all. */
function Answered({ hook, entry, longest }: { hook: HookEntry; entry: Entry; longest: number }) {
  const ruling = hook.opinion?.decision?.ruling
  const won = !hook.shadow && ruling !== undefined && ruling === entry.decision?.ruling
  return (
    <li>
      <div class="line">
        <strong>{hook.rules?.[0] ?? hook.id}</strong>
        {hook.rules && <span class="dim"> in {hook.id}</span>}
        <span class={`outcome ${hook.outcome ?? ''}`}> {hook.failure ? `failed (${hook.failure.kind})` : (hook.outcome ?? 'no opinion')}</span>
        {won && <span class="won"> decided</span>}
        {hook.shadow && <span class="dim"> in shadow: it did not count</span>}
        <span class="took">{millis(hook.duration_ms)}</span>
      </div>
      <div class="bar" aria-hidden="true">
        <i style={{ width: `${((hook.duration_ms ?? 0) / Math.max(longest, 0.001)) * 100}%` }} />
      </div>
      {(hook.opinion?.decision?.reason ?? hook.failure?.detail) && (
        <p class="dim">{hook.opinion?.decision?.reason ?? hook.failure?.detail}</p>
      )}
    </li>
  )
}

const lineWords: Record<WholeDecision['line'], string> = {
  'as-indexed': '✓ The line is as it was when it was read first.',
  changed: '✗ Somebody has changed this line in the journal since it was read.',
  gone: '· The journal no longer keeps this line.',
}

function Chain({ whole }: { whole: WholeDecision }) {
  return (
    <section>
      <h3>The record</h3>
      <p class={whole.line === 'changed' ? 'bad' : ''}>{lineWords[whole.line]}</p>
      <p class="code dim wrap">
        #{whole.decision.seq} · {whole.hash.slice(0, 16)}…
      </p>
    </section>
  )
}

/** For hookline.test.yaml: what was given, and what came of it. */
async function copyCase(entry: Entry): Promise<void> {
  const { tool_name: tool, tool_input: input } = entry.payload ?? {}
  const given = JSON.stringify({ tool, input })
  const expected = entry.decision?.ruling ?? 'none'
  const text = `  - name: ${JSON.stringify(`entry ${entry.seq}`)}\n    given: ${given}\n    expect: { decision: ${expected} }\n`
  await navigator.clipboard.writeText(text).then(() => tell('Copied: paste it under `cases:` of hookline.test.yaml.'), fail)
}
