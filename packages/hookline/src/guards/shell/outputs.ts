import { flagValues, hasFlag, lookup, parseArguments, readOptions } from '../../shell/index.ts'
import { spendOnText } from './budget.ts'
import { decodeBase32, decodeBase64, decodeEscapes, decodeHex, formatPrintf } from './decode.ts'
import { gitPrintsSecret } from './git-prints.ts'
import { listedBy } from './listed.ts'
import { credentialOf, isSecretName } from './parameters.ts'
import { isBroad, WATCHES } from './running.ts'
import { isSecret } from './sensitive.ts'
import { type Field, isKnown, mixTaints, NUMBER, SOME, type Stream, stream, type Taint, UNTAINTED } from './text.ts'
import type { Call } from './types.ts'
import { contentOf } from './written.ts'

type Output = (call: Call) => Stream | undefined

/** What a command prints, where that follows from its words and its input alone. */
const OUTPUTS: Record<string, Output> = {
  echo: (call) => {
    const flags = call.args.findIndex((word) => !/^-[neE]+$/.test(word.text))
    const words = flags < 0 ? [] : call.args.slice(flags)
    const options = call.args.slice(0, flags < 0 ? call.args.length : flags).map((word) => word.text)
    const text = words.map((word) => word.text).join(' ')
    const decoded = options.some((option) => option.includes('e')) ? decodeEscapes(text) : text
    return stream(options.some((option) => option.includes('n')) ? decoded : `${decoded}\n`, taintsOf(words))
  },
  printf: (call) => {
    const [format, ...values] = call.args[0]?.text === '--' ? call.args.slice(1) : call.args
    return stream(
      formatPrintf(
        format?.text ?? '',
        values.map((value) => value.text),
        (length) => spendOnText(call.run, length, 32),
      ),
      taintsOf(call.args),
    )
  },
  cat: (call) => combine(inputs(call), (text) => text),
  tee: (call) => call.wiring.stdin,
  rev: (call) =>
    combine(inputs(call), (text) =>
      text
        .split('\n')
        .map((line) => [...line].reverse().join(''))
        .join('\n'),
    ),
  tac: (call) => combine(inputs(call), (text) => `${text.replace(/\n$/, '').split('\n').reverse().join('\n')}\n`),
  tr: translateCharacters,
  base64: (call) => decoder(call, hasFlag(parseArguments(call.args, readOptions('-w:')), 'd|D|--decode'), decodeBase64),
  base32: (call) => decoder(call, hasFlag(parseArguments(call.args, readOptions('-w:')), 'd|D|--decode'), decodeBase32),
  xxd: (call) => decoder(call, hasFlag(parseArguments(call.args, readOptions('-c:g:l:s:')), 'r'), decodeHex),
  openssl: (call) => {
    const words = call.args.map((word) => word.text)
    return decoder(call, words.includes('-d') && words.some((word) => /base64|^-a$/.test(word)), decodeBase64)
  },
  pwd: (call) => stream(`${call.state.cwd ?? SOME}\n`),
  git: (call) => {
    const words = call.args.map(({ text }) => text).join(' ')
    if (words === 'rev-parse --show-toplevel') return stream(`${call.state.start ?? '.'}\n`)
    if (/^rev-parse --(?:git-dir|git-common-dir|absolute-git-dir)$/.test(words))
      return stream(`${call.state.start ? `${call.state.start}/` : ''}.git\n`)
    return gitPrintsSecret(call, '-C:c: --git-dir= --work-tree= --namespace=') ? stream(SOME, ['secret']) : undefined
  },
  // Without a place of its own, it lies where scratch files do.
  mktemp: (call) => {
    if (call.args.some(({ text }) => /^-[a-z]*p|^--tmpdir/.test(text))) return undefined
    const placed = call.args.find(({ text }) => text.includes('/'))
    if (!placed) return stream('/tmp/tmp.scratch\n')
    return isKnown(placed.text) && /X{3}/.test(placed.text)
      ? stream(`${placed.text.replace(/X{3,}/, 'scratch')}\n`)
      : undefined
  },
  which: locate,
  type: (call) =>
    /^-[pP]+$/.test(call.args[0]?.text ?? '') ? locate({ ...call, args: call.args.slice(1) }) : undefined,
  whereis: locate,
  basename: (call) => stream(`${call.args[0]?.text.split('/').at(-1) ?? ''}\n`, taintsOf(call.args)),
  dirname: (call) => stream(`${call.args[0]?.text.replace(/\/[^/]*$/, '') || '.'}\n`, taintsOf(call.args)),
  yes: (call) => stream(SOME, mixTaints(taintsOf(call.args), ['endless'])),
  seq: (call) => (call.args.some(({ text }) => /^inf(?:inity)?$/i.test(text)) ? stream(SOME, ['endless']) : undefined),
  ...Object.fromEntries(
    ['pgrep', 'pidof'].map((name): [string, Output] => [
      name,
      (call) => {
        const names = call.args.map(({ text }) => text).filter((text) => !text.startsWith('-'))
        const all = names.every((text) => isBroad(text) || /^[.*+^$]+$/.test(text))
        const some = call.args.some(({ text }) => /^-[a-zA-Z]*P/.test(text))
        return stream(SOME, names.some((text) => WATCHES.test(text)) ? ['guard'] : all && !some ? ['processes'] : [])
      },
    ]),
  ),
  ps: (call) =>
    stream(
      SOME,
      call.args.some(({ text }) => /^-?\d+$|^-[a-zA-Z]*[pCt]$|^--(?:pid|ppid|tty)/.test(text)) ? [] : ['processes'],
    ),
  ...Object.fromEntries(
    'pg_dump pg_dumpall mysqldump mariadb-dump mongodump'
      .split(' ')
      .map((name): [string, Output] => [name, () => stream(SOME, ['bulk'])]),
  ),
  ...Object.fromEntries(
    'tar gtar bsdtar zip cpio docker podman'
      .split(' ')
      .map((name): [string, Output] => [
        name,
        (call) =>
          PACKS.test(`${name} ${wordsOf(call)}`) ? stream(SOME, mixTaints(taintsOfInputs(call), ['bulk'])) : undefined,
      ]),
  ),
  wc: (call) => (/^-[clmw]$/.test(wordsOf(call)) ? stream(`${NUMBER}\n`) : undefined),
  date: (call) => (/^\+(?:%[sYmdHMSjuw])+$/.test(wordsOf(call)) ? stream(`${NUMBER}\n`) : undefined),
  id: (call) => (/^-[ug]$/.test(wordsOf(call)) ? stream(`${NUMBER}\n`) : undefined),
  nproc: () => stream(`${NUMBER}\n`),
  history: () => stream(SOME, ['typed']),
  fc: () => stream(SOME, ['typed']),
  set: (call) => (call.args.length === 0 ? stream(SOME, ['environment']) : undefined),
  export: (call) =>
    /^(?:-p)?$/.test(call.args.map(({ text }) => text).join('')) ? stream(SOME, ['environment']) : undefined,
  declare: (call) =>
    /^-[pxX]+$/.test(call.args.map(({ text }) => text).join('')) ? stream(SOME, ['environment']) : undefined,
  env: (call) => (call.args.length === 0 ? stream(SOME, ['environment']) : undefined),
  printenv: (call) => {
    if (call.args.length === 0) return stream(SOME, ['environment'])
    return stream(
      SOME,
      call.args.flatMap(({ text }) => (isSecretName(text) ? credentialOf(text) : [])),
    )
  },
  // In place, it prints nothing.
  ...Object.fromEntries(
    ['sed', 'gsed', 'perl'].map((name): [string, Output] => [
      name,
      (call) => (call.args.some(({ text }) => /^-[a-zA-Z]*i|^--in-place/.test(text)) ? stream('') : undefined),
    ]),
  ),
  head: (call) => firstPart(call),
  grep: (call) =>
    hasFlag(parseArguments(call.args, readOptions('-e:f:m:A:B:C:')), 'q|c|l|L|--quiet|--count|--files-with-matches')
      ? stream(SOME)
      : undefined,
  curl: (call) => stream(SOME, fetches(call, /^-[a-zA-Z]*o$|^--output$|^-[a-zA-Z]*O$/) ? ['remote'] : []),
  wget: (call) =>
    stream(SOME, call.args.some((word) => /^-[a-zA-Z]*O-?$|^--output-document/.test(word.text)) ? ['remote'] : []),
  ...Object.fromEntries(
    [
      'nc',
      'ncat',
      'netcat',
      'socat',
      'telnet',
      'ftp',
      'lynx',
      'w3m',
      'http',
      'https',
      'xh',
      'aria2c',
      'fetch',
      'dig',
      'nslookup',
      'irm',
      'iwr',
      'invoke-webrequest',
      'invoke-restmethod',
    ].map((name): [string, Output] => [name, (call) => (call.args.length > 0 ? stream(SOME, ['remote']) : undefined)]),
  ),
  ...Object.fromEntries(
    ['gunzip', 'zcat', 'bunzip2', 'bzcat', 'unxz', 'xzcat', 'zstdcat', 'uudecode', 'gpg', 'basenc', 'ascii85'].map(
      (name): [string, Output] => [name, (call) => stream(SOME, mixTaints(taintsOfInputs(call), ['decoded']))],
    ),
  ),
}

