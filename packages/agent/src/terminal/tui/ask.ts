import { type Component, type Focusable, Input, matchesKey } from '@mariozechner/pi-tui'
import { type Desk, type Paint, printable } from 'hookline/internal'
import type { Approval, ApprovalRequest, Person } from '../../core/index.ts'
import { changeOf, type FileChange } from '../../tools/index.ts'
import type { Activity, Asker } from '../activity.ts'
import type { Lasting } from '../always.ts'
import { badgeOf, dressed, editableKey, type Offer, whyAsked, withStakes } from '../confirm.ts'
import { showChange } from '../diff.ts'
import { showInput } from '../show.ts'
import { fitted } from './blocks.ts'
import { drawBox } from './box.ts'
import { folded } from './call.ts'

/** Something that takes the place of the input until it is answered. */
export type Panel = Component & Partial<Focusable>

export interface AskOptions {
  paint: Paint
  activity: Activity
  cwd: string
  /** How high the screen is: what does not fit is shown above, whole. */
  rows(): number
  say(lines: readonly string[]): void
  /** Shows the panel that `make` makes, and waits for its answer; undefined when the signal aborts. */
  show<T>(make: (answer: (value: T) => void) => Panel, signal: AbortSignal): Promise<T | undefined>
  /** What a yes for the session would cover. */
  describeGrant(call: { name: string; input: Record<string, unknown>; category: string }): string | undefined
  lastingFor(request: ApprovalRequest, change: FileChange | undefined, askers: readonly Asker[]): Lasting | undefined
  /** Explains the decision that led to the question. */
  why(): void
  /** Stops the work that waits for the answer. */
  stop(): void
}

type Choice = 'once' | 'session' | 'always' | 'edit' | 'no'

/** The person at the terminal: sees what will run, who asks and how far it reaches, and decides with one key. */
export function personAtScreen(options: AskOptions): Person {
  const { paint, activity, cwd, say, show, stop } = options
  const line = (question: string, signal: AbortSignal) =>
    show<string>((answer) => inputPanel(question, false, paint, answer, stop), signal)
  const edit = (question: string, before: string, signal: AbortSignal) =>
    show<string>((answer) => inputPanel(question, false, paint, answer, () => answer(before), before), signal)

  return {
    async approve(given, signal) {
      const request = await withStakes(given, cwd)
      const askers = activity.askers(request.call.id)
      const change = await changeOf(request.call, cwd)
      const lasting = options.lastingFor(request, change, askers)
      const editable = editableKey(request.call.input)
      const grant =
        askers.length === 0 ? options.describeGrant({ ...request.call, category: request.category }) : undefined
      const whole = change ? showChange(change, paint) : showInput(request.call.input)
      const most = Math.max(6, options.rows() - 14)
      if (whole.length > most) say(['', ...whole])
      for (;;) {
        const shown =
          whole.length > most
            ? [...folded(whole, most, paint).slice(0, -1), paint.dim('… all of it stands above')]
            : whole
        const choice = await show<Choice>(
          (answer) => choicePanel({ request, askers, shown, grant, lasting, editable, ...options, answer }),
          signal,
        )
        if (choice === undefined) return { answer: 'no', reason: 'Nobody answered.' }
        if (choice === 'no') {
          const reason = await line('Why not? Enter alone gives no reason.', signal)
          return reason?.trim() ? { answer: 'no', reason: reason.trim() } : { answer: 'no' }
        }
        if (choice === 'edit' && editable !== undefined) {
          const before = String(request.call.input[editable])
          const after = (await edit('Edit the command; Enter asks about the new one.', before, signal))?.trim()
          if (!after || after === before.trim()) continue
          say([`  ${paint.cyan('~ you')} changed it to ${printable(after)}`])
          return { answer: 'edit', input: { ...request.call.input, [editable]: after } }
        }
        if (choice === 'always' && lasting) {
          const { written, line: said } = await lasting.write(deskAt(show, paint, stop, signal))
          say([`  ${written ? paint.green('✓') : paint.yellow('!')} ${said}`])
          if (written) return { answer: 'once' }
          continue
        }
        return { answer: choice === 'session' ? 'tool' : 'once' } satisfies Approval
      }
    },
    async answer(question, choices, signal) {
      const numbered = choices.map((choice, at) => `  ${paint.cyan(String(at + 1))} ${printable(choice)}`)
      say(['', `${paint.yellow('?')} ${printable(question)}`, ...numbered])
      const typed = (await line(choices.length > 0 ? 'A number, or your own words' : 'Your answer', signal)) ?? ''
      return choices[Number(typed.trim()) - 1] ?? typed
    },
    async goOn(limit, signal) {
      const lines = [`The agent has called its model ${limit} times, which is its limit.`]
      const keys = { y: true, n: false }
      const told = { title: 'Go on?', badge: '', lines, keys: [`${paint.cyan('y')} yes`, `${paint.cyan('n')} no`] }
      const go = await show<boolean>(
        (answer) =>
          keyPanel(
            (width) => drawBox(told, width, paint),
            (key) => key in keys && answer(keys[key as 'y']),
            stop,
          ),
        signal,
      )
      return go === true
    },
  }
}

