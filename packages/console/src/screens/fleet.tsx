import { useState } from 'preact/hooks'
import { Enrolment } from '../parts/enrolment.tsx'
import { Failed } from '../parts/failed.tsx'
import { useLoaded } from '../parts/load.ts'
import { Empty, Loading, Time } from '../parts/words.tsx'
import { countedAgain } from '../state.ts'
import type { Answered } from '../types.ts'

type Machine = Answered<'showFleet'>['machines'][number]
type Shadow = Answered<'wouldBe'>
type Shadowed = Shadow['rules'][number]
type Alert = Answered<'listAlerts'>['alerts'][number]

/** How bad each is, and what it means. The worst come first. */
const states = {
  tampered: { words: '✗ was tampered with', mood: 'bad' },
  gap: { words: '✗ lines are missing', mood: 'bad' },
  quiet: { words: '! went quiet', mood: 'bad' },
  never: { words: '! never heard of', mood: 'bad' },
  skewed: { words: '! its clock is wrong', mood: '' },
  behind: { words: '! has much to send', mood: '' },
  fine: { words: '✓ fine', mood: 'good' },
  revoked: { words: '· revoked', mood: 'dim' },
} as const
const order = Object.keys(states) as Machine['state'][]

/** Every machine of the fleet, and whether its record is whole. */
export function Fleet() {
  const fleet = useLoaded<Answered<'showFleet'>>('/api/fleet', countedAgain.value)
  const raised = useLoaded<{ alerts: Alert[] }>('/api/alerts', countedAgain.value)
  const shadow = useLoaded<Shadow>('/api/fleet/shadow', countedAgain.value)
  const [isAdding, setAdding] = useState(false)
  const machines = [...(fleet.value?.machines ?? [])].sort((one, other) => order.indexOf(one.state) - order.indexOf(other.state))
  return (
    <main class="screen" aria-label="Fleet">
      <div class="title">
        <h1>Fleet</h1>
        {machines.length > 0 && (
          <button type="button" aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
            Add machines
          </button>
        )}
      </div>
      {machines.length > 0 && isAdding && <Enrolment />}
      {fleet.problem && !fleet.value ? (
        <Failed problem={fleet.problem} again={fleet.again} />
      ) : !fleet.value ? (
        <Loading />
      ) : machines.length === 0 ? (
        <Empty title="No machine has joined yet.">
          <p>Make a token, and run the command that it comes with on each machine. It takes its policy from here, and sends its journal.</p>
          <Enrolment />
        </Empty>
      ) : (
        <>
          <Figures machines={machines} />
          <Alerts alerts={raised.value?.alerts ?? []} />
          {shadow.value && <WouldBe {...shadow.value} />}
          <Machines machines={machines} published={fleet.value.published} />
        </>
      )}
    </main>
  )
}

function Figures({ machines }: { machines: readonly Machine[] }) {
  const count = (...wanted: Machine['state'][]) => machines.filter(({ state }) => wanted.includes(state)).length
  const sum = (field: 'entries' | 'unsent' | 'missing') => machines.reduce((all, machine) => all + machine[field], 0)
  const bad = (value: number) => (value > 0 ? 'bad' : 'good')
  const figures: readonly (readonly [string, number, string])[] = [
    ['tampered with', count('tampered'), bad(count('tampered'))],
    ['quiet', count('quiet', 'never'), bad(count('quiet', 'never'))],
    ['lines missing', sum('missing'), bad(sum('missing'))],
    ['lines not sent yet', sum('unsent'), ''],
    ['entries', sum('entries'), ''],
    ['machines', machines.length - count('revoked'), ''],
  ]
  return (
    <dl class="figures">
      {figures.map(([name, value, mood]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={mood}>{value.toLocaleString()}</dd>
        </div>
      ))}
    </dl>
  )
}