/** What is packed goes on, and not into a file. */
const PACKS =
  /^(?:(?:g|bsd)?tar (?:-?[a-z]*c(?!\S*f)\S*|-?[a-z]*cf -|-c\b(?!.* -f ))|zip .*(?:^| )-(?: |$)|cpio .*-\w*o|(?:docker|podman) (?:save|export)(?! .*-o))/

/** Programs that print what they read, changed or not. */
const PRINTERS = new Set(
  (
    'cat tac rev tr cut sed awk gawk mawk nawk grep egrep fgrep zgrep rg ag ack head tail less more most bat batcat sort uniq nl od hexdump ' +
    'xxd strings base64 base32 fold fmt column paste join comm diff sdiff colordiff cmp jq yq xq gzip bzip2 xz zstd openssl gpg tee ' +
    'view vi vim nvim nano emacs ed ex pr expand unexpand iconv dos2unix look split csplit dd echo printf type cmp zcat xmllint pygmentize sqlite3 sqlcipher'
  ).split(' '),
)

export function isPrinter(name: string): boolean {
  return PRINTERS.has(name)
}

export function outputOf(call: Call): Stream {
  // Whatever is made of the input, every character of it is looked at.
  if (call.wiring.stdin && isKnown(call.wiring.stdin.text)) spendOnText(call.run, call.wiring.stdin.text.length, 12)
  const printed = lookup(OUTPUTS, call.name)?.(call) ?? stream(SOME, reworded(call, taintsOfInputs(call)))
  const output = narrows(call)
    ? stream(
        printed.text,
        printed.taints.filter((taint) => taint !== 'processes'),
      )
    : printed
  const listed = isKnown(output.text) ? undefined : listedBy(call)
  return listed === undefined ? output : { ...output, listed }
}