/** Where the person answers with a line; who leaves it gives none. */
export function deskAt(show: AskOptions['show'], paint: Paint, stop: () => void, signal: AbortSignal): Desk {
  const line = (question: string, secret: boolean) =>
    show<string | undefined>((answer) => {
      const leave = () => {
        stop()
        answer(undefined)
      }
      return inputPanel(question, secret, paint, answer, leave)
    }, signal)
  return { line: (question) => line(question, false), secret: (question) => line(question, true) }
}

interface ChoiceOptions extends AskOptions, Offer {
  request: ApprovalRequest
  askers: readonly Asker[]
  shown: readonly string[]
  answer(choice: Choice): void
}

function choicePanel({
  request,
  askers,
  shown,
  grant,
  lasting,
  editable,
  paint,
  answer,
  why: explain,
  say,
  stop,
}: ChoiceOptions): Panel {
  const why = whyAsked(request, askers, paint)
  const key = (letter: string, words: string) => `${paint.cyan(letter)} ${words}`
  const about = [
    ...shown,
    ...why.ofAskers.map(paint.yellow),
    ...(askers.length > 0 ? [paint.dim(`asked by ${[...new Set(askers.map(({ hook }) => hook))].join(', ')}`)] : []),
    ...why.others.map(paint.dim),
    ...others(request).map(([name, value]) => paint.dim(`${printable(name)}: ${printable(value)}`)),
    ...(grant === undefined ? [] : [paint.dim(`s allows ${printable(grant)} until the session ends`)]),
    ...(lasting ? [paint.dim(`a adds a rule: ${lasting.words}`)] : []),
  ]
  const keys = [
    key('y', 'once'),
    ...(grant === undefined ? [] : [key('s', 'this session')]),
    ...(lasting ? [key('a', 'always')] : []),
    key('n', 'no'),
    ...(editable === undefined ? [] : [key('e', 'edit')]),
    key('?', 'why'),
  ]
  const choices: Readonly<Record<string, Choice>> = {
    y: 'once',
    n: 'no',
    ...(grant === undefined ? {} : { s: 'session' }),
    ...(lasting ? { a: 'always' } : {}),
    ...(editable === undefined ? {} : { e: 'edit' }),
  }
  const text = { title: titleOf(request, paint), badge: badgeOf(request, paint), lines: about, keys }
  return keyPanel(
    (width) => drawBox(text, width, paint),
    (pressed) => {
      if (pressed === '?') return askers.length > 0 ? explain() : say([paint.dim(nobodyAsks)])
      const choice = choices[pressed]
      if (choice) answer(choice)
    },
    stop,
  )
}

/** `/why` would explain an earlier decision, about another call. */
const nobodyAsks =
  'No hook asks about it. What does more than read needs your yes, unless a rule, the permission mode or an earlier answer for this session allows it.'

const titleOf = ({ call, agent }: ApprovalRequest, paint: Paint): string =>
  `${paint.yellow('?')} ${paint.bold(printable(call.name))} ${paint.dim(`for ${printable(agent)}`)}`

const others = ({ metadata }: ApprovalRequest) => Object.entries(metadata).filter(([name]) => !dressed.has(name))

/** Answered with one key. */
function keyPanel(draw: (width: number) => string[], pressed: (key: string) => void, stop: () => void): Panel {
  return {
    render: (width) => ['', ...draw(width)].map((line) => fitted(line, width)),
    invalidate: () => {},
    handleInput(data) {
      if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+c')) return stop()
      pressed(data.toLowerCase())
    },
  }
}

const endOfLine = '\u0005'

/** Answered with a line. `begun`: what stands in it already. */
function inputPanel(
  question: string,
  secret: boolean,
  paint: Paint,
  answer: (text: string) => void,
  stop: () => void,
  begun = '',
): Panel {
  const input = new Input()
  // With the cursor behind it, as if it had been typed.
  input.setValue(begun)
  input.handleInput(endOfLine)
  input.onSubmit = answer
  input.onEscape = stop
  return {
    get focused() {
      return input.focused
    },
    set focused(to) {
      input.focused = to
    },
    render(width) {
      const typed = secret ? [`> ${'•'.repeat(input.getValue().length)}`] : input.render(width)
      return ['', paint.bold(printable(question)), ...typed].map((line) => fitted(line, width))
    },
    invalidate: () => input.invalidate(),
    handleInput: (data) => input.handleInput(data),
  }
}