function Alerts({ alerts }: { alerts: readonly Alert[] }) {
  if (alerts.length === 0) return null
  return (
    <section>
      <h2>Alerts</h2>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">what</th>
            <th scope="col">about</th>
            <th scope="col">times</th>
            <th scope="col">since</th>
          </tr>
        </thead>
        <tbody>
          {alerts.map(({ id, title, detail, severity, count, raised }) => (
            <tr key={id}>
              <td class={severity >= 7 ? 'bad' : ''}>{title}</td>
              <td>{detail}</td>
              <td>{count.toLocaleString()}</td>
              <td>
                <Time at={raised} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Rules and hooks that only watch yet, and what they would have done. */
function WouldBe({ rules, hooks }: { rules: readonly Shadowed[]; hooks: readonly Shadowed[] }) {
  const all = [...rules.map((each) => ({ ...each, by: 'rule' })), ...hooks.map((each) => ({ ...each, by: 'hook' }))]
  return (
    <section aria-label="What would be blocked">
      <h2>What would be blocked</h2>
      <p class="dim">
        In the last 7 days, had what only watches (<code>mode: shadow</code>) counted. To see what a policy would do before it is
        published, <a href="/replay">replay</a> it.
      </p>
      {all.length === 0 ? (
        <p>Nothing.</p>
      ) : (
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">rule or hook</th>
              <th scope="col">would be</th>
              <th scope="col">times</th>
              <th scope="col">machines</th>
              <th scope="col">last</th>
            </tr>
          </thead>
          <tbody>
            {all.map(({ id, by, outcome, count, failed, machines, last }) => (
              <tr key={`${by} ${id} ${outcome} ${failed}`}>
                <td>
                  <a href={`/journal?${by}=${encodeURIComponent(id)}`}>{id}</a>
                </td>
                <td class={outcome === 'ask' ? 'asked' : 'blocked'}>
                  {outcome === 'ask' ? '? asked about' : '✗ blocked'}
                  {failed && ' (because it failed)'}
                </td>
                <td>{count.toLocaleString()}</td>
                <td>{machines.toLocaleString()}</td>
                <td>
                  <Time at={last} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

/** What is in force on a machine, and what is wrong with it. */
const policyWords = {
  ...{ fine: '', refused: ': a newer one was refused', stale: ': stale', broken: 'changed or gone: nothing runs' },
  none: 'none',
} as const

function Policy({ policy, published }: { policy: Machine['policy']; published: number | null }) {
  if (policy === null) return <td class="dim">not said</td>
  if (policy.state === 'none' && published === null) return <td class="dim">none</td>
  const { version, state } = policy
  const isWanted = state === 'fine' && (published === null || version === published)
  return (
    <td class={isWanted ? '' : 'bad'} title={isWanted || published === null ? undefined : `${published} is published`}>
      {!isWanted && '! '}
      {version > 0 && version}
      {policyWords[state]}
    </td>
  )
}

function Machines({ machines, published }: { machines: readonly Machine[]; published: number | null }) {
  return (
    <section>
      <h2>Machines</h2>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">machine</th>
            <th scope="col">group</th>
            <th scope="col">state</th>
            <th scope="col">entries</th>
            <th scope="col">not sent</th>
            <th scope="col">heard</th>
            <th scope="col">policy</th>
            <th scope="col">version</th>
          </tr>
        </thead>
        <tbody>
          {machines.map(({ id, name, group, state, entries, unsent, heard, version, broken, missing, policy }) => (
            <tr key={id}>
              <td>
                <a href={`/journal?machine=${encodeURIComponent(id)}`} title={id}>
                  {name}
                </a>
              </td>
              <td>{group}</td>
              <td class={states[state].mood} title={broken ? `line ${broken.seq}: ${broken.detail}` : undefined}>
                {states[state].words}
                {missing > 0 && ` (${missing.toLocaleString()})`}
              </td>
              <td>{entries.toLocaleString()}</td>
              <td>{unsent.toLocaleString()}</td>
              <td>{heard === null ? 'never' : <Time at={heard} />}</td>
              <Policy policy={policy} published={published} />
              <td>{version}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
