import type { PendingQuestion } from '../../daemon/index.ts'
import { harmless, timesOf } from '../questions/show.ts'
import { clockOf, millis } from '../text/entries.ts'
import { count } from '../text/layout.ts'
import type { Colour, Paint } from '../text/paint.ts'
import { cells, fill, fit, toAscii, wrapCells } from './cells.ts'
import { aboutQuestion, aboutRow, keyLines } from './details.ts'
import { agentsOf, filtered, type Watched } from './model.ts'
import type { Mark, Row } from './rows.ts'
import { questionAt, rowAt, type View } from './view.ts'

export interface Size {
  columns: number
  rows: number
}

export interface Style {
  paint: Paint
  unicode: boolean
  now: number
}

/** The whole screen: at most as many lines as it has, none wider than it is. Pure. */
export function draw(watched: Watched, view: View, size: Size, style: Style): string[] {
  const { columns, rows } = { columns: Math.max(20, size.columns), rows: Math.max(4, size.rows) }
  const bottom = bottomLines(view, columns, style).slice(1 - rows)
  const top = [
    header(watched, columns, style),
    ...headline(watched, columns, style),
    ...agents(watched, columns, rows, style),
    rule(columns, style),
    ...questions(watched, view, { columns, rows }, style),
  ]
  const room = Math.max(0, rows - Math.min(top.length, rows - 1) - bottom.length)
  const body = view.panel ? panel(watched, view, columns, style) : decisions(watched, view, columns, room, style)
  // What is said or typed at the bottom has its place there.
  const blank = bottom.length === 0 ? 0 : Math.max(0, room - body.length)
  const above = [...top.slice(0, rows - bottom.length), ...body.slice(0, room), ...Array<string>(blank).fill('')]
  const lines = [...above, ...bottom]
  return style.unicode ? lines : lines.map(toAscii)
}

function header(watched: Watched, columns: number, { paint, now }: Style): string {
  const { decisions, blocked, questions, failedOpen } = watched
  const counts: [number, string, Colour | undefined][] = [
    [agentsOf(watched, now).length, 'agent', undefined],
    [decisions, 'decision', undefined],
    [blocked, 'blocked', undefined],
    [questions.length, 'waiting', 'yellow'],
    [failedOpen.count, 'failed open', 'red'],
  ]
  const words = counts.map(([number, word]) =>
    /^(?:agent|decision)$/.test(word) ? count(number, word).replace(/^no /, '0 ') : `${number} ${word}`,
  )
  const painted = words.map((text, at) => {
    const [number, , colour] = counts[at]!
    return colour && number > 0 ? paint[colour](text) : text
  })
  const keys = 'q quit  / filter  ? keys'
  // The narrower it is, the less is said: first without the keys, then without the name.
  const width = cells(words.join(' · '))
  const [title, gap] = columns >= width + 19 ? [' hookline watch', '    '] : ['', ' ']
  const line = `${paint.bold(title)}${gap}${painted.join(paint.dim(' · '))}`
  const used = cells(title) + gap.length + width
  if (used > columns) return fit(` ${words.join(' · ')}`, columns)
  const room = columns - used - keys.length - 1
  return room >= 2 ? `${line}${' '.repeat(room)}${paint.dim(keys)}` : line
}

/** A guard that failed and let something through is the first thing to know. */
function headline({ failedOpen: { count: failed, last } }: Watched, columns: number, { paint }: Style): string[] {
  if (failed === 0 || !last) return []
  const said = ` ! ${failed} failed open: ${last.remark} (${last.host}, ${clockOf(last.time)}). See: hookline log --failed`
  return [paint.red(fit(said, columns))]
}

function agents(watched: Watched, columns: number, rows: number, { paint, now }: Style): string[] {
  const all = agentsOf(watched, now)
  if (all.length === 0 || rows < 12) return []
  const words = all.map(
    ({ host, project, decisions, blocked }) =>
      `${[host, project].filter(Boolean).join(' ')} ${decisions}${blocked > 0 ? ` (${blocked} blocked)` : ''}`,
  )
  return [paint.dim(fit(` ${words.join(' · ')}`, columns))]
}

const rule = (columns: number, { paint }: Style): string => paint.dim(` ${'─'.repeat(columns - 2)}`)

/** So many are shown at once; the others come up when these are answered. */
const mostQuestions = 5

function questions(watched: Watched, view: View, { columns, rows }: Size, style: Style): string[] {
  const all = watched.questions
  if (all.length === 0) return []
  const { paint } = style
  const chosen = questionAt(watched, view)
  const shown = all.slice(0, rows < 16 ? 1 : mostQuestions)
  if (chosen && !shown.includes(chosen)) shown[shown.length - 1] = chosen
  const keys = view.readOnly === undefined ? answerKeys : `Read only: ${view.readOnly}`
  const more = all.length - shown.length
  return [
    ...shown.flatMap((question) => {
      const line = questionLine(question, all.length, columns, style)
      return question === chosen ? [line, paint.dim(fit(`   ${keys}`, columns))] : [line]
    }),
    ...(more > 0 ? [paint.dim(`   and ${more} more`)] : []),
    rule(columns, style),
  ]
}

