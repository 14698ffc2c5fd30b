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

/** The paths that `find` prints below one of its starts: with one plain `-name`, they end in it. */
export function foundBelow(start: Field, args: readonly Field[]): string {
  const texts = args.map(({ text }) => text)
  const at = texts.indexOf('-name')
  const plain =
    at >= 0 && texts.lastIndexOf('-name') === at && !texts.some((text) => /^(?:-o|-or|-not|!|,)$/.test(text))
  const name = plain ? (texts[at + 1] ?? '') : ''
  const head = start.text.replace(/(?<=.)\/+$/, '')
  const down = texts[texts.indexOf('-maxdepth') + 1] === '1' && texts.includes('-maxdepth') ? '' : PATH
  const base = head === '/' ? '' : head
  return `${base}/${down}${name === '' ? (down === '' ? NAME : '') : name.replace(/(?:[*?]|\[[^\]]*\])+/g, NAME)}`
}

const LISTERS: Record<string, (call: Call) => string | undefined> = {
  find: (call) => {
    const [start, ...others] = startsOfFind(call.args)
    return others.length === 0 && start ? foundBelow(start, call.args) : undefined
  },
  fd: () => `./${PATH}`,
  git: (call) => (call.args[0]?.text === 'ls-files' ? `./${PATH}` : undefined),
  grep: matched,
  rg: matched,
  ls: ({ args }) => {
    const { operands, flags } = parseArguments(args, readOptions('-I:w:T:'))
    const plain = !flags.some(({ name }) => /^(?:l|R|a|A|d|s|i|--all|--almost-all|--recursive|--directory)$/.test(name))
    return plain && operands.length <= 1 && !operands[0]?.glob ? NAME : undefined
  },
  sort: passed,
  uniq: passed,
  head: passed,
  tail: passed,
}

/** What a command prints, if each line of that is a name. */
export const listedBy = (call: Call): string | undefined => lookup(LISTERS, call.name)?.(call)

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
