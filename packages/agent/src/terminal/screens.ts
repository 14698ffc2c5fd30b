import { type Invocation, type Paint, paintFor, show, stringifyJson, type Verdict, widthOf } from 'hookline/internal'
import type { Happening } from '../core/index.ts'
import { lastingAnswers } from './always.ts'
import { personAt } from './confirm.ts'
import { type Line, openLine } from './line.ts'
import type { RunRequest } from './request.ts'
import type { Screen } from './screen.ts'
import { openView } from './view.ts'

const prompt = '›'
const never = new AbortController().signal

export async function openScreen(invocation: Invocation, mode: RunRequest['mode']): Promise<Screen> {
  return screens[mode](invocation)
}

/** A screen that shows all that happens. */
const viewed = (view: ReturnType<typeof openView>, paint: Paint, width: () => number) => ({
  ...plain,
  paint,
  width,
  watch: view.watch,
  hooks: view.hooks,
  setHooks: view.activity.setHooks,
  setWaiting: view.activity.setWaiting,
  say: view.say,
})

const screens: Readonly<Record<RunRequest['mode'], (invocation: Invocation) => Screen | Promise<Screen>>> = {
  talk: async (invocation) => (await import('./tui/index.ts')).openTui(invocation),
  line(invocation) {
    const { input, output } = invocation
    const paint = paintFor(output)
    const width = () => widthOf(output)
    let line: Line | undefined
    const write = (text: string) => void (line ? line.write(text) : output.write(text))
    const view = openView({ write, paint, width, prompts: false })
    const desk = {
      line: async (question: string) => line?.ask(question, never),
      secret: async (question: string) => line?.ask(question, never, true),
    }
    return {
      ...viewed(view, paint, width),
      desk,
      person: (permissions, cwd) =>
        personAt({
          say: view.say,
          ask: async (question, signal) => line?.ask(question, signal),
          paint,
          activity: view.activity,
          cwd,
          describeGrant: (call) => permissions.describeGrant?.(call),
          lastingFor: lastingAnswers(permissions, cwd, invocation),
          desk,
        }),
      listen(conversation) {
        line = openLine(input, output, {
          line: conversation.typed,
          interrupt: conversation.interrupt,
          end: conversation.noMore,
        })
        line.rest(`${paint.cyan(prompt)} `)
      },
      working: (at) => line?.rest(at ? undefined : `${paint.cyan(prompt)} `),
      close: () => line?.close(),
    }
  },
  show({ output }) {
    const paint = paintFor(output)
    const width = () => widthOf(output)
    const write = (text: string) => void output.write(text)
    const view = openView({ write, paint, width, prompts: true })
    return viewed(view, paint, width)
  },
  /** What must be known goes to standard error; nothing but the reply to standard output. */
  print({ output, errors }) {
    const paint = paintFor(errors)
    const width = () => widthOf(errors)
    const view = openView({ write: (text) => void errors.write(text), paint, width, prompts: false })
    return {
      ...plain,
      paint,
      width,
      watch(happening) {
        if (mustBeKnown(happening)) view.watch(happening)
      },
      hooks(verdict, milliseconds) {
        view.hooks(verdict, milliseconds)
        view.activity.summary()
      },
      setHooks: view.activity.setHooks,
      setWaiting: view.activity.setWaiting,
      say: view.say,
      result: ({ response }) => void (response === '' || output.write(`${response.trimEnd()}\n`)),
    }
  },
  json({ output, errors }) {
    const reporter = reportTo((text) => void output.write(text))
    const paint = paintFor(errors)
    return {
      ...plain,
      paint,
      width: () => widthOf(errors),
      watch: reporter.watch,
      hooks: reporter.hooks,
      say: (lines) => void (lines.length === 0 || errors.write(`${lines.join('\n')}\n`)),
      result: reporter.result,
    }
  },
}

const plain = {
  setHooks: () => {},
  setWaiting: () => {},
  working: () => {},
  result: () => {},
  close: () => {},
}

function mustBeKnown(happening: Happening): boolean {
  if (happening.type === 'notice') return happening.level !== 'info'
  return happening.type === 'approval' && happening.decision !== 'allow'
}

/** One JSON object per line: every happening, every dispatch in which a hook ran, and the result. */
export interface Reporter {
  watch(happening: Happening): void
  hooks(verdict: Verdict): void
  result(result: { reason: string; response: string; detail?: string; exit: number; session_id: string }): void
}

export function reportTo(write: (text: string) => void): Reporter {
  const line = (value: object) => write(`${stringifyJson(value)}\n`)
  return {
    watch: line,
    hooks(verdict) {
      if (!verdict.reports.some(({ asked }) => asked) && verdict.notes.length === 0) return
      const { session_id = '', agent_name: agent = '' } = verdict.payload
      line({ type: 'hooks', session_id, agent, ...show(verdict, []) })
    },
    result: (result) => line({ type: 'result', ...result }),
  }
}
