/** The only file that knows which shell parser we use. */
import { type ParsedScript, parse } from 'unbash'
import { weigh } from './weigh.ts'

export type * from 'unbash'
export { forEachChild } from 'unbash'

export interface Parsed {
  scripts: readonly { script: ParsedScript; source: string }[]
  broken: boolean
  /** Too much is open at once, or broken too often: not all was parsed. */
  tooDeep: boolean
}

const mostResumptions = 8

/**
 * A tolerant parse. Where the grammar is broken at an operator, the rest of the line is parsed again from behind it:
 * what a person would have run after fixing the typo is still read. Each `source` is the end of the whole text.
 * `spend` hears of the cost of each parse before it begins, and may throw.
 */
export function parseShell(source: string, spend?: (cost: number) => void): Parsed {
  const { cost, tooDeep } = weigh(source)
  spend?.(cost)
  if (tooDeep) return { scripts: [], broken: true, tooDeep }
  const script = parse(source)
  const scripts = [{ script, source }]
  const errors = script.errors ?? []
  const behind = errors
    .filter(({ message }) => message.startsWith('unexpected token'))
    .map(({ pos }) => source.slice(pos).replace(/^[\s&|;(){}<>]+/, ''))
  // Behind a list that it cannot read, bash goes on with the next line.
  const nextLines = errors.length > 0 ? restsByLine(source) : []
  for (const rest of [...behind.slice(0, mostResumptions), ...nextLines.slice(0, mostResumptions)]) {
    if (rest === '' || rest.length >= source.length) continue
    const again = weigh(rest)
    spend?.(again.cost)
    if (again.tooDeep) return { scripts, broken: true, tooDeep: true }
    scripts.push({ script: parse(rest), source: rest })
  }
  const unread = Math.max(errors.length, nextLines.length)
  return { scripts, broken: errors.length > 0, tooDeep: unread > mostResumptions }
}

/** What is left of the text from each line on, the first left out. */
const restsByLine = (source: string): string[] =>
  [...source.matchAll(/\n+(?=[^\n])/g)].map(({ index, 0: breaks }) => source.slice(index + breaks.length))

/** The text as the shell would expand it inside a here-document: only `$…` and backquotes are special. */
export function parseExpansions(text: string, spend?: (cost: number) => void): Parsed {
  const longest = Math.max(0, ...[...text.matchAll(/END_OF_TEXT(_*)/g)].map(([, tail]) => tail!.length + 1))
  const delimiter = `END_OF_TEXT${'_'.repeat(longest)}`
  return parseShell(`cat <<${delimiter}\n${text}\n${delimiter}\n`, spend)
}