/** Text that the line spells out, and another program changes first: what comes out of it, nobody has read. */
const reworded = ({ name, wiring }: Call, taints: readonly Taint[]): readonly Taint[] =>
  REWORDS.test(name) && wiring.stdin && wiring.stdin.text.trim() !== '' && isKnown(wiring.stdin.text)
    ? mixTaints(taints, ['decoded'])
    : taints
const REWORDS = /^(?:g?sed|[gmn]?awk|cut|perl|ruby|python[\d.]*|node|php|fold|paste|dd|bc|dc|od|rot13|caesar)$/

/** Of all processes, it picks some: by a word, by a condition, or the first ones. */
const narrows = ({ name, args }: Call): boolean =>
  /^(?:[ef]?grep|rg|ag|ack)$/.test(name)
    ? !args.some(({ text }) => /^-[a-zA-Z]*v/.test(text)) && args.some(({ text }) => /^[^-].*\w/.test(text))
    : /^[gmn]?awk$/.test(name)
      ? args.some(({ text }) => /[~/<>=]/.test(text.replace(/NR\s*[>!=]+\s*\d+/g, '')))
      : /^(?:head|tail|sed|fzf)$/.test(name)

/** Whether a download goes to standard output. */
function fetches(call: Call, toFile: RegExp): boolean {
  return !call.args.some(
    (word, index) => toFile.test(word.text) && !/^(?:-|\/dev\/stdout)$/.test(call.args[index + 1]?.text ?? ''),
  )
}

function taintsOfInputs(call: Call): readonly Taint[] {
  const piped = call.wiring.stdin?.taints ?? UNTAINTED
  if (!PRINTERS.has(call.name)) return piped.filter((taint) => PASSED_ON.has(taint))
  const files = fileWords(call).flatMap((word) => fileTaints(word, call))
  return mixTaints(piped, files)
}

/** What unknown programs are taken to pass on of their input. */
const PASSED_ON: ReadonlySet<Taint> = new Set<Taint>(['remote', 'environment', 'guard'])

/** Programs whose first operand is a pattern or a program, unless an option gives it. */
const PATTERN_FIRST: Record<string, string> = Object.fromEntries([
  ...['grep', 'egrep', 'fgrep', 'zgrep', 'ggrep', 'rg', 'ag', 'ack'].map((name) => [
    name,
    '-e:f:m:A:B:C:g:t:T: --regexp=',
  ]),
  ...['sed', 'gsed'].map((name) => [name, '-e:f:l: --expression=']),
  ...['awk', 'gawk', 'mawk', 'nawk'].map((name) => [name, '-F:v:f:e: --source=']),
  ...['jq', 'gojq', 'yq'].map((name) => [name, '-f:L:']),
])

