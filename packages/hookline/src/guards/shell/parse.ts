/** The only file that knows which shell parser we use. */
import { type ParsedScript, parse } from 'unbash'

export type * from 'unbash'
export { forEachChild } from 'unbash'

export interface Parsed {
  scripts: readonly { script: ParsedScript; source: string }[]
  broken: boolean
}

const RESUMPTIONS = 8

/**
 * A tolerant parse. Where the grammar is broken at an operator, the rest of the line is parsed again from behind it:
 * what a person would have run after fixing the typo is still judged. A broken line is never `safe`.
 */
export function parseShell(source: string): Parsed {
  const script = parse(source)
  const scripts = [{ script, source }]
  const errors = script.errors ?? []
  for (const error of errors.slice(0, RESUMPTIONS)) {
    if (!error.message.startsWith('unexpected token')) continue
    const rest = source.slice(error.pos).replace(/^[\s&|;(){}<>]+/, '')
    if (rest !== '' && rest.length < source.length) scripts.push({ script: parse(rest), source: rest })
  }
  return { scripts, broken: errors.length > 0 }
}

/** The text as the shell would expand it inside a here-document: only `$…` and backquotes are special. */
export function parseExpansions(text: string): Parsed {
  let delimiter = 'END_OF_TEXT'
  while (text.includes(delimiter)) delimiter += '_'
  return parseShell(`cat <<${delimiter}\n${text}\n${delimiter}\n`)
}
