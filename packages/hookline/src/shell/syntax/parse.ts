/** The only file that knows which shell parser we use. */
import { type ParsedScript, parse } from 'unbash'

export type * from 'unbash'
export { forEachChild } from 'unbash'

export interface Parsed {
  scripts: readonly { script: ParsedScript; source: string }[]
  broken: boolean
  /** Too many brackets are open at once: nothing was parsed. */
  tooDeep: boolean
}

const mostResumptions = 8
/** The parser's time grows with the square of the open brackets, and no one writes this many. */
const mostOpen = 1_000

/**
 * A tolerant parse. Where the grammar is broken at an operator, the rest of the line is parsed again from behind it:
 * what a person would have run after fixing the typo is still read. Each `source` is the end of the whole text.
 */
export function parseShell(source: string): Parsed {
  if (mostOpenIn(source) > mostOpen) return { scripts: [], broken: true, tooDeep: true }
  const script = parse(source)
  const scripts = [{ script, source }]
  const errors = script.errors ?? []
  for (const error of errors.slice(0, mostResumptions)) {
    if (!error.message.startsWith('unexpected token')) continue
    const rest = source.slice(error.pos).replace(/^[\s&|;(){}<>]+/, '')
    if (rest !== '' && rest.length < source.length) scripts.push({ script: parse(rest), source: rest })
  }
  return { scripts, broken: errors.length > 0, tooDeep: false }
}

/** The text as the shell would expand it inside a here-document: only `$…` and backquotes are special. */
export function parseExpansions(text: string): Parsed {
  let delimiter = 'END_OF_TEXT'
  while (text.includes(delimiter)) delimiter += '_'
  return parseShell(`cat <<${delimiter}\n${text}\n${delimiter}\n`)
}

function mostOpenIn(source: string): number {
  let open = 0
  let most = 0
  for (let at = 0; at < source.length; at++) {
    const character = source[at]
    if (character === '(' || character === '{') most = Math.max(most, ++open)
    else if ((character === ')' || character === '}') && open > 0) open--
  }
  return most
}
