import { useState } from 'preact/hooks'
import { withParams } from '../state.ts'
import type { Decision, OwnSession, SessionTurn } from '../types.ts'
import type { Heard } from './own-session.ts'
import { marks, millis, Sign, Time } from './words.tsx'

interface Turn {
  key: string
  /** What was said, where this server runs the session; else the prompt, as the journal has it. */
  said?: SessionTurn
  prompt?: Decision
  rows: Decision[]
}

/** A turn begins with a prompt; what came before the first one is a turn as well. */
function turnsIn(rows: readonly Decision[]): Turn[] {
  const turns: Turn[] = []
  for (const row of rows) {
    const last = turns.at(-1)
    if (row.event === 'user_prompt_submit') turns.push({ key: String(row.id), prompt: row, rows: [] })
    else if (last) last.rows.push(row)
    else turns.push({ key: `before ${row.id}`, rows: [row] })
  }
  return turns
}

/** Where the turns are known, each has what was decided from its beginning on. */
function turnsOf(session: OwnSession, rows: readonly Decision[]): Turn[] {
  const before: Turn = { key: 'before', rows: [] }
  const turns = session.turns.map((said): Turn => ({ key: said.id, said, rows: [] }))
  for (const row of rows) (turns.findLast(({ said }) => Date.parse(said!.started) <= Date.parse(row.time)) ?? before).rows.push(row)
  return before.rows.length > 0 ? [before, ...turns] : turns
}

const startOf = ({ time, duration_ms: took }: Decision): number => Date.parse(time) - (took ?? 0)

interface Props {
  rows: readonly Decision[]
  open: string
  session?: OwnSession | undefined
  /** What is streamed, and what tools gave back, by call. */
  heard?: Heard | undefined
}

/** What happened in a session, turn by turn. In each, every line stands on one axis of time: deciding, and then running. */
export function Timeline({ rows, open, session, heard }: Props) {
  const turns = session ? turnsOf(session, rows) : turnsIn(rows)
  let number = 0
  return (
    <ol class="turns">
      {turns.map((turn) => (
        <OneTurn key={turn.key} turn={turn} number={turn.prompt || turn.said ? ++number : 0} open={open} heard={heard} />
      ))}
    </ol>
  )
}

const states: Record<SessionTurn['state'], string> = {
  queued: '· waits for its turn',
  running: '… works',
  completed: '✓ done',
  failed: '✗ failed',
  canceled: '✗ stopped',
}

function OneTurn({ turn, number, open, heard }: { turn: Turn; number: number; open: string; heard: Heard | undefined }) {
  const { prompt, rows, said } = turn
  const all = prompt ? [prompt, ...rows] : rows
  const from = Math.min(...all.map(startOf))
  const to = Math.max(from + 1, ...all.map(({ time }) => Date.parse(time)))
  const ends = new Map(rows.filter(({ event, call }) => event === 'post_tool_use' && call !== null).map((row) => [row.call, row]))
  // The end of a call is drawn on the line of its beginning, unless something came of it.
  const every = all.filter((row) => row.event !== 'post_tool_use' || row.mark !== 'quiet' || row.call === null)
  const [isWhole, setWhole] = useState(false)
  const folded = every.filter((row) => !isTold(row)).length
  const shown = isWhole ? every : every.filter(isTold)
  const reply = said?.response ?? (said?.state === 'running' ? heard?.text : undefined)
  return (
    <li>
      <h2>
        {number === 0 ? 'Before the first prompt' : `Turn ${number}`}{' '}
        <span class="dim">
          {said && `${states[said.state]} `}
          {all.length > 0 && millis(to - from)}
        </span>
      </h2>
      {said && <p class="said">{said.prompt}</p>}
      {shown.map((row) => (
        <>
          <Line
            key={row.id}
            row={row}
            open={open}
            from={from}
            to={to}
            end={row.event === 'pre_tool_use' && row.mark !== 'blocked' ? ends.get(row.call) : undefined}
          />
          {row.event === 'pre_tool_use' && <Output text={heard?.results.get(row.call ?? '')} />}
        </>
      ))}
      {folded > 0 && (
        <button type="button" class="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Fold quiet events' : folded === 1 ? '1 quiet event' : `${folded} quiet events`}
        </button>
      )}
      {reply !== undefined && reply !== '' && <p class="reply">{reply}</p>}
      {said?.user_message && <p class="bad">✗ {said.user_message}</p>}
    </li>
  )
}

/** Prompts, calls, and whatever something came of; the rest is folded. */
const isTold = ({ event, mark }: Decision): boolean => mark !== 'quiet' || event === 'pre_tool_use' || event === 'user_prompt_submit'

function Output({ text }: { text: string | undefined }) {
  if (text === undefined || text === '') return null
  return (
    <details class="output">
      <summary class="dim">{text.split('\n', 1)[0]!.slice(0, 120)}</summary>
      <pre>{text}</pre>
    </details>
  )
}

interface LineProps {
  row: Decision
  open: string
  from: number
  to: number
  end: Decision | undefined
}

function Line({ row, open, from, to, end }: LineProps) {
  const share = (ms: number) => `${Math.max(0, Math.min(100, (ms / (to - from)) * 100))}%`
  const [start, decided] = [startOf(row), Date.parse(row.time)]
  const ran = end && Math.max(0, startOf(end) - decided)
  const isChosen = String(row.id) === open
  return (
    <a
      class={isChosen ? 'step chosen' : 'step'}
      href={withParams({ decision: String(row.id) })}
      aria-current={isChosen}
    >
      <Time at={row.time} />
      <Sign mark={row.mark} />
      <span class="what">
        <span class={row.event === 'user_prompt_submit' ? '' : 'code'}>{row.subject || row.event}</span>
        {row.event !== 'pre_tool_use' && <span class="dim"> {row.event.replaceAll('_', ' ')}</span>}
        {row.remark !== '' && <span class={row.mark}> {row.remark}</span>}
      </span>
      <span
        class="axis"
        role="img"
        aria-label={`${marks[row.mark].word}, decided in ${millis(row.duration_ms) || '0 ms'}${ran === undefined ? '' : `, ran for ${millis(ran)}`}`}
      >
        <i class="decided" style={{ left: share(start - from), width: share(decided - start) }} />
        {ran !== undefined && <i class="ran" style={{ left: share(decided - from), width: share(ran) }} />}
      </span>
      <span class="took">{ran === undefined ? millis(row.duration_ms) : millis(ran)}</span>
    </a>
  )
}
