import { HooklineError } from '../../core/index.ts'
import type { DaemonConnection, GivenAnswer, PendingQuestion } from '../../daemon/index.ts'
import { type Desk, type Person, personHere } from '../../person/index.ts'
import { stateDirectory } from '../../platform/index.ts'
import type { Invocation } from '../command.ts'
import { lastingAnswer } from '../questions/always.ts'
import { answered, harmless, refusalOf, showLasting, whoAnswers } from '../questions/show.ts'
import { addRule } from '../rules/add-rule.ts'
import { showsUnicode } from '../text/layout.ts'
import { paintFor } from '../text/paint.ts'
import { draw } from './draw.ts'
import type { FeedListener } from './feed.ts'
import { addEntry, addQuestion, dropQuestion, nothingYet } from './model.ts'
import { openFullScreen } from './terminal.ts'
import { choose, questionAt, rowAt, type View } from './view.ts'

export interface Screen {
  listener: FeedListener
  /** Whether whoever sits here may answer. */
  attached: boolean
  close(): void
}

/** A question that has just come to the place where keys answer must first be read: what is typed sooner was meant for another. */
const readMs = 400

/** The live screen. Everything happens in one place: what is known, what is chosen, and what a key does. */
export function openScreen({ input, output }: Invocation, quit: () => void): Screen {
  const watched = nothingYet()
  const view: View = { filter: '' }
  const terminal = openFullScreen(input, output)
  const style = { paint: paintFor(output), unicode: showsUnicode() }
  let daemon: DaemonConnection | undefined
  let typed: ((text: string | undefined) => void) | undefined
  let answering = false
  let inPlace: { id: string; since: number } | undefined
  let drawn: NodeJS.Immediate | undefined
  const person = whoIsHere(view)

  const redraw = () => {
    drawn ??= setImmediate(() => {
      drawn = undefined
      const now = Date.now()
      const question = questionAt(watched, view)
      if (question?.id !== inPlace?.id) inPlace = question && { id: question.id, since: now }
      terminal.show(draw(watched, view, terminal.size(), { ...style, now }), view.typing !== undefined)
    })
  }
  // How long questions wait is shown in seconds.
  const clock = setInterval(() => watched.questions.length > 0 && redraw(), 1_000)

  /** What is typed until Enter, on the last line. Escape and Ctrl+C: undefined. */
  const line = (label: string, secret = false): Promise<string | undefined> =>
    new Promise((resolve) => {
      view.typing = { label, text: '', ...(secret && { secret }) }
      typed = (text) => {
        delete view.typing
        typed = undefined
        resolve(text)
        redraw()
      }
      redraw()
    })
  const desk: Desk = { line: (question) => line(question), secret: (question) => line(question, true) }

  async function answer(question: PendingQuestion, given: GivenAnswer): Promise<string> {
    if (!person) return `Read only: ${view.readOnly}`
    const said = `${answered[given.answer]}: ${harmless(question.what)}`
    let rule: string | undefined
    if (given.answer === 'always') {
      const lasting = await lastingAnswer(question)
      if ('impossible' in lasting) return showLasting(lasting)
      const sure = await line(`${showLasting(lasting)}   Add it? [y/N] `)
      if (!/^\s*y(?:es)?\s*$/i.test(sure ?? '')) return 'Nothing was written; it goes on waiting.'
      if (!(await person.confirm(desk))) return notProven
      const added = await addRule(lasting.target, lasting.rule, question.cwd)
      rule = added.already ? 'the rule was there' : `rule ${added.rule.id} added`
    } else if (!(await person.confirm(desk))) return notProven
    const result = await daemon?.answer(question.id, given)
    const refusal = result ? refusalOf(result, question.id) : 'The daemon is gone; the call was refused.'
    return [refusal ?? said, ...(rule === undefined ? [] : [rule])].join(' · ')
  }

  async function give(word: GivenAnswer['answer'], withReason = false): Promise<void> {
    const question = questionAt(watched, view)
    if (!question || answering || Date.now() - (inPlace?.since ?? 0) < readMs) return
    answering = true
    try {
      const because = withReason ? await line('Why not? ') : undefined
      if (withReason && because === undefined) return
      const given = { answer: word, by: whoAnswers(), ...(because && { because }) }
      view.notice = await answer(question, given)
    } catch (error) {
      view.notice = harmless(error instanceof HooklineError ? error.message : String(error))
    } finally {
      answering = false
      redraw()
    }
  }

  const keys: Record<string, () => void> = {
    y: () => void give('yes'),
    s: () => void give('session'),
    a: () => void give('always'),
    n: () => void give('no'),
    N: () => void give('no', true),
    d: () => toggle('details'),
    '\r': () => toggle('details'),
    '?': () => toggle('keys'),
    '/': () =>
      void line('/').then((text) => {
        if (text !== undefined) view.filter = text.trim()
        delete view.chosen
      }),
    '\x1b': back,
    '\x1b[A': () => move(-1),
    '\x1b[B': () => move(1),
    k: () => move(-1),
    j: () => move(1),
    q: quit,
    '\x03': quit,
  }

  function toggle(panel: NonNullable<View['panel']>): void {
    if (view.panel === panel) delete view.panel
    else if (panel === 'keys' || questionAt(watched, view) || rowAt(watched, view)) view.panel = panel
  }

  function move(by: 1 | -1): void {
    const chosen = choose(watched, view, by)
    if (chosen === undefined) delete view.chosen
    else view.chosen = chosen
  }

  /** One step at a time: the panel, then what is chosen, then the filter. */
  function back(): void {
    if (view.panel) delete view.panel
    else if (view.chosen !== undefined) delete view.chosen
    else view.filter = ''
  }

  function type(key: string): void {
    const { typing } = view
    if (!typing) return
    if (key === '\r' || key === '\n') typed?.(typing.text)
    else if (key === '\x1b' || key === '\x03') typed?.(undefined)
    else if (key === '\x7f' || key === '\b') typing.text = [...typing.text].slice(0, -1).join('')
    else if (!/^[\x00-\x1f\x7f]/.test(key)) typing.text += key
  }

  terminal.onKeys((key) => {
    if (view.typing) type(key)
    else {
      delete view.notice
      keys[key]?.()
    }
    redraw()
  })
  terminal.onResize(redraw)
  redraw()

  return {
    attached: person !== undefined,
    listener: {
      entry(entry) {
        addEntry(watched, entry)
        redraw()
      },
      asked(question) {
        addQuestion(watched, question)
        terminal.bell()
        redraw()
      },
      settled(question) {
        dropQuestion(watched, question.id)
        if (view.chosen === question.id) delete view.chosen
        redraw()
      },
      connection(now) {
        daemon = now
        watched.connected = now !== undefined
        if (!now) watched.questions = []
        redraw()
      },
    },
    close() {
      clearInterval(clock)
      clearImmediate(drawn)
      terminal.restore()
    },
  }
}

const notProven = 'Not answered: nobody has proven to be a person. It goes on waiting.'

/** Somebody who may answer; where nobody may, the screen says why, and no question waits for it. */
function whoIsHere(view: View): Person | undefined {
  try {
    return personHere(stateDirectory(), true)
  } catch (error) {
    view.readOnly = harmless(
      error instanceof HooklineError ? (error.notes[0]?.message ?? error.message) : String(error),
    )
    return undefined
  }
}
