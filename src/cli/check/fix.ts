import { readFile } from 'node:fs/promises'
import { distance } from 'fastest-levenshtein'
import { foldName, type Note, type Where } from '../../core/index.ts'
import { loadDialect } from '../../dialects/index.ts'
import { writeWhole } from '../edit/save.ts'
import type { Checked, Finding } from './findings.ts'
import { type Pair, pairsOf, type Token } from './tokens.ts'

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
      const pairs = pairsOf(text, file)
      const place = placer(text, file)
      const corrections = findings
        .filter((finding) => finding.where?.file === file)
        .flatMap((finding) => correction(finding, pairs, events, place))
      const fixes = [...corrections, ...pairs.flatMap((pair) => canonical(pair, events, place))]
      return fixes.filter((fix, at) => fixes.findIndex((other) => other.token.at === fix.token.at) === at)
    }),
  )
  return all.flat()
}

export const isFixable = (finding: Finding, fixes: readonly Fix[]): boolean =>
  fixes.some(({ where }) => where.file === finding.where?.file && where.line === finding.where.line)

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

function correction(finding: Note, pairs: readonly Pair[], events: readonly string[], place: Placer): Fix[] {
  const about = corrected.find(({ code }) => code === finding.code)
  const given = /`([^`]+)`/.exec(finding.message)?.[1]
  if (!about || given === undefined) return []
  const pair = pairs.find(({ key }) => samePlace(place(key.at), finding.where))
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

const samePlace = (one: Where, other: Where | undefined) => one.line === other?.line && one.column === other?.column

async function readSource(file: string): Promise<{ text: string; mark: string }> {
  const source = await readFile(file, 'utf8')
  const mark = source.startsWith('\ufeff') ? '\ufeff' : ''
  return { text: source.slice(mark.length), mark }
}

function placer(text: string, file: string): Placer {
  return (offset) => {
    const before = text.slice(0, offset)
    return { file, line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
  }
}
