import { useEffect, useRef, useState } from 'preact/hooks'
import { call, get, type Problem } from '../api.ts'
import { useKeys } from '../keys.ts'
import { DecisionPanel } from '../parts/decision.tsx'
import { Export } from '../parts/export.tsx'
import { Failed } from '../parts/failed.tsx'
import { baseName, Empty, Loading, marks, millis, Sign, Time } from '../parts/words.tsx'
import { arrived, fail, go, param, problemOf, withParams } from '../state.ts'
import type { Answered, Decision, Mark } from '../types.ts'

type Page = Answered<'listDecisions'>
type Verified = Answered<'verifyJournal'>

const rowHeight = 28
const pageSize = 500
const filters = ['text', 'mark', 'host', 'session', 'project', 'rule', 'hook', 'tool', 'machine'] as const

/** What was decided, the newest on top. Nothing moves under the pointer: what comes meanwhile waits behind a line. */
export function Journal() {
  const wanted = new URLSearchParams(filters.flatMap((name) => (param(name) === '' ? [] : [[name, param(name)]])))
  const query = wanted.toString()
  const { rows, problem, hasMore, load, take, fresh } = useRows(query)
  const open = param('open')
  const at = rows ? rowAt(rows, open) : -1
  const move = (by: number) => {
    const next = rows?.[Math.max(0, Math.min((rows?.length ?? 0) - 1, at + by))]
    if (next) go(withParams({ open: String(next.id) }), { replace: at >= 0 })
  }
  useKeys({ j: () => move(1), k: () => move(-1), Escape: () => go(withParams({ open: null })) })
  return (
    <main class={open === '' ? 'screen' : 'screen with-panel'} aria-label="Journal">
      <div class="list">
        <div class="title">
          <h1>Journal</h1>
          <Filters />
          <Export query={query} />
          <Verify />
        </div>
        {fresh > 0 && (
          <button type="button" class="fresh" onClick={take}>
            {fresh >= pageSize ? `${fresh} or more` : fresh} new
          </button>
        )}
        {problem && !rows ? (
          <Failed problem={problem} again={take} />
        ) : !rows ? (
          <Loading rows={16} />
        ) : rows.length === 0 ? (
          <Empty title={query === '' ? 'No decisions yet.' : 'Nothing matches.'}>
            {query === '' ? (
              <>
                <p>Whatever an agent with Hookline wants to do is written down here, with who decided what.</p>
                <pre>hookline install --all</pre>
              </>
            ) : (
              <p>
                <a href="/journal">Show everything</a>
              </p>
            )}
          </Empty>
        ) : (
          <Rows rows={rows} open={open} more={hasMore ? load : undefined} />
        )}
      </div>
      {open !== '' && <DecisionPanel id={open} />}
    </main>
  )
}

const page = (query: string, more: string): Promise<Page> => get<Page>(`/api/decisions?limit=${pageSize}${more}${query === '' ? '' : `&${query}`}`)

function useRows(query: string) {
  const [rows, setRows] = useState<Decision[]>()
  const [next, setNext] = useState<number | null>(null)
  const [problem, setProblem] = useState<Problem>()
  const [fresh, setFresh] = useState(0)
  const busy = useRef(false)
  const turn = useRef(0)
  const start = () => {
    const mine = ++turn.current
    page(query, '').then(
      (found) => {
        if (mine !== turn.current) return
        setRows(found.decisions)
        setNext(found.next)
        setProblem(undefined)
        setFresh(0)
      },
      (error: unknown) => {
        if (mine === turn.current) setProblem(problemOf(error))
      },
    )
  }
  useEffect(() => {
    setRows(undefined)
    setFresh(0)
    start()
  }, [query])
  const load = async () => {
    if (busy.current || next === null) return
    busy.current = true
    const mine = turn.current
    try {
      const more = await page(query, `&before=${next}`)
      if (mine === turn.current) {
        // A page that was asked for twice counts once.
        const after = more.decisions[0]?.id ?? 0
        setRows((known = []) => (after < (known.at(-1)?.id ?? Number.POSITIVE_INFINITY) ? [...known, ...more.decisions] : known))
        setNext(more.next)
      }
    } catch (error) {
      fail(error)
    }
    busy.current = false
  }
  // Of what has come meanwhile, only what this list would show counts.
  const newest = rows?.[0]?.id ?? 0
  useEffect(() => {
    if (rows === undefined || (arrived.value.at(-1)?.id ?? 0) <= newest) return
    const timer = setTimeout(() => {
      page(query, `&after=${newest}`).then(({ decisions }) => setFresh(decisions.length), fail)
    }, 200)
    return () => clearTimeout(timer)
  }, [arrived.value, newest, rows === undefined, query])
  return { rows, problem, hasMore: next !== null, load, take: start, fresh }
}

