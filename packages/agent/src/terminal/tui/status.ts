import type { Component } from '@mariozechner/pi-tui'
import type { Paint } from 'hookline/internal'
import type { Happening, Usage } from '../../core/index.ts'
import { clipped, duration, oneLine } from '../show.ts'
import { fitted } from './blocks.ts'

/** The line above the input: that the agent works, at what, for how long, and what it has used. */
export interface Status extends Component {
  watch(happening: Happening): void
  working(at: boolean): void
  /** It waits for the person, and nothing moves. */
  waits(at: boolean): void
  /** What was typed meanwhile and waits for its turn. */
  queue(text: string): void
  close(): void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 120

export function openStatus(paint: Paint, changed: () => void, now: () => number = Date.now): Status {
  let timer: NodeJS.Timeout | undefined
  let since = 0
  let frame = 0
  let doing = 'Thinking'
  let spent: Usage = {}
  let queued: string[] = []
  let isWaiting = false
  const names = new Map<string, string>()
  const running = new Map<string, { name: string; since: number }>()

  function line(): string {
    const oldest = running.values().next().value
    const tools = [...new Set([...running.values()].map(({ name }) => name))].join(', ')
    const at = oldest ? `${tools} ${duration(now() - oldest.since)}` : doing
    const { input_tokens: into = 0, cached_input_tokens: cached = 0, output_tokens: out = 0 } = spent
    const parts = [
      duration(now() - since),
      ...(into + cached + out > 0 ? [`↑ ${short(into + cached)} ↓ ${short(out)} tokens`] : []),
      'Esc stops',
    ]
    return `${paint.cyan(frames[frame % frames.length]!)} ${at}… ${paint.dim(`(${parts.join(' · ')})`)}`
  }

  return {
    render(width) {
      const waiting = queued.map((text) => paint.dim(`  ↪ next: ${clipped(oneLine(text), width - 12)}`))
      const lines = timer && !isWaiting ? ['', line(), ...waiting] : waiting
      return lines.map((each) => fitted(each, width))
    },
    invalidate: () => {},
    watch(happening) {
      const { type } = happening
      if (type === 'prompt') queued = queued.filter((text) => !happening.text.includes(text))
      if (type === 'text') doing = 'Writing'
      if (type === 'reasoning' || type === 'turn_end' || type === 'prompt') doing = 'Thinking'
      if (type === 'compaction') doing = happening.state === 'begun' ? 'Compacting' : 'Thinking'
      if (type === 'tool_call') doing = 'Checking'
      if (type === 'approval' && happening.decision === 'allow')
        running.set(happening.call_id, { name: names.get(happening.call_id) ?? 'tool', since: now() })
      if (type === 'tool_call') names.set(happening.call.id, oneLine(happening.call.name))
      if (type === 'tool_result') {
        running.delete(happening.call_id)
        names.delete(happening.call_id)
        doing = 'Thinking'
      }
      if (type === 'usage') spent = sum(spent, happening.usage)
    },
    working(at) {
      clearInterval(timer)
      timer = undefined
      running.clear()
      if (at) {
        since = now()
        spent = {}
        doing = 'Thinking'
        timer = setInterval(() => {
          frame += 1
          if (!isWaiting) changed()
        }, frameMs)
      } else queued = []
      changed()
    },
    waits(at) {
      isWaiting = at
    },
    queue(text) {
      queued.push(text)
      changed()
    },
    close: () => clearInterval(timer),
  }
}

function sum(one: Usage, other: Usage = {}): Usage {
  const total = { ...one }
  for (const [key, count] of Object.entries(other) as [keyof Usage, number][]) total[key] = (total[key] ?? 0) + count
  return total
}

/** `950`, `1.2k`, `34k`. */
export function short(tokens: number): string {
  if (tokens < 1_000) return String(tokens)
  return tokens < 10_000 ? `${(tokens / 1_000).toFixed(1)}k` : `${Math.round(tokens / 1_000)}k`
}
