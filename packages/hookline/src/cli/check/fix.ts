import { readFile } from 'node:fs/promises'
import { distance } from 'fastest-levenshtein'
import { placer } from '../../config/index.ts'
import { foldName, type Note, type Where } from '../../core/index.ts'
import { loadDialect } from '../../dialects/index.ts'
import { writeWhole } from '../edit/save.ts'
import type { Checked, Finding } from './findings.ts'
import type { Pair, Token } from './tokens.ts'

/** One word that is replaced by another, and nothing else of the file. */
export interface Fix {
  where: Where
  what: 'event' | 'key'
  from: string
  to: string
  token: Token
}

/** What can be corrected without knowing what was meant: there is only one thing it can have been. */
export async function findFixes({ files, findings }: Checked): Promise<Fix[]> {
  const all = await Promise.all(
    files.map(async ({ file, dialect }) => {
      if (dialect === undefined) return []
      const { text } = await readSource(file)
      const events = Object.values((await loadDialect(dialect)).events)
      const own = findings.filter((finding) => finding.where?.file === file)
      if (!mayHelp(text, own, events)) return []
      const { pairsOf } = await import('./tokens.ts')
      const pairs = pairsOf(text, file)
      const find = placer(text, file)
      const place = (offset: number) => find(() => offset)
      const at = new Map(pairs.map((pair) => [keyOf(place(pair.key.at)), pair] as const).toReversed())
      const fixes = [
        ...own.flatMap((finding) => correction(finding, at.get(keyOf(finding.where)), events, place)),
        ...pairs.flatMap((pair) => canonical(pair, events, place)),
      ]
      return [...new Map(fixes.toReversed().map((fix) => [fix.token.at, fix])).values()].toReversed()
    }),
  )
  return all.flat()
}

/**
 * A quick look, so that a file in which nothing can be corrected is not parsed once more: every event is written
 * in its own spelling as often as in any. An escape could hide one.
 */
function mayHelp(text: string, findings: readonly Note[], events: readonly string[]): boolean {
  if (text.includes('\\') || findings.some((finding) => corrected.some(({ code }) => code === finding.code)))
    return true
  const folded = foldName(text)
  const times = (whole: string, part: string) => whole.split(part).length
  return events.some((event) => times(folded, foldName(event)) !== times(text, event))
}

/** How many of the findings are on a line on which something can be corrected. */
export function countFixable(findings: readonly Finding[], fixes: readonly Fix[]): number {
  const lines = new Set(fixes.map(({ where }) => `${where.line} ${where.file}`))
  return findings.filter(({ where }) => where && lines.has(`${where.line} ${where.file}`)).length
}

export async function applyFixes(file: string, fixes: readonly Fix[]): Promise<void> {
  const { text, mark } = await readSource(file)
  const fixed = fixes
    .toSorted((one, other) => other.token.at - one.token.at)
    .reduce((left, { token, from, to }) => {
      const written = left.slice(token.at, token.end).replace(from, () => to)
      return left.slice(0, token.at) + written + left.slice(token.end)
    }, text)
  await writeWhole(file, mark + fixed)
}

type Placer = (offset: number) => Where

function correction(finding: Note, pair: Pair | undefined, events: readonly string[], place: Placer): Fix[] {
  const about = corrected.find(({ code }) => code === finding.code)
  const given = /`([^`]+)`/.exec(finding.message)?.[1]
  if (!about || given === undefined) return []
  const token = pair && [pair.key, pair.value].find((each) => each?.text === given)
  const to = nearest(given, about.known(finding, events))
  if (!token || to === undefined || (token === pair.key && pair.beside.includes(to))) return []
  return [{ where: place(token.at), what: about.what, from: given, to, token }]
}

/** Which problems are misspellings, and where the right spellings are found. */
const corrected: readonly {
  code: Note['code']
  what: Fix['what']
  known(finding: Note, events: readonly string[]): readonly string[]
}[] = [
  { code: 'unknown-event', what: 'event', known: (_finding, events) => events },
  {
    code: 'config-unknown-key',
    what: 'key',
    known: ({ remedy }) => /^Known keys here: (.*)\.$/.exec(remedy)?.[1]?.split(', ') ?? [],
  },
]

/** A spelling that is understood, but that is not the event's own. */
function canonical({ key, value, within, beside }: Pair, events: readonly string[], place: Placer): Fix[] {
  const token = within === 'hooks' ? key : key.text === 'event' ? value : undefined
  const to = token && events.find((event) => foldName(event) === foldName(token.text))
  if (!token || to === undefined || to === token.text || (token === key && beside.includes(to))) return []
  return [{ where: place(token.at), what: 'event', from: token.text, to, token }]
}

/** The only known name that is near enough, and nearer than any other. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const folded = foldName(name)
  const ranked = known
    .map((each) => ({ each, far: distance(folded, foldName(each)) }))
    .toSorted((one, other) => one.far - other.far)
  const [first, second] = ranked
  if (!first || folded.length < 3 || first.far > Math.max(1, Math.floor(folded.length / 4))) return undefined
  return second?.far === first.far ? undefined : first.each
}

const keyOf = (where: Where | undefined) => `${where?.line}:${where?.column}`

async function readSource(file: string): Promise<{ text: string; mark: string }> {
  const source = await readFile(file, 'utf8')
  const mark = source.startsWith('\ufeff') ? '\ufeff' : ''
  return { text: source.slice(mark.length), mark }
}
