import { indent, type Paint, printable } from 'hookline/internal'
import type { Happening } from '../core/index.ts'

type Aside = 'session' | 'notice' | 'agent_switch' | 'compaction' | 'outbound'

/** What happens beside prompts, replies and calls, in lines. */
export const asides: {
  [T in Aside]: (happening: Extract<Happening, { type: T }>, paint: Paint) => string[]
} = {
  session({ session_id, agent, model, source }, paint) {
    const resumed = source === 'resume' ? ', resumed' : ''
    return [paint.dim(`${printable(agent)} on ${printable(model)} (session ${session_id}${resumed})`)]
  },
  notice({ level, text }, paint) {
    const { mark, colour } = notices[level]
    const lines = printable(`${mark} ${text}`).split('\n')
    return indent(lines.map(colour === undefined ? paint.dim : paint[colour]), 2)
  },
  agent_switch: ({ from, to, kind }, paint) => [
    paint.dim(`→ ${printable(to)} takes over from ${printable(from)} (${kind})`),
  ],
  compaction: ({ reason, state }, paint) => [paint.dim(`  compaction (${reason}): ${state}`)],
  outbound({ channel, state, detail }, paint) {
    const mark = (state === 'sent' ? paint.green : paint.red)(`✉ ${state}`)
    return [`  ${mark} ${printable(channel)}${detail ? `: ${printable(detail)}` : ''}`]
  },
}

const notices = {
  info: { mark: '·', colour: undefined },
  warning: { mark: '!', colour: 'yellow' },
  error: { mark: '✗', colour: 'red' },
} as const

/** Ends of a turn that go without saying. */
export const ordinary = new Set(['normal', 'continue', 'steered'])
