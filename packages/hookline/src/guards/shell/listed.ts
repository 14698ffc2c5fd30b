/** Names that programs list for others to use: what is known of them before they run. */
import { lookup, parseArguments, readOptions } from '../../shell/index.ts'
import { type Field, field, NAME, PATH } from './text.ts'
import type { Call } from './types.ts'

export function startsOfFind(args: readonly Field[]): Field[] {
  const starts: Field[] = []
  for (const word of args) {
    if (/^[-(!]/.test(word.text) && !/^-[HLP]$/.test(word.text)) break
    if (!/^-[HLP]$/.test(word.text)) starts.push(word)
  }
  return starts.length > 0 ? starts : [field('.')]
}

/** The paths that `find` prints below one of its starts, by the names that it looks for. */
export function foundBelow(start: Field, args: readonly Field[]): string[] {
  const texts = args.map(({ text }) => text)
  const head = start.text.replace(/(?<=.)\/+$/, '')
  const down = texts[texts.indexOf('-maxdepth') + 1] === '1' && texts.includes('-maxdepth') ? '' : PATH
  const base = `${head === '/' ? '' : head}/${down}`
  const names = namesOfFind(texts)
  return names.length > 0 ? names.map((name) => base + ofPattern(name)) : [down === '' ? base + NAME : base]
}

const ofPattern = (pattern: string): string => pattern.replace(/(?:[*?]|\[[^\]]*\])+/g, NAME)

/** What it finds has one of these names; none where it may find any. Of several tests with `-o` between them, each must name one. */
function namesOfFind(given: readonly string[]): string[] {
  const texts = withoutCommands(given)
  if (texts.some((text, at) => /^(?:!|-not)$/.test(text) && /^(?:\(|-name)$/.test(texts[at + 1] ?? ''))) return []
  if (texts.includes(',')) return []
  const acts = texts.some((text) => ACTS.test(text))
  const names: string[] = []
  for (const test of splitAt(texts, /^-o(?:r)?$/)) {
    const prunes = test.includes('-prune') && !test.some((text) => ACTS.test(text))
    const at = test.indexOf('-name')
    if (prunes && acts) continue
    if (at < 0 || test[at + 1] === undefined) return []
    names.push(test[at + 1] as string)
  }
  return names.slice(0, MOST_NAMES)
}

const MOST_NAMES = 16
const ACTS = /^-(?:f?print0?|f?printf|exec(?:dir)?|ok(?:dir)?|delete|f?ls)$/

/** The words behind `-exec` are those of another program. */
function withoutCommands(texts: readonly string[]): string[] {
  let inside = false
  return texts.filter((text) => {
    const begins = !inside && /^-(?:exec|ok)(?:dir)?$/.test(text)
    if (inside) inside = text !== ';' && text !== '+'
    else inside = begins
    return begins || !inside
  })
}

function splitAt(texts: readonly string[], separator: RegExp): string[][] {
  const parts: string[][] = [[]]
  for (const text of texts) {
    if (separator.test(text)) parts.push([])
    else parts.at(-1)?.push(text)
  }
  return parts
}

const LISTERS: Record<string, (call: Call) => string | undefined> = {
  find: (call) => {
    const [start, ...others] = startsOfFind(call.args)
    return others.length === 0 && start ? foundBelow(start, call.args).join('\n') : undefined
  },
  fd: () => `./${PATH}`,
  git: trackedNames,
  grep: matched,
  rg: matched,
  ls: ({ args }) => {
    const { operands, flags } = parseArguments(args, readOptions('-I:w:T:'))
    const plain = !flags.some(({ name }) => /^(?:l|R|a|A|d|s|i|--all|--almost-all|--recursive|--directory)$/.test(name))
    const [first] = operands
    if (!plain || operands.length > 1) return undefined
    if (!first?.glob) return NAME
    // With an ending, they are files; what else a pattern matches may be directories, whose names would follow.
    return /\*\.[a-z]\w*$/i.test(first.text) ? ofPattern(first.text) : undefined
  },
  sort: passed,
  uniq: passed,
  head: passed,
  tail: passed,
}

/** What a command prints, if each line of that is a name: one line for each kind of name. */
export const listedBy = (call: Call): string | undefined => lookup(LISTERS, call.name)?.(call)

/** `git ls-files '*.ts'` and `git diff --name-only`: names that git knows, of the patterns it is given. */
function trackedNames({ args }: Call): string | undefined {
  const [verb, ...rest] = args.map(({ text }) => text)
  const lists = verb === 'ls-files' || (/^(?:diff|show|log)$/.test(verb ?? '') && rest.includes('--name-only'))
  if (!lists) return undefined
  const specs = rest.slice(rest.indexOf('--') + 1).filter((text) => !text.startsWith('-'))
  const named = verb === 'ls-files' && specs.every((text) => /^(?:[\w.-]+\/)*[*?][^/]*$/.test(text))
  return named && specs.length > 0 ? specs.map(belowSpec).join('\n') : `./${PATH}`
}

/** A star of git's goes down through directories: `src/*.ts` is also `src/a/b.ts`. */
function belowSpec(spec: string): string {
  const end = spec.lastIndexOf('/') + 1
  return `./${spec.slice(0, end)}${PATH}${ofPattern(spec.slice(end))}`
}

function passed({ args, wiring }: Call): string | undefined {
  return parseArguments(args, readOptions('-n:c:k:t: -#')).operands.length === 0 ? wiring.stdin?.listed : undefined
}

/** `grep -l` prints names below where it looks; without files, it passes on lines. */
function matched(call: Call): string | undefined {
  const args = parseArguments(call.args, readOptions('-e:f:m:A:B:C:g:t:'))
  const given = args.flags.some(({ name }) => name === 'e' || name === 'f')
  const files = args.operands.slice(given ? 0 : 1)
  if (files.length === 0 && call.wiring.stdin) return call.wiring.stdin.listed
  if (!args.flags.some(({ name }) => /^(?:l|--files-with-matches|--files)$/.test(name)) || files.length > 1)
    return undefined
  const start = files[0]?.text.replace(/(?<=.)\/+$/, '') ?? '.'
  return start === '.' ? `./${PATH}` : `${start}${PATH}`
}
