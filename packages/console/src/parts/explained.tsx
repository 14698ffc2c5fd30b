import { baseName } from './words.tsx'

interface Place {
  file: string
  line?: number
}

/** What the server knows of an event before it happens. */
export interface Explanation {
  project: string
  event: string
  payload: Record<string, unknown>
  actions: { kind: string; shown: string; remark: string }[]
  complete: boolean
  doubt: string | null
  at_stake: { row: string; means: string; reason: string; radius: string }[]
  rules: { id: string; ruling: 'allow' | 'ask' | 'deny'; layer: string; where: Place | null; match: Match }[]
  hooks: {
    id: string
    event: string
    type: string
    layer: string
    where: Place | null
    stage: number
    mode: string
    runs: boolean
    why: string | null
    untrusted: string | null
    matcher: { looks_at: string; for: string; saw: string[]; passes: boolean }[]
  }[]
  fold: {
    hook: string
    outcome: string | null
    said: Record<string, unknown> | null
    rules: string[]
    failure: string | null
    counts: boolean
    so_far: { decision?: { ruling: string } }
  }[]
  unknown: string[]
  decision: { ruling: string; reason?: string } | null
  by: string[]
  notes: string[]
}

type Match = 'decides' | 'overruled' | 'waits' | 'none'

const verdicts: Record<string, { sign: string; words: string; mark: string }> = {
  deny: { sign: '✗', words: 'Blocked', mark: 'blocked' },
  ask: { sign: '?', words: 'Asks first', mark: 'asked' },
  allow: { sign: '✓', words: 'Allowed', mark: 'allowed' },
  none: { sign: '·', words: 'Nothing against it', mark: 'quiet' },
}
const rulings: Record<string, { sign: string; mark: string }> = {
  deny: { sign: '✗', mark: 'blocked' },
  ask: { sign: '?', mark: 'asked' },
  allow: { sign: '✓', mark: 'allowed' },
}
const matches: Record<Match, string> = {
  decides: 'decides',
  overruled: 'matches, and a stronger one decides',
  waits: 'would match once its file is approved',
  none: 'does not match',
}

const placed = (layer: string, where: Place | null) => (
  <span title={where?.file ?? ''}>
    {layer} <span class="dim">{where && `${baseName(where.file)}:${where.line ?? 1}`}</span>
  </span>
)

export function Explained({ explanation, run }: { explanation: Explanation; run(): void }) {
  const { decision, by, unknown, notes } = explanation
  const { sign, words, mark } = verdicts[decision?.ruling ?? 'none']!
  return (
    <div class="explained">
      <p class={`verdict ${mark}`} role="status">
        <span class={`sign ${mark}`} aria-hidden="true">
          {sign}
        </span>{' '}
        {words}
        {by.length > 0 && <span class="dim"> by {by.join(', ')}</span>}
      </p>
      {decision?.reason !== undefined && <p>{decision.reason}</p>}
      {unknown.length > 0 && (
        <p class="warn">
          ! {unknown.join(', ')} would run, too, and what {unknown.length === 1 ? 'it answers' : 'they answer'} is not known before.{' '}
          <button type="button" onClick={run}>
            Run {unknown.length === 1 ? 'it' : 'them'} here
          </button>
        </p>
      )}
      {notes.map((note) => (
        <p key={note} class="warn">
          ! {note}
        </p>
      ))}
      <Effects explanation={explanation} />
      <RuleList explanation={explanation} />
      <HookList explanation={explanation} />
      <Fold explanation={explanation} />
    </div>
  )
}

