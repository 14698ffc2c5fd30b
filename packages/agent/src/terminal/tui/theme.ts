import type { EditorTheme, MarkdownTheme, SelectListTheme } from '@mariozechner/pi-tui'
import type { Paint } from 'hookline/internal'

export interface Theme {
  paint: Paint
  editor: EditorTheme
  list: SelectListTheme
  markdown: MarkdownTheme
}

/** How a conversation looks. Without colours everything is told apart by its words and signs. */
export function themeOf(paint: Paint, highlight: (code: string, language?: string) => string[]): Theme {
  const isColoured = paint.bold('x') !== 'x'
  const style = (on: number, off: number) => (text: string) =>
    isColoured && text !== '' ? `\x1b[${on}m${text}\x1b[${off}m` : text
  const [italic, underline, struck] = [style(3, 23), style(4, 24), style(9, 29)]
  const list: SelectListTheme = {
    selectedPrefix: paint.cyan,
    selectedText: paint.cyan,
    description: paint.dim,
    scrollInfo: paint.dim,
    noMatch: paint.dim,
  }
  return {
    paint,
    list,
    editor: { borderColor: paint.dim, selectList: list },
    markdown: {
      heading: (text) => paint.bold(paint.cyan(text)),
      link: paint.cyan,
      linkUrl: paint.dim,
      code: paint.yellow,
      codeBlock: (text) => text,
      codeBlockBorder: paint.dim,
      quote: italic,
      quoteBorder: paint.dim,
      hr: paint.dim,
      listBullet: paint.cyan,
      bold: paint.bold,
      italic,
      strikethrough: struck,
      underline,
      highlightCode: highlight,
    },
  }
}