const answerKeys = '[y] once   [s] session   [a] always   [n] no   [d] details'

function questionLine(question: PendingQuestion, waiting: number, columns: number, { paint, now }: Style): string {
  const { waited } = timesOf(question, now)
  const head = ` ? ${waiting} waiting  ${fit(harmless(question.host), 9)}  ${columns >= 80 ? `${fit(projectOf(question), 14)}  ` : ''}`
  const tail = `  ${waited.padStart(5)} `
  const room = columns - cells(head) - cells(tail)
  const what = harmless(question.what)
  const why = harmless(question.details?.['reason'] ?? question.reason)
  const width = columns >= 80 ? Math.max(20, Math.floor(room * 0.55)) : room
  const about = columns >= 80 ? `${fill(what, width)}  ${fill(why, room - width - 2)}` : fill(what, room)
  return `${paint.yellow(head)}${paint.bold(about)}${paint.dim(tail)}`
}

const projectOf = ({ cwd }: PendingQuestion): string => harmless(cwd.split('/').at(-1) ?? '')

const marks: Record<Mark, { symbol: string; colour: Colour }> = {
  blocked: { symbol: '✗', colour: 'red' },
  asked: { symbol: '?', colour: 'yellow' },
  allowed: { symbol: '✓', colour: 'green' },
  rewritten: { symbol: '~', colour: 'cyan' },
  failed: { symbol: '!', colour: 'red' },
  quiet: { symbol: '·', colour: 'dim' },
}

function decisions(watched: Watched, view: View, columns: number, room: number, style: Style): string[] {
  const all = filtered(watched, view.filter)
  if (all.length === 0) return [` ${style.paint.dim(fit(emptyWords(watched, view), columns - 1))}`]
  const chosen = rowAt(watched, view)
  const from = chosen ? Math.max(0, all.indexOf(chosen) - room + 1) : 0
  const shown = all.slice(from, from + room)
  const hosts = Math.min(10, Math.max(...shown.map(({ host }) => cells(host))))
  const projects = Math.min(16, Math.max(...shown.map(({ project }) => cells(project))))
  return shown.map((row) => decisionLine(row, row === chosen, { hosts, projects, columns }, style))
}

function emptyWords({ rows, connected }: Watched, { filter }: View): string {
  if (rows.length > 0) return `Nothing here matches "${filter}". Esc shows everything again.`
  return `No decisions yet${connected ? '' : ': no agent has called'}. Install Hookline in one: hookline install --all`
}

/** One line: when, who, where, what, which rule, how long. Narrow screens do without where, then without how long. */
export function decisionLine(
  row: Row,
  isChosen: boolean,
  { hosts, projects, columns }: { hosts: number; projects: number; columns: number },
  { paint }: Pick<Style, 'paint'>,
): string {
  const { symbol, colour } = marks[row.mark]
  const head = `${isChosen ? '›' : ' '}${clockOf(row.time)}  ${fill(row.host, hosts)}  ${columns >= 80 && projects > 0 ? `${fill(row.project, projects)}  ` : ''}`
  const took = columns >= 70 ? `${(row.ms === undefined ? '' : millis(row.ms)).padStart(8)} ` : ' '
  const room = columns - cells(head) - 2 - cells(took)
  // Both whole where they fit; else what was to happen has a little more.
  const spare = room - cells(row.what) - 2
  const remarks = Math.min(cells(row.remark), Math.max(10, spare, Math.floor(room * 0.45)))
  const whole = remarks === 0 ? room : room - remarks - 2
  const what = fill(row.what, whole)
  const remark = remarks === 0 ? '' : `  ${paint[colour](fill(row.remark, remarks))}`
  return `${paint.dim(head)}${paint[colour](symbol)} ${row.mark === 'quiet' ? paint.dim(what) : what}${remark}${paint.dim(took)}`
}

function panel(watched: Watched, view: View, columns: number, { paint, now }: Style): string[] {
  const row = rowAt(watched, view)
  const question = questionAt(watched, view)
  const width = columns - 2
  const lines =
    view.panel === 'keys'
      ? keyLines(width)
      : row
        ? aboutRow(row, width)
        : question
          ? aboutQuestion(question, width, now)
          : ['Nothing is chosen.']
  return ['', ...lines.map((line) => ` ${fit(line, width)}`), '', paint.dim(fit(' esc back', columns))]
}

function bottomLines({ typing, notice, filter }: View, columns: number, { paint }: Style): string[] {
  if (typing) {
    // Nothing of a question is cut off: who agrees to a rule has seen the whole of it.
    const asked = wrapCells(typing.label, columns - 2)
    const last = asked.pop()!
    const text = typing.secret ? '' : typing.text
    // The end of what is typed stays in sight.
    const room = Math.max(1, columns - cells(last) - 2)
    return [...asked.map((line) => ` ${paint.bold(line)}`), ` ${paint.bold(last)}${[...text].slice(-room).join('')}`]
  }
  if (notice !== undefined) return wrapCells(notice, columns - 1).map((line) => ` ${line}`)
  return filter === '' ? [] : [paint.dim(fit(` only: ${filter}   (esc: everything)`, columns))]
}
