import {
  type Component,
  Markdown,
  type MarkdownTheme,
  truncateToWidth,
  visibleWidth,
  wrapTextWithAnsi,
} from '@mariozechner/pi-tui'

/** A part of the conversation on the screen. */
export interface Block extends Component {
  /** What it shows has changed. */
  changed(): void
}

/** Drawn once for each width, and never wider than it: the library ends a run that draws too wide a line. */
export function block(draw: (width: number) => readonly string[]): Block {
  let known: { width: number; lines: string[] } | undefined
  const forget = () => {
    known = undefined
  }
  return {
    render(width) {
      if (known?.width !== width) known = { width, lines: draw(width).map((line) => fitted(line, width)) }
      return known.lines
    },
    invalidate: forget,
    changed: forget,
  }
}

export const fitted = (line: string, width: number): string =>
  visibleWidth(line) > width ? truncateToWidth(line, width, '…') : line

/** Lines that wrap below their own beginning. */
export const linesBlock = (lines: readonly string[]): Block =>
  block((width) => lines.flatMap((line) => hanging(line, width)))

/** What stands before the text of a line: blanks and a sign, with the codes of their colours. */
const leading = /^((?:\x1b\[[\d;]*m)*)( *)/

/** The line in as many as it takes, all as far in as the first. */
export function hanging(line: string, width: number): string[] {
  const [whole, codes = '', blanks = ''] = leading.exec(line)!
  const room = width - blanks.length
  if (room < 20) return wrapTextWithAnsi(line, width)
  return wrapTextWithAnsi(codes + line.slice(whole.length), room).map((each) => (each === '' ? '' : blanks + each))
}

/** A reply, in Markdown, while it is written and afterwards. */
export interface Reply extends Block {
  add(text: string): void
  replace(text: string): void
  readonly text: string
}

export function replyBlock(theme: MarkdownTheme): Reply {
  let text = ''
  const markdown = new Markdown('', 0, 0, theme)
  const inner = block((width) => ['', ...markdown.render(width).map((line) => line.trimEnd())])
  const replace = (now: string) => {
    text = now
    markdown.setText(now.trimEnd())
    inner.changed()
  }
  return {
    render: inner.render,
    changed: inner.changed,
    invalidate() {
      markdown.invalidate()
      inner.changed()
    },
    add: (more) => replace(text + more),
    replace,
    get text() {
      return text
    },
  }
}
