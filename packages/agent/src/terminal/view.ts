import { type Paint, printable, type Verdict } from 'hookline/internal'
import type { Happening, Watch } from '../core/index.ts'
import { type Activity, watchHooks } from './activity.ts'
import { asides, ordinary } from './asides.ts'
import { clipped, oneLine, showCall, showRefusal, showResult } from './show.ts'

/** How a conversation is shown. */
export interface View {
  watch: Watch
  /** A dispatch has ended. */
  hooks(verdict: Verdict, milliseconds: number): void
  /** Whole lines of our own. */
  say(lines: readonly string[]): void
  readonly activity: Activity
}

export interface ViewOptions {
  write(text: string): void
  paint: Paint
  /** Asked each time: a terminal can be resized. */
  width(): number
  /** Shows prompts too, because the person did not type them here. */
  prompts: boolean
}

/** After this long, a line says that the call is still running. */
const longMs = 2_000

/** A call that takes longer shows what it prints while it runs; others show their result. */
const liveMs = 1_000

interface RunningCall {
  since: number
  timers: NodeJS.Timeout[]
  output: Output
  held: boolean
}

export function openView({ write, paint, width, prompts }: ViewOptions): View {
  const activity = watchHooks(paint)
  const running = new Map<string, RunningCall>()
  const names = new Map<string, string>()
  const refused = new Set<string>()
  const noticed = new Set<string>()
  let inside = false
  let streamed = ''

  const put = (text: string): void => {
    write(text)
    inside = !text.endsWith('\n')
  }
  const lines = (all: readonly string[]): void => {
    if (all.length === 0) return
    put(`${inside ? '\n' : ''}${all.join('\n')}\n`)
  }
  const show = (...all: readonly string[]): void => lines(all)

  const shown: { [T in Happening['type']]: (happening: Extract<Happening, { type: T }>) => void } = {
    session: (happening) => show(...asides.session(happening, paint)),
    prompt: ({ text, kind }) => {
      streamed = ''
      if (kind === 'redo') show(paint.dim('↪ sent back to work'))
      else if (kind !== 'prompt')
        show(paint.dim(`↪ ${kind}: ${clipped(printable(oneLine(text)), width() - kind.length - 4)}`))
      else if (prompts) show(`${paint.cyan('›')} ${printable(text)}`)
    },
    text: ({ text }) => {
      streamed += text
      put(printable(text))
    },
    reasoning: () => {},
    tool_call: ({ call, agent, sub_agent }) => {
      streamed = ''
      noticed.clear()
      names.set(call.id, printable(call.name))
      show(`${sub_agent ? paint.dim(`[${printable(agent)}] `) : ''}${showCall(call, paint, width())}`)
    },
    approval: ({ decision, source, reason, call_id }) => {
      if (decision === 'allow') return startTimer(call_id)
      refused.add(call_id)
      // The hook that blocked it, and its reason, have been shown.
      if (activity.hasBlocked(call_id)) return
      show(...showRefusal(decision, source, reason, paint))
    },
    tool_progress: ({ call_id, text, held }) => {
      const call = running.get(call_id)
      if (call && held) call.held = true
      else if (call) call.output.add(text)
    },
    tool_result: ({ call_id, content, error }) => {
      const { took, output } = stopTimer(call_id)
      // A blocked call has been shown already.
      if (refused.delete(call_id)) return
      const time = took > 1_000 ? [paint.dim(`  ${(took / 1000).toFixed(1)} s`)] : []
      const rest = output?.rest(content) ?? content
      const lines = output?.begun() && rest.trim() === '' ? [] : showResult(rest, error === true, paint, width())
      show(...lines, ...time)
    },
    response: ({ text, rewritten }) => {
      if (!rewritten || text === streamed) return
      show(...(streamed === '' ? [] : [paint.dim('  ~ hooks rewrote the reply; it now reads:')]), printable(text))
      streamed = text
    },
    usage: () => {},
    budget_usage: () => {},
    budget_exceeded: () => {},
    notice: (happening) => {
      const { level, text } = happening
      if (level !== 'error' && activity.isShown(text)) return
      // The same about the same call, from hooks that judge it twice.
      if (level === 'info' && noticed.has(text)) return
      noticed.add(text)
      show(...asides.notice(happening, paint))
    },
    agent_switch: (happening) => show(...asides.agent_switch(happening, paint)),
    compaction: (happening) => show(...asides.compaction(happening, paint)),
    turn_end: ({ reason }) => {
      streamed = ''
      noticed.clear()
      const end = ordinary.has(reason) ? [] : [paint.dim(`  turn ended: ${reason}`)]
      show(...end, ...activity.summary())
    },
    waiting: () => show(...activity.summary()),
    outbound: (happening) => show(...asides.outbound(happening, paint)),
    'turn.failed': () => {},
    end: () => {},
  }

  function startTimer(id: string): void {
    const output = openOutput((shown) =>
      lines(shown.map((line) => paint.dim(`  ${clipped(printable(line), width() - 4)}`))),
    )
    const call: RunningCall = { since: Date.now(), output, held: false, timers: [] }
    const still = () => {
      if (output.begun()) return
      const held = call.held ? '; what it prints is held back until hooks have seen it' : ''
      lines([paint.dim(`  … ${names.get(id) ?? 'it'} is still running${held}`)])
    }
    call.timers.push(setTimeout(output.begin, liveMs).unref(), setTimeout(still, longMs).unref())
    running.set(id, call)
  }

  function stopTimer(id: string): { took: number; output?: Output } {
    const call = running.get(id)
    for (const timer of call?.timers ?? []) clearTimeout(timer)
    running.delete(id)
    names.delete(id)
    return call ? { took: Date.now() - call.since, output: call.output } : { took: 0 }
  }

  return {
    watch: (happening) => shown[happening.type](happening as never),
    hooks: (verdict, milliseconds) => {
      const loud = activity.record(verdict, milliseconds)
      if (loud.length > 0) lines(loud)
    },
    say: lines,
    activity,
  }
}

/** What a running call prints, line by line. */
export interface Output {
  add(text: string): void
  /** From now on, lines are shown as they come. */
  begin(): void
  /** Whether any were. */
  begun(): boolean
  /** The part of the result that was not shown while it ran. */
  rest(result: string): string
}

export function openOutput(show: (lines: readonly string[]) => void): Output {
  let [pending, live] = ['', false]
  const waiting: string[] = []
  const shown: string[] = []

  function pass(): void {
    if (!live || waiting.length === 0) return
    show(waiting)
    shown.push(...waiting.splice(0))
  }

  return {
    add(text) {
      const lines = `${pending}${text}`.split('\n')
      pending = lines.pop()!
      // A bar that draws itself again and again is seen as it was last.
      waiting.push(...lines.map((line) => line.replace(/\r$/, '').replace(/^.*\r/, '')))
      pass()
    },
    begin() {
      live = true
      pass()
    },
    begun: () => shown.length > 0,
    rest(result) {
      if (shown.length === 0) return result
      const lines = result.split('\n')
      const isSame = shown.every((line, at) => lines[at] === line)
      return isSame ? lines.slice(shown.length).join('\n') : result
    },
  }
}
