import { format } from 'node:util'
import { Container, Editor, isKeyRelease, matchesKey, setCapabilities, TUI } from '@mariozechner/pi-tui'
import { homeDirectory, type Invocation, paintFor, printable, widthOf } from 'hookline/internal'
import { fullest } from '../../loop/index.ts'
import { lastingAnswers } from '../always.ts'
import type { Conversation } from '../converse.ts'
import type { Listening, Screen } from '../screen.ts'
import { gauge } from '../show.ts'
import { deskAt, type Panel, personAtScreen } from './ask.ts'
import { block } from './blocks.ts'
import { completion } from './completion.ts'
import { type Device, openDevice } from './device.ts'
import { createHighlight } from './highlight.ts'
import { openHistory } from './history.ts'
import { openSearch } from './search.ts'
import { openStatus } from './status.ts'
import { themeOf } from './theme.ts'
import { openTranscript } from './transcript.ts'

/** A question comes up only when nobody has pressed a key for so long: what was meant for the input must not answer it. */
const quietMs = 400

interface Open {
  tui: TUI
  device: Device
  editor: Editor
  conversation: Conversation
}

/**
 * A conversation on a terminal: what was said scrolls away above, and below it are the state of things, the input or a
 * question, and one line about the session. Before the conversation begins and after it has ended, lines are just printed.
 */
export function openTui(invocation: Invocation): Screen {
  const { input, output } = invocation
  const paint = paintFor(output)
  const width = () => widthOf(output)
  const columns = () => output.columns || 80
  let open: Open | undefined
  let isWorking = false
  let panel: Panel | undefined
  let cwd = process.cwd()
  let about = ''
  /** How full the fullest budget is; undefined where there is none. */
  let budget: number | undefined
  let lastKey = 0
  let edited = () => {}

  const theme = themeOf(
    paint,
    createHighlight(paint, () => open?.tui.invalidate()),
  )
  const transcript = openTranscript({ theme, cwd: () => cwd, width: columns, changed })
  const status = openStatus(paint, () => open?.tui.requestRender())
  const area = new Container()
  const footer = block((room) => [footerLine(about, budget, cwd, room, paint)])
  const history = openHistory()

  function changed(): void {
    if (open) {
      open.tui.requestRender()
      return
    }
    const lines = transcript.component.render(columns())
    transcript.component.clear()
    if (lines.length > 0) output.write(`${lines.join('\n')}\n`)
  }

  function place(shown: Panel | undefined): void {
    panel = shown
    area.clear()
    if (!open) return
    area.addChild(shown ?? open.editor)
    open.tui.setFocus(shown ?? open.editor)
    open.tui.requestRender()
  }

  let shown: Promise<unknown> = Promise.resolve()

  /** A panel in the place of the input, until it is answered or the signal aborts; one after the other. */
  function show<T>(make: (answer: (value: T) => void) => Panel, signal: AbortSignal): Promise<T | undefined> {
    const next = shown.then(() => showNow(make, signal))
    shown = next.catch(() => {})
    return next
  }

  async function showNow<T>(make: (answer: (value: T) => void) => Panel, signal: AbortSignal): Promise<T | undefined> {
    await untilQuiet(signal)
    if (signal.aborted || !open) return undefined
    return new Promise((resolve) => {
      const settle = (value: T | undefined) => {
        signal.removeEventListener('abort', aborted)
        status.waits(false)
        place(undefined)
        resolve(value)
      }
      const aborted = () => settle(undefined)
      signal.addEventListener('abort', aborted)
      status.waits(true)
      place(make(settle))
    })
  }

  /** What is being typed is finished first: it must not become the answer to a question that came up meanwhile. */
  async function untilQuiet(signal: AbortSignal): Promise<void> {
    if (open && open.editor.getText() !== '') {
      transcript.say([paint.yellow('  ? There is a question. Send or clear your line first.')])
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true })
        edited = () => open?.editor.getText() === '' && resolve()
      })
      edited = () => {}
    }
    for (let rest = 1; rest > 0 && !signal.aborted; ) {
      rest = lastKey + quietMs - Date.now()
      if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest))
    }
  }

  function submit(text: string): void {
    if (!open || text === '') return
    history.add(text)
    open.editor.addToHistory(text)
    if (text.startsWith('/')) transcript.say(['', `${paint.cyan('›')} ${printable(text)}`])
    else if (isWorking) status.queue(printable(text))
    else transcript.sent(text)
    open.conversation.typed(text)
  }

  /** Keys that mean something wherever the person types. True: it is done. */
  function pressed(data: string): boolean {
    if (!open || isKeyRelease(data)) return false
    lastKey = Date.now()
    if (panel) return false
    const { editor, conversation, tui, device } = open
    const isEmpty = editor.getText() === ''
    const keys: readonly [key: Parameters<typeof matchesKey>[1], when: boolean, run: () => void][] = [
      ['ctrl+c', isEmpty, conversation.interrupt],
      ['ctrl+c', !isEmpty, clear],
      ['ctrl+d', isEmpty, conversation.noMore],
      ['escape', isWorking && !editor.isShowingAutocomplete(), conversation.stop],
      ['ctrl+o', true, unfold],
      ['ctrl+l', true, () => tui.requestRender(true)],
      ['ctrl+r', true, search],
      ['ctrl+z', true, () => suspend(tui)],
    ]
    const found = keys.find(([key, when]) => when && matchesKey(data, key))
    found?.[2]()
    return found !== undefined

    function clear(): void {
      editor.setText('')
      tui.requestRender()
    }

    function unfold(): void {
      device.replay()
      transcript.unfold()
    }
  }

  function search(): void {
    const left = () => place(undefined)
    const taken = (text: string) => {
      open?.editor.setText(text)
      left()
    }
    place(openSearch(history.all(), paint, { taken, left }))
  }

  function start(conversation: Conversation, listening: Listening): void {
    // A link shows where it leads, and nothing draws pictures.
    setCapabilities({ images: null, trueColor: false, hyperlinks: false })
    const device = openDevice(input, output, { gone: conversation.hangUp, top: () => topOf(tui, device) })
    const tui: TUI = new TUI(device)
    const editor = new Editor(tui, theme.editor, { autocompleteMaxVisible: 8 })
    editor.onSubmit = submit
    editor.onChange = () => edited()
    for (const text of history.all()) editor.addToHistory(text)
    editor.setAutocompleteProvider(completion(listening.commands, listening.cwd))
    open = { tui, device, editor, conversation }
    cwd = listening.cwd
    for (const part of [transcript.component, status, area, footer]) tui.addChild(part)
    tui.addInputListener((data) => (pressed(data) ? { consume: true } : undefined))
    place(undefined)
    quieten(transcript.say)
    tui.start()
    process.once('exit', device.stop)
  }

  return {
    paint,
    width,
    watch(happening) {
      if (happening.type === 'session' && happening.source === 'clear') transcript.clear()
      if (happening.type === 'session') about = `${happening.agent} · ${happening.model}`
      if (happening.type === 'usage' && !happening.sub_agent) about = `${happening.agent} · ${happening.model}`
      if (happening.type === 'budget_usage') budget = fullest(happening.budgets)
      footer.changed()
      status.watch(happening)
      transcript.watch(happening)
    },
    hooks: transcript.hooks,
    setHooks: transcript.activity.setHooks,
    setWaiting: transcript.activity.setWaiting,
    say: transcript.say,
    desk: deskAt(show, paint, () => {}, new AbortController().signal),
    person: (permissions, workspace) =>
      personAtScreen({
        paint,
        activity: transcript.activity,
        cwd: workspace,
        rows: () => output.rows || 24,
        say: transcript.say,
        show,
        describeGrant: (call) => permissions.describeGrant?.(call),
        lastingFor: lastingAnswers(permissions, workspace, invocation),
        why: () => open?.conversation.typed('/why'),
        stop: () => open?.conversation.stop(),
      }),
    listen: start,
    working(at) {
      isWorking = at
      status.working(at)
      if (!at) transcript.rests()
    },
    result: () => {},
    close() {
      if (!open) return
      const { tui, device } = open
      status.close()
      for (const part of [status, area, footer]) tui.removeChild(part)
      drawNow(tui)
      tui.stop()
      unquieten()
      transcript.component.clear()
      process.off('exit', device.stop)
      open = undefined
    },
  }
}