/** The words of a call that may name a file it reads. */
export function fileWords(call: Call): readonly Field[] {
  const notation = lookup(PATTERN_FIRST, call.name)
  if (notation === undefined) return call.name === 'openssl' || call.name === 'gpg' ? readWords(call.args) : call.args
  const args = parseArguments(call.args, readOptions(notation))
  const given = flagValues(args, 'e|--regexp|--expression|--source')
  const patterns = given.length > 0 || hasFlag(args, 'f') ? given : args.operands.slice(0, 1)
  return call.args.filter((word) => !patterns.includes(word))
}

/** Not those that it writes to: `openssl req -keyout key.pem`. */
const readWords = (args: readonly Field[]): readonly Field[] =>
  args.filter((_, at) => !/^(?:-out|-keyout|-o|--output)$/.test(args[at - 1]?.text ?? ''))

/** Any word of a printing program may name the file it prints: an operand, or the value of an option. */
function fileTaints(word: Field, call: Call): readonly Taint[] {
  if (word.content) return word.content.taints
  const equals = word.text.startsWith('-') ? word.text.indexOf('=') : -1
  const path = equals > 0 ? { ...word, text: word.text.slice(equals + 1) } : word
  if (path.text.startsWith('-')) return UNTAINTED
  if (isSecret(path, call.state)) return ['secret']
  return contentOf(path, call.state).taints
}

function inputs(call: Call): Stream[] {
  const { operands } = parseArguments(call.args, readOptions('-n:c:'))
  if (operands.length === 0) return [call.wiring.stdin ?? stream(SOME)]
  return operands.map((word) => (word.text === '-' ? (call.wiring.stdin ?? stream(SOME)) : contentOf(word, call.state)))
}

function combine(streams: readonly Stream[], change: (text: string) => string | undefined): Stream {
  const text = streams.map((each) => each.text).join('')
  const taints = mixTaints(...streams.map((each) => each.taints))
  const [only] = streams
  const result = stream(change(text) ?? SOME, taints)
  return streams.length === 1 && only?.file !== undefined && result.text === only.text
    ? { ...result, file: only.file }
    : result
}

function decoder(call: Call, decodes: boolean, decode: (text: string) => string | undefined): Stream | undefined {
  if (!decodes) return undefined
  const files = parseArguments(call.args, readOptions('-w:c:g:l:s:')).operands.filter((word) => word.text !== 'base64')
  const source = call.name === 'openssl' || files.length === 0 ? [call.wiring.stdin ?? stream(SOME)] : inputs(call)
  const { text, taints } = combine(source, (each) => each)
  const decoded = isKnown(text) ? decode(text) : undefined
  return stream(decoded ?? SOME, mixTaints(taints, ['decoded']))
}

function translateCharacters(call: Call): Stream {
  const { operands } = parseArguments(call.args, readOptions(''))
  const [from, to] = operands.map((word) => expandSet(word.text))
  const deletes = hasFlag(parseArguments(call.args, readOptions('')), 'd|--delete')
  return combine([call.wiring.stdin ?? stream(SOME)], (text) => {
    if (!from) return undefined
    spendOnText(call.run, text.length * Math.min(from.length, 64))
    return [...text]
      .map((char) => {
        const at = from.indexOf(char)
        if (at < 0) return char
        return deletes ? '' : (to?.[Math.min(at, to.length - 1)] ?? char)
      })
      .join('')
  })
}

function expandSet(set: string): string[] {
  const named = set
    .replace('[:upper:]', 'A-Z')
    .replace('[:lower:]', 'a-z')
    .replace('[:space:]', ' \t\n\r\f\v')
    .replace('[:digit:]', '0-9')
  const chars = [...decodeEscapes(named)]
  const list: string[] = []
  for (let at = 0; at < chars.length; at++) {
    const [start, dash, end] = [chars[at] as string, chars[at + 1], chars[at + 2]]
    if (dash !== '-' || end === undefined) list.push(start)
    else {
      for (let code = start.charCodeAt(0); code <= end.charCodeAt(0) && list.length < 512; code++)
        list.push(String.fromCharCode(code))
      at += 2
    }
  }
  return list
}

function locate(call: Call): Stream {
  const { operands } = parseArguments(call.args, readOptions(''))
  return stream(operands.map((word) => `/usr/bin/${word.text}\n`).join(''))
}

function firstPart(call: Call): Stream {
  const args = parseArguments(call.args, readOptions('-n:c:'))
  const bytes = Number(flagValues(args, 'c|--bytes')[0]?.text)
  const whole = combine(inputs(call), (text) => text)
  const taints = mixTaints(whole.taints, taintsOfInputs(call)).filter((taint) => taint !== 'endless')
  return stream(isKnown(whole.text) && bytes > 0 ? whole.text.slice(0, bytes) : whole.text, taints)
}

const wordsOf = (call: Call): string => call.args.map(({ text }) => text).join(' ')
const taintsOf = (words: readonly Field[]) => mixTaints(...words.map((word) => word.taints))
