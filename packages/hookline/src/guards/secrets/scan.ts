import { decodePrintable } from './checks/encodings.ts'
import type { KeywordIndex } from './keywords.ts'
import { indexKeywords } from './keywords.ts'
import { isInMarker, LONGEST_MARKER, MARKER_OPEN, touchesMarker } from './marker.ts'
import type { Finder, Finding } from './rule.ts'
import { LEAD, MORE, WINDOW } from './rule.ts'
import { families } from './rules/index.ts'
import { type Keywords, readKeywords } from './rules/keywords.ts'
import { runRules } from './rules/runs.ts'
import { findSeedPhrases } from './shapes/seed-phrase.ts'
import type { View } from './view.ts'
import { viewOf } from './view.ts'

/** Findings in order, none overlapping, and the offset before which no more text can change them. */
export interface Scan {
  readonly found: readonly Finding[]
  readonly frontier: number
}

/**
 * Looks at `view` from `from` on. What a finder says depends only on the text near its keyword, never on other findings; overlapping
 * findings become one. That makes every answer local, and a stream the same as the whole.
 *
 * While `complete` is false a keyword is left undecided until its line has ended, and the frontier stays before it.
 */
export function scan(view: View, from: number, complete: boolean, unwrap = true): Scan {
  const { text } = view
  const candidates: Candidate[] = []
  const lineEnd = text.lastIndexOf('\n')
  // No keyword, no marker and no secret of a single line goes on behind the end of a line.
  const atLineEnd = text.endsWith('\n')
  const edge = complete || atLineEnd ? text.length : text.length - index().longest - LONGEST_MARKER
  const marked = text.includes(MARKER_OPEN)
  let frontier = edge
  let open = text.length

  const keep = (finding: Finding, rank: number, at: number): void => {
    const start = afterEscape(text, finding.start)
    if (start < from || start >= finding.end || (marked && touchesMarker(text, start, finding.end))) return
    candidates.push({ finding, start, rank, at })
  }
  const ask = (finder: Finder, rank: number, at: number): void => {
    if (marked && isInMarker(text, at)) return
    const decided = complete || at < lineEnd || text.length - at >= WINDOW
    const answer = decided || finder.multiline ? finder.find(view, at, complete) : MORE
    if (answer === undefined) return
    // A marker that follows is part of the answer, so it must have been seen.
    if (answer === MORE || (!complete && finder.multiline && answer.end > edge)) frontier = Math.min(frontier, at)
    else keep(answer, rank, at)
  }

  index().search(text, from, (word, at) => {
    for (const rank of keywords!.ranks[word]!) ask(finderOfRank(rank), rank, at)
  })
  for (const run of longRuns(text, from, complete)) {
    if (run.open) open = Math.min(open, run.start)
    runRules.forEach((rule, i) => {
      ask(rule, RUN_RULES + i, run.start)
    })
    const wrapped = unwrap && !run.open ? unwrapped(text, run.start, run.end) : undefined
    if (wrapped) keep(wrapped, WRAPPED, run.start)
  }
  const phrases = findSeedPhrases(text, from, complete)
  open = Math.min(open, phrases.open)
  for (const phrase of phrases.found) keep(phrase, PHRASE, phrase.start)

  if (!complete) {
    const lead = atLineEnd && frontier === edge ? 0 : LEAD
    frontier = settled(candidates, Math.min(frontier - lead, open))
  }
  return { found: united(candidates), frontier: complete ? text.length : clampFrontier(text, from, frontier) }
}

/** `rank` settles the name of a span that several finders claim: the more specific finder stands first in the table. */
interface Candidate {
  readonly finding: Finding
  readonly start: number
  readonly rank: number
  /** Where the keyword stands that led to it. */
  readonly at: number
}
const PHRASE = -1
const WRAPPED = Number.MAX_SAFE_INTEGER

/** After all finders that have a keyword. */
const RUN_RULES = 1_000_000

let keywords: Keywords | undefined
let keywordIndex: KeywordIndex | undefined
/** By rank: those whose family is made. */
const finders: Finder[] = []

