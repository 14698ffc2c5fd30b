import type { Paint } from 'hookline/internal'
import type { Emphasize } from './grammars.mjs'

/** Longer code stays plain: a grammar may take long for it. */
const longest = 20_000

/** Colours code once the grammars are there; they are loaded when the first code is. `loaded` says that they are. */
export function createHighlight(paint: Paint, loaded: () => void): (code: string, language?: string) => string[] {
  const isPlain = paint.bold('x') === 'x'
  let emphasize: Emphasize | 'loading' | undefined

  async function load(): Promise<void> {
    emphasize = 'loading'
    const { createEmphasize, grammars } = await import('./grammars.mjs')
    emphasize = createEmphasize(grammars)
    loaded()
  }

  return (code, language) => {
    if (isPlain || language === undefined || code.length > longest) return code.split('\n')
    if (emphasize === undefined) void load()
    if (typeof emphasize !== 'object' || !emphasize.registered(language)) return code.split('\n')
    return emphasize.highlight(language, code, sheetOf(paint)).value.split('\n')
  }
}

const sheetOf = ({ dim, cyan, green, yellow, red, bold }: Paint) => ({
  comment: dim,
  quote: dim,
  keyword: cyan,
  'selector-tag': cyan,
  literal: cyan,
  string: green,
  regexp: green,
  number: yellow,
  attr: yellow,
  attribute: yellow,
  variable: yellow,
  title: bold,
  section: bold,
  name: bold,
  type: bold,
  built_in: cyan,
  addition: green,
  deletion: red,
})
