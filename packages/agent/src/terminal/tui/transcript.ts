import { Container } from '@mariozechner/pi-tui'
import { printable, type Verdict } from 'hookline/internal'
import type { Happening, Watch } from '../../core/index.ts'
import { changeOf } from '../../tools/index.ts'
import { type Activity, watchHooks } from '../activity.ts'
import { asides, ordinary } from '../asides.ts'
import { showRefusal } from '../show.ts'
import { type Block, linesBlock, type Reply, replyBlock } from './blocks.ts'
import { type Call, callBlock, promptBlock } from './call.ts'
import type { Theme } from './theme.ts'

/** The conversation so far, on the screen. */
export interface Transcript {
  readonly component: Container
  readonly activity: Activity
  watch: Watch
  hooks(verdict: Verdict, milliseconds: number): void
  say(lines: readonly string[]): void
  /** What the person has sent, before hooks have seen it. */
  sent(text: string): void
  /** The agent waits: what its hooks did is summed up. */
  rests(): void
  /** Long results are shown whole, or folded again. */
  unfold(): void
  /** Removes what was said: a new conversation begins. */
  clear(): void
}

export interface TranscriptOptions {
  theme: Theme
  cwd(): string
  width(): number
  /** Something has changed. */
  changed(): void
}

/** Beyond so many lines, the oldest are only where the terminal has scrolled them to. */
const mostLines = 4_000

export function openTranscript({ theme, cwd, width, changed }: TranscriptOptions): Transcript {
  const { paint } = theme
  const component = new Container()
  const activity = watchHooks(paint, { asks: false })
  const calls = new Map<string, Call>()
  const noticed = new Set<string>()
  const awaited: string[] = []
  let reply: Reply | undefined
  let whole = false

  function add(block: Block): void {
    component.addChild(block)
    forgetOldest(component, width())
    changed()
  }

  function say(lines: readonly string[]): void {
    if (lines.length === 0) return
    reply = undefined
    add(linesBlock(lines))
  }

  const keyOf = ({ session_id }: Happening, call: string) => `${session_id} ${call}`

  const shown: { [T in Happening['type']]: (happening: Extract<Happening, { type: T }>) => void } = {
    session: (happening) => say(asides.session(happening, paint)),
    prompt({ text, kind, sub_agent, agent }) {
      reply = undefined
      if (kind === 'redo') return say([paint.dim('↪ sent back to work')])
      const at = awaited.indexOf(text)
      if (at >= 0) awaited.splice(at, 1)
      else if (!sub_agent) add(promptBlock(printable(text), kind, paint))
      else say([paint.dim(`↪ ${printable(agent)}: ${printable(text)}`)])
    },
    text({ text }) {
      if (!reply) {
        reply = replyBlock(theme.markdown)
        add(reply)
      }
      reply.add(printable(text))
      changed()
    },
    reasoning: () => {},
    tool_call(happening) {
      const { call, agent, sub_agent } = happening
      reply = undefined
      noticed.clear()
      const shownCall = callBlock(call, sub_agent ? printable(agent) : undefined, paint, () => whole)
      calls.set(keyOf(happening, call.id), shownCall)
      add(shownCall)
      void changeOf(call, cwd()).then((change) => {
        if (!change) return
        shownCall.change(change)
        changed()
      })
    },
    approval(happening) {
      const { decision, source, reason, call_id } = happening
      const call = calls.get(keyOf(happening, call_id))
      if (decision === 'allow') return call?.begun()
      call?.refused()
      changed()
      // The hook that blocked it, and its reason, have been shown.
      if (activity.hasBlocked(call_id)) return
      say(showRefusal(decision, source, reason, paint))
    },
    tool_progress(happening) {
      calls.get(keyOf(happening, happening.call_id))?.progress(happening.text, happening.held === true)
      changed()
    },
    tool_result(happening) {
      const key = keyOf(happening, happening.call_id)
      calls.get(key)?.ended(printable(happening.content), happening.error === true)
      calls.delete(key)
      changed()
    },
    response({ text, rewritten }) {
      if (!rewritten || text === reply?.text) return
      if (reply) {
        reply.replace(printable(text))
        add(linesBlock([paint.dim('  ~ hooks rewrote this reply')]))
      } else shown.text({ text } as never)
      reply = undefined
      changed()
    },
    usage: () => {},
    budget_usage: () => {},
    budget_exceeded: () => {},
    notice(happening) {
      const { level, text } = happening
      if (level !== 'error' && activity.isShown(text)) return
      // The same about the same call, from hooks that judge it twice.
      if (level === 'info' && noticed.has(text)) return
      noticed.add(text)
      say(asides.notice(happening, paint))
    },
    agent_switch: (happening) => say(asides.agent_switch(happening, paint)),
    compaction: (happening) => say(asides.compaction(happening, paint)),
    turn_end({ reason }) {
      reply = undefined
      noticed.clear()
      if (!ordinary.has(reason)) say([paint.dim(`  turn ended: ${reason}`)])
    },
    waiting: () => {},
    outbound: (happening) => say(asides.outbound(happening, paint)),
    'turn.failed': () => {},
    end: () => {},
  }

  return {
    component,
    activity,
    watch: (happening) => shown[happening.type](happening as never),
    hooks: (verdict, milliseconds) => say(activity.record(verdict, milliseconds)),
    say,
    sent(text) {
      awaited.push(text)
      reply = undefined
      add(promptBlock(printable(text), 'prompt', paint))
    },
    rests() {
      awaited.length = 0
      say(activity.summary())
    },
    unfold() {
      whole = !whole
      component.invalidate()
      changed()
    },
    clear() {
      component.clear()
      reply = undefined
      changed()
    },
  }
}

/** Old parts are dropped when there are many lines, so that a long session costs no more than a short one. */
function forgetOldest(component: Container, width: number): void {
  if (component.children.length % 100 !== 0) return
  const lengths = component.children.map((child) => child.render(width).length)
  let total = lengths.reduce((sum, length) => sum + length, 0)
  if (total <= mostLines) return
  let dropped = 0
  while (total > mostLines / 2 && dropped < lengths.length - 1) total -= lengths[dropped++]!
  component.children.splice(0, dropped)
}