function Effects({ explanation: { actions, complete, doubt, at_stake: stakes } }: { explanation: Explanation }) {
  if (actions.length === 0 && complete) return null
  return (
    <section>
      <h2>This would</h2>
      <table class="rows narrow">
        <tbody>
          {actions.map(({ kind, shown, remark }) => (
            <tr key={`${kind} ${shown} ${remark}`}>
              <th scope="row">{kind}</th>
              <td class="code">{shown}</td>
              <td class="dim">{remark}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {!complete && <p class="warn">! There may be more: {doubt}</p>}
      {stakes.map(({ row, reason, means }) => (
        <p key={row + reason}>
          <strong title={means}>At stake:</strong> {reason}
        </p>
      ))}
    </section>
  )
}

function RuleList({ explanation: { rules } }: { explanation: Explanation }) {
  if (rules.length === 0) return null
  return (
    <section>
      <h2>Rules, in config order</h2>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">rule</th>
            <th scope="col">here</th>
            <th scope="col">where</th>
          </tr>
        </thead>
        <tbody>
          {rules.map(({ id, ruling, layer, where, match }) => (
            <tr key={`${layer} ${id}`} class={match === 'none' ? 'dim' : ''}>
              <td>
                <span class={`sign ${match === 'none' ? 'quiet' : rulings[ruling]!.mark}`} aria-hidden="true">
                  {match === 'none' ? '·' : rulings[ruling]!.sign}
                </span>{' '}
                {ruling} {id}
              </td>
              <td>{match === 'decides' ? <strong>{matches[match]}</strong> : matches[match]}</td>
              <td>{placed(layer, where)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function HookList({ explanation: { hooks } }: { explanation: Explanation }) {
  const shown = hooks.filter(({ type }) => type !== 'rules')
  if (shown.length === 0) return null
  return (
    <section>
      <h2>Hooks and what their matchers saw</h2>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">hook</th>
            <th scope="col">matcher</th>
            <th scope="col">here</th>
            <th scope="col">where</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((hook) => (
            <tr key={`${hook.layer} ${hook.id} ${hook.event}`}>
              <td>
                {hook.id} <span class="dim">{hook.type}</span>
              </td>
              <td>
                {hook.matcher.length === 0 && <span class="dim">matches everything</span>}
                {hook.matcher.map(({ looks_at: what, for: wanted, saw, passes }) => (
                  <div key={`${what} ${wanted}`}>
                    <span class={`sign ${passes ? 'allowed' : 'blocked'}`} role="img" aria-label={passes ? 'passes' : 'fails'}>
                      {passes ? '✓' : '✗'}
                    </span>{' '}
                    {what} is <span class="code">{wanted}</span>{' '}
                    <span class="dim">
                      saw <span class="code">{saw.length === 0 ? 'nothing' : saw.join(', ')}</span>
                    </span>
                  </div>
                ))}
              </td>
              <td>
                {hook.runs ? `runs, stage ${hook.stage}` : <span class="dim">does not run: {hook.why ?? 'it does not match'}</span>}
                {hook.mode !== 'enforce' && <span class="dim"> ({hook.mode})</span>}
                {hook.untrusted !== null && <div class="warn">! {hook.untrusted}</div>}
              </td>
              <td>{placed(hook.layer, hook.where)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Fold({ explanation: { fold } }: { explanation: Explanation }) {
  if (fold.length === 0) return null
  return (
    <section>
      <h2>The verdict, step by step</h2>
      <ol class="fold">
        {fold.map(({ hook, outcome, rules, failure, counts, said, so_far: soFar }) => {
          const decision = said?.['decision'] as { reason?: string } | undefined
          return (
            <li key={hook}>
              <div class="line">
                <strong>{hook}</strong>
                <span class={`outcome ${outcome ?? ''}`}>{failure === null ? (outcome ?? 'no opinion') : `failed (${failure})`}</span>
                {rules.length > 0 && <span class="dim">by {rules.join(', ')}</span>}
                <span class="spacer" />
                <span class="dim">{counts ? `so far: ${soFar.decision?.ruling ?? 'no opinion'}` : 'in shadow: it does not count'}</span>
              </div>
              {decision?.reason !== undefined && <p class="dim">{decision.reason}</p>}
              {said?.['rewrite'] !== undefined && <pre>{JSON.stringify(said['rewrite'], null, 2)}</pre>}
            </li>
          )
        })}
      </ol>
    </section>
  )
}