/** Where a decision stands, or -1. The newest are first: it is halved, not searched, for a hundred thousand of them in every frame. */
function rowAt(rows: readonly Decision[], open: string): number {
  if (open === '') return -1
  let [from, to] = [0, rows.length - 1]
  while (from <= to) {
    const middle = (from + to) >> 1
    const { id } = rows[middle]!
    if (id === Number(open)) return middle
    if (id > Number(open)) from = middle + 1
    else to = middle - 1
  }
  return -1
}

/** Beyond what is in sight, so that a quick hand finds something there. */
const spare = 12

/** Only what is in sight is in the page: a hundred thousand rows scroll like ten. What scrolls out of sight is used again for what comes. */
function Rows({ rows, open, more }: { rows: readonly Decision[]; open: string; more: (() => void) | undefined }) {
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(800)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const measure = () => setHeight(box.current?.clientHeight ?? 800)
    measure()
    addEventListener('resize', measure)
    return () => removeEventListener('resize', measure)
  }, [])
  const chosen = rowAt(rows, open)
  useEffect(() => {
    const element = box.current
    if (!element || chosen < 0) return
    const [from, to] = [chosen * rowHeight, (chosen + 1) * rowHeight]
    if (from < element.scrollTop) element.scrollTop = from
    if (to > element.scrollTop + element.clientHeight) element.scrollTop = to - element.clientHeight
  }, [chosen])
  const many = Math.ceil(height / rowHeight) + 2 * spare
  const first = Math.max(0, Math.min(top - spare, rows.length - many))
  useEffect(() => {
    if (first + many >= rows.length - pageSize / 2) more?.()
  }, [first, many, rows.length])
  const here = withParams({ open: null })
  const link = `${here}${here.includes('?') ? '&' : '?'}open=`
  return (
    <div
      class="grid"
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
      tabIndex={0}
      role="region"
      aria-label="Decisions"
      // By four: most steps of a wheel change nothing but the place.
      onScroll={({ currentTarget }) => setTop(Math.floor(currentTarget.scrollTop / rowHeight / 4) * 4)}
    >
      <ul style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, first + many).map((row, at) => (
          <li key={(first + at) % many} style={{ top: `${(first + at) * rowHeight}px` }}>
            <Row row={row} href={`${link}${row.id}`} isChosen={first + at === chosen} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function Row({ row, href, isChosen }: { row: Decision; href: string; isChosen: boolean }) {
  return (
    <a class={isChosen ? 'row chosen' : 'row'} href={href} aria-current={isChosen}>
      <Time at={row.time} />
      <span class="host">{row.host}</span>
      <span class="project">{baseName(row.project)}</span>
      <Sign mark={row.mark} />
      <span class="code what">{row.subject}</span>
      <span class={`remark ${row.mark}`}>{row.remark}</span>
      <span class="took">{millis(row.duration_ms)}</span>
    </a>
  )
}

function Filters() {
  const set = (name: string, value: string) => go(withParams({ [name]: value }), { replace: true })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const narrowed = filters.filter((name) => name !== 'text' && name !== 'mark' && param(name) !== '')
  return (
    <search class="filters">
      <input
        type="search"
        id="search"
        placeholder="Search  /"
        aria-label="Search in commands, reasons, rules, sessions"
        value={param('text')}
        onInput={(event) => {
          const { value } = event.currentTarget
          clearTimeout(timer.current)
          timer.current = setTimeout(() => set('text', value), 150)
        }}
      />
      <select aria-label="Which decisions" value={param('mark')} onChange={(event) => set('mark', event.currentTarget.value)}>
        <option value="">all decisions</option>
        {(Object.keys(marks) as Mark[]).map((mark) => (
          <option key={mark} value={mark}>
            {marks[mark].sign} {marks[mark].word}
          </option>
        ))}
      </select>
      {narrowed.map((name) => (
        <button key={name} type="button" class="chip" onClick={() => set(name, '')} title="Take it away">
          {name}: {param(name)} ✕
        </button>
      ))}
    </search>
  )
}

/** Whether the record is as it was written, read anew. */
function Verify() {
  const [result, setResult] = useState<Verified | 'reading'>()
  const verify = () => {
    setResult('reading')
    call<Verified>('POST', '/api/journal/verify').then(setResult, (error) => {
      setResult(undefined)
      fail(error)
    })
  }
  const isGood = result !== 'reading' && result?.status === 'intact'
  return (
    <div class="verify" role="status">
      {result !== undefined && result !== 'reading' && (
        <span class={isGood ? 'good' : 'bad'}>
          {isGood ? `✓ Intact: ${result.entries.toLocaleString()} lines` : `✗ ${result.status}: ${result.detail}`}
        </span>
      )}
      <button type="button" onClick={verify} disabled={result === 'reading'}>
        {result === 'reading' ? 'Reading…' : 'Verify'}
      </button>
    </div>
  )
}
