import { truncateToWidth, visibleWidth } from '@mariozechner/pi-tui'
import type { Paint } from 'hookline/internal'
import { hanging } from './blocks.ts'

export interface BoxText {
  /** In the upper edge: what it is about, and on the right how much is at stake. */
  title: string
  badge: string
  lines: readonly string[]
  /** In the lower edge: the keys that answer. */
  keys: readonly string[]
}

const narrowest = 30

/** A frame around lines, as wide as the terminal; what does not fit into an edge stands inside. */
export function drawBox({ title, badge, lines, keys }: BoxText, width: number, paint: Paint): string[] {
  const inner = Math.max(narrowest, width) - 4
  const foot = keys.join(' · ')
  const fits = visibleWidth(foot) <= inner - 2
  const inside = [...lines, ...(fits ? [] : ['', foot])].flatMap((line) => hanging(line, inner))
  return [
    edge('╭', '╮', title, badge, inner, paint),
    ...inside.map((line) => `${paint.dim('│')} ${padded(line, inner)} ${paint.dim('│')}`),
    edge('╰', '╯', fits ? foot : '', '', inner, paint),
  ]
}

function edge(left: string, right: string, begin: string, end: string, inner: number, paint: Paint): string {
  const first = begin === '' ? '' : ` ${truncateToWidth(begin, inner - visibleWidth(end) - 4, '…')} `
  const last = end === '' ? '' : ` ${end} `
  const rest = Math.max(0, inner + 2 - visibleWidth(first) - visibleWidth(last) - 1)
  return `${paint.dim(left)}${first}${paint.dim('─'.repeat(rest))}${last}${paint.dim(`─${right}`)}`
}

const padded = (line: string, width: number): string => line + ' '.repeat(Math.max(0, width - visibleWidth(line)))