const spoken = ['log', 'info', 'warn', 'error', 'debug'] as const
const usual = spoken.map((name) => [name, console[name]] as const)

/** What libraries print would be written into the picture: it becomes a part of the conversation. */
function quieten(say: (lines: readonly string[]) => void): void {
  for (const name of spoken) console[name] = (...words: unknown[]) => say(printable(format(...words)).split('\n'))
}

function unquieten(): void {
  for (const [name, print] of usual) console[name] = print
}

/** What the library does not show: how it draws, and what it drew last. */
interface Drawing {
  doRender(): void
  previousViewportTop: number
  previousWidth: number
}
const drawing = (tui: TUI): Drawing => tui as unknown as Drawing

/** The library draws when it gets round to it; the last picture has to be there before the terminal is given back. */
const drawNow = (tui: TUI): void => drawing(tui).doRender()

/** The first line on the screen; lines of another width say nothing about it. */
const topOf = (tui: TUI, { columns }: Device): number =>
  drawing(tui).previousWidth === columns ? drawing(tui).previousViewportTop : Number.POSITIVE_INFINITY

/** Ctrl+Z, as every program at a terminal has it. */
function suspend(tui: TUI): void {
  tui.stop()
  // Nothing else is open now, and Node would end before it hears of the signal.
  const staying = setInterval(() => {}, 60_000)
  process.once('SIGCONT', () => {
    clearInterval(staying)
    tui.start()
    tui.requestRender(true)
  })
  process.kill(0, 'SIGTSTP')
}

function footerLine(
  about: string,
  budget: number | undefined,
  cwd: string,
  room: number,
  paint: ReturnType<typeof paintFor>,
): string {
  const home = homeDirectory()
  const where = cwd === home || cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd
  const left = printable([about, where].filter((text) => text !== '').join(' · '))
  const keys = '/ commands · @ files · Ctrl+R history · Ctrl+O unfold'
  const spent = budget === undefined ? '' : ` · ${Math.round(budget * 100)} % of the budget`
  const gap = room - left.length - spent.length - keys.length
  const shown = `${paint.dim(left)}${paint[gauge(budget ?? 0)](spent)}`
  return gap > 2 ? `${shown}${paint.dim(`${' '.repeat(gap)}${keys}`)}` : shown
}