/** Built at first use: importing the guard costs nothing. */
function index(): KeywordIndex {
  if (keywordIndex === undefined) {
    keywords = readKeywords()
    keywordIndex = indexKeywords(keywords.words)
  }
  return keywordIndex
}

function finderOfRank(rank: number): Finder {
  if (finders[rank] === undefined) {
    const { firsts } = keywords!
    const family = firsts.findLastIndex((first) => first <= rank)
    families[family]!().forEach((finder, at) => {
      finders[firsts[family]! + at] = finder
    })
  }
  return finders[rank]!
}

/** The letter of an escape (`\\n`) stays with its backslash, or what is left would not be JSON. */
function afterEscape(text: string, start: number): number {
  if (text[start - 1] !== '\\' || !/[bfnrtu]/.test(text[start]!)) return start
  const escapes = /\\+$/.exec(text.slice(Math.max(0, start - 16), start))![0].length
  if (escapes % 2 === 0) return start
  return text[start] === 'u' ? start + 5 : start + 1
}

/** The next scan begins at the frontier and must meet every keyword whose secret lies beyond it. */
function settled(candidates: readonly Candidate[], frontier: number): number {
  let lowest = frontier
  for (const { at, start } of candidates.toSorted((a, b) => b.at - a.at))
    if (at < lowest && start >= lowest) lowest = at
  return lowest
}

function united(candidates: Candidate[]): Finding[] {
  candidates.sort((a, b) => a.start - b.start || a.rank - b.rank)
  const found: { -readonly [K in keyof Finding]: Finding[K] }[] = []
  for (const { finding, start } of candidates) {
    const last = found.at(-1)
    if (last === undefined || start >= last.end) found.push({ ...finding, start })
    else last.end = Math.max(last.end, finding.end)
  }
  return found
}

/** Never backwards, and never between the halves of a surrogate pair. */
function clampFrontier(text: string, from: number, frontier: number): number {
  const code = text.charCodeAt(frontier - 1)
  return Math.max(from, code >= 0xd800 && code < 0xdc00 ? frontier - 1 : frontier)
}

const RUN = 24
/** Longer runs are images and archives. */
const LONGEST_RUN = 8_192
const RUN_CHARACTERS = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-')
  RUN_CHARACTERS[character.charCodeAt(0)] = 1
const inRun = (text: string, at: number): boolean => RUN_CHARACTERS[text.charCodeAt(at)] === 1

interface Run {
  readonly start: number
  readonly end: number
  readonly open: boolean
}

/** Unbroken runs of base64 characters, met by looking at every 24th character only. */
function* longRuns(text: string, from: number, complete: boolean): Generator<Run> {
  for (let at = from; ; at += RUN) {
    const last = at >= text.length
    if (last && (complete || text.length === from)) return
    const probe = last ? text.length - 1 : at
    if (!inRun(text, probe)) {
      if (last) return
      continue
    }
    let start = probe
    while (start > 0 && probe - start <= LONGEST_RUN && inRun(text, start - 1)) start--
    let end = probe
    while (end < text.length && inRun(text, end)) end++
    // The padding that may follow belongs to the run, and a marker behind it counts.
    const ended = end < text.length && text[end] !== '=' && text[end] !== MARKER_OPEN[0]
    const open = !complete && !ended && end + 3 + LONGEST_MARKER > text.length
    if (start >= from && end - start <= LONGEST_RUN && (open || end - start >= RUN)) yield { start, end, open }
    if (last) return
    at = Math.max(at, end - RUN)
  }
}

/** A secret inside base64: the whole run is replaced, under the name of what is in it. */
function unwrapped(text: string, start: number, end: number): Finding | undefined {
  const decoded = decodePrintable(text.slice(start, end))
  if (decoded === undefined) return undefined
  const inner = scan(viewOf(decoded), 0, true, false).found[0]
  if (inner === undefined) return undefined
  let padded = end
  while (padded - end < 2 && text[padded] === '=') padded++
  return { type: inner.type, start, end: padded }
}
