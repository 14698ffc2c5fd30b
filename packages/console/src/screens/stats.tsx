import { useEffect, useRef, useState } from 'preact/hooks'
import { Failed } from '../parts/failed.tsx'
import { useLoaded } from '../parts/load.ts'
import { baseName, Empty, lasting, Loading, marks, millis, Time } from '../parts/words.tsx'
import { countedAgain, go, param, withParams } from '../state.ts'
import type { Answered, Mark } from '../types.ts'

type Counted = Answered<'stats'>
type Series = Answered<'series'>
type Group = Counted['hosts'][number]
type Usage = Counted['usage'][number]

const spans: Readonly<Record<string, { words: string; ms: number; steps: number }>> = {
  day: { words: 'the last day', ms: 86_400_000, steps: 48 },
  week: { words: 'the last week', ms: 7 * 86_400_000, steps: 84 },
  month: { words: 'the last 30 days', ms: 30 * 86_400_000, steps: 60 },
}
/** Counting a million decisions takes a while: it is done again once it is done, with a rest between. */
const restMs = 3_000
const order: readonly Mark[] = ['blocked', 'failed', 'asked', 'rewritten', 'allowed', 'quiet']

/** What was decided, how long deciding took, and by whom it was kept busy. */
export function Stats() {
  const span = Object.hasOwn(spans, param('span')) ? param('span') : 'day'
  const { ms, steps } = spans[span]!
  const [since, setSince] = useState(() => Date.now() - ms)
  useEffect(() => setSince(Date.now() - ms), [span])
  const query = `since=${new Date(since).toISOString()}`
  const loaded = [useLoaded<Counted>(`/api/stats?${query}`), useLoaded<Series>(`/api/stats/series?${query}&steps=${steps}`)] as const
  const [counted, series] = [useLast(loaded[0].value, span), useLast(loaded[1].value, span)]
  const isLoaded = loaded.every(({ value }) => value !== undefined)
  const shown = useRef(countedAgain.value)
  useEffect(() => {
    if (!isLoaded || shown.current === countedAgain.value) return
    const timer = setTimeout(() => {
      shown.current = countedAgain.value
      setSince(Date.now() - ms)
    }, since + ms + restMs - Date.now())
    return () => clearTimeout(timer)
  }, [countedAgain.value, isLoaded, since, ms])
  const problem = loaded[0].problem ?? loaded[1].problem
  const total = Object.values(counted?.decisions ?? {}).reduce((sum, count) => sum + count, 0)
  return (
    <main class="screen" aria-label="Stats">
      <div class="title">
        <h1>Stats</h1>
        <select aria-label="Span of time" value={span} onChange={(event) => go(withParams({ span: event.currentTarget.value }))}>
          {Object.entries(spans).map(([name, { words }]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      </div>
      {problem && !counted ? (
        <Failed problem={problem} again={() => loaded.forEach((each) => each.again())} />
      ) : !counted || !series ? (
        <Loading />
      ) : total === 0 ? (
        <Empty title="Nothing was decided in this time.">
          <p>Choose a longer time, or install Hookline in the agents of this machine:</p>
          <pre>hookline install --all</pre>
        </Empty>
      ) : (
        <>
          <Figures counted={counted} total={total} />
          <Bars series={series} since={since} ms={ms} steps={steps} />
          <Groups title="Agents" groups={counted.hosts} link={(name) => `/journal?host=${encodeURIComponent(name)}`} />
          <Groups title="Projects" groups={counted.projects} link={(name) => `/journal?project=${encodeURIComponent(name)}`} />
          <RuleTable rules={counted.rules} />
          <Costs usage={counted.usage} />
        </>
      )}
    </main>
  )
}

/** What was there before stays until there is something newer of the same kind: nothing flickers. */
function useLast<T>(value: T | undefined, kind: string): T | undefined {
  const last = useRef<{ kind: string; value: T | undefined }>({ kind, value })
  if (value !== undefined || last.current.kind !== kind) last.current = { kind, value }
  return last.current.value
}

function Figures({ counted, total }: { counted: Counted; total: number }) {
  const { decisions, failed_open: failed, duration_ms: took, answered } = counted
  const share = ((100 * (decisions.asked ?? 0)) / total).toFixed(1)
  const figures: readonly (readonly [string, string, string])[] = [
    ['failed open', String(failed), failed > 0 ? 'bad' : 'good'],
    ['decisions', total.toLocaleString(), ''],
    ['blocked', (decisions.blocked ?? 0).toLocaleString(), ''],
    ['asked', `${(decisions.asked ?? 0).toLocaleString()} (${share} %)`, ''],
    ['deciding took', `${millis(took.p50)}, p99 ${millis(took.p99)}`, ''],
    ...(counted.usage.length > 0 ? [['spent', spent(counted.usage), ''] as const] : []),
    ['answered after', answered.mean_ms === null ? '–' : `${lasting(answered.mean_ms)} on average`, ''],
  ]
  return (
    <dl class="figures">
      {figures.map(([name, value, mood]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={mood}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const dollars = (cost: number): string => (cost === 0 ? '$0' : `$${cost.toFixed(cost < 1 ? 4 : 2)}`)

/** What is known; a model without a price is in none of it. */
function spent(usage: readonly Usage[]): string {
  const known = usage.flatMap(({ cost_usd: cost }) => cost ?? [])
  const tokens = usage.reduce((sum, each) => sum + each.input_tokens + each.output_tokens, 0)
  const total = known.reduce((sum, cost) => sum + cost, 0)
  return `${known.length > 0 ? `${dollars(total)}, ` : ''}${tokens.toLocaleString()} tokens`
}

const height = 120

/** One bar for each step of time, the weightiest kinds below. The table under it has the same in numbers. */
function Bars({ series, since, ms, steps }: { series: Series; since: number; ms: number; steps: number }) {
  const sums = series.points.map(({ counts }) => Object.values(counts).reduce((sum, count) => sum + count, 0))
  const highest = Math.max(1, ...sums)
  const width = 1000 / steps
  return (
    <figure>
      <svg viewBox={`0 0 1000 ${height}`} preserveAspectRatio="none" class="chart" role="img" aria-label={`Decisions over time, at most ${highest} in a step`}>
        {series.points.map(({ time, counts }) => {
          const x = ((Date.parse(time) - since) / ms) * 1000
          let y = height
          return order.map((mark) => {
            const tall = ((counts[mark] ?? 0) / highest) * (height - 4)
            y -= tall
            return tall === 0 ? null : (
              <rect key={`${time}${mark}`} class={`fill-${mark}`} x={x} y={y} width={Math.max(1, width - 2)} height={tall}>
                <title>{`${new Date(time).toLocaleString()}: ${counts[mark]} ${marks[mark].word}`}</title>
              </rect>
            )
          })
        })}
      </svg>
      <div class="span dim">
        <Time at={new Date(since).toISOString()} />
        <span>at most {highest.toLocaleString()} in {lasting(series.step_ms)}</span>
        <Time at={new Date(since + ms).toISOString()} />
      </div>
      <figcaption class="dim">
        {order.map((mark) => (
          <span key={mark}>
            <i class={`swatch fill-${mark}`} /> {marks[mark].word}{' '}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

function Groups({ title, groups, link }: { title: string; groups: readonly Group[]; link(name: string): string }) {
  if (groups.length === 0) return null
  return (
    <section>
      <h2>{title}</h2>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">name</th>
            <th scope="col">decisions</th>
            <th scope="col">blocked</th>
            <th scope="col">asked</th>
            <th scope="col">last</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ name, count, blocked, asked, last }) => (
            <tr key={name}>
              <td>
                <a href={link(name)} title={name}>
                  {baseName(name)}
                </a>
              </td>
              <td>{count.toLocaleString()}</td>
              <td>{blocked.toLocaleString()}</td>
              <td>{asked.toLocaleString()}</td>
              <td>
                <Time at={last} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function RuleTable({ rules }: { rules: Counted['rules'] }) {
  if (rules.length === 0) return null
  return (
    <section>
      <h2>Rules</h2>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">rule</th>
            <th scope="col">matched</th>
            <th scope="col">blocked</th>
            <th scope="col">asked</th>
            <th scope="col">allowed</th>
          </tr>
        </thead>
        <tbody>
          {rules.map(({ rule, matches, denied, asked, allowed }) => (
            <tr key={rule}>
              <td>
                <a href={`/journal?rule=${encodeURIComponent(rule)}`}>{rule}</a>
              </td>
              <td>{matches.toLocaleString()}</td>
              <td>{denied.toLocaleString()}</td>
              <td>{asked.toLocaleString()}</td>
              <td>{allowed.toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Of sessions that this server runs: other agents do not tell. */
function Costs({ usage }: { usage: Counted['usage'] }) {
  if (usage.length === 0) return null
  return (
    <section>
      <h2>
        Models <span class="dim">in sessions of this server</span>
      </h2>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">agent</th>
            <th scope="col">model</th>
            <th scope="col">calls</th>
            <th scope="col">tokens in</th>
            <th scope="col">tokens out</th>
            <th scope="col">cost</th>
          </tr>
        </thead>
        <tbody>
          {usage.map(({ agent, model, calls, input_tokens: input, output_tokens: output, cost_usd: cost }) => (
            <tr key={`${agent} ${model}`}>
              <td>{agent}</td>
              <td>{model}</td>
              <td>{calls.toLocaleString()}</td>
              <td>{input.toLocaleString()}</td>
              <td>{output.toLocaleString()}</td>
              <td>{cost === null ? <span class="dim">price not known</span> : dollars(cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
