import { type Component, type Focusable, Input, matchesKey } from '@mariozechner/pi-tui'
import { type Paint, printable } from 'hookline/internal'
import { clipped, oneLine } from '../show.ts'
import { fitted } from './blocks.ts'

export interface SearchEvents {
  /** This one, to edit and send. */
  taken(text: string): void
  left(): void
}

/** Ctrl+R: looks for what was typed before, latest first; Ctrl+R again goes further back. */
export function openSearch(
  history: readonly string[],
  paint: Paint,
  { taken, left }: SearchEvents,
): Component & Focusable {
  const input = new Input()
  let back = 0

  function matches(): string[] {
    const wanted = input.getValue().toLowerCase()
    const all = history.filter((text) => text.toLowerCase().includes(wanted))
    return [...new Set(all.reverse())]
  }

  return {
    get focused() {
      return input.focused
    },
    set focused(to) {
      input.focused = to
    },
    invalidate: () => input.invalidate(),
    render(width) {
      const found = matches()
      const shown = found.slice(back, back + 5).map((text, at) => {
        const line = clipped(printable(oneLine(text)), width - 4)
        return at === 0 ? `${paint.cyan('›')} ${line}` : paint.dim(`  ${line}`)
      })
      const none = [paint.dim('  nothing like that was typed before')]
      const help = paint.dim('Search what you typed · Enter takes it · Ctrl+R goes further back · Esc leaves')
      return [help, ...input.render(width), ...(shown.length > 0 ? shown : none)].map((line) => fitted(line, width))
    },
    handleInput(data) {
      const found = matches()
      if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+c')) return left()
      const chosen = found[back]
      if (matchesKey(data, 'enter')) return chosen === undefined ? left() : taken(chosen)
      if (matchesKey(data, 'ctrl+r') || matchesKey(data, 'up')) back = Math.min(back + 1, Math.max(0, found.length - 1))
      else if (matchesKey(data, 'down')) back = Math.max(0, back - 1)
      else {
        input.handleInput(data)
        back = 0
      }
    },
  }
}
