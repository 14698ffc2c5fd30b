import { basename } from 'node:path'
import type { Word } from './shell-words.ts'

const shells = /^(?:sh|bash|dash|ash|zsh|ksh|fish)$/
const interpreters =
  /^(?:sh|bash|dash|ash|zsh|ksh|fish|python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|pwsh|lua|luajit|Rscript|osascript|tclsh)$/
const codeExtension =
  /\.(?:sh|bash|zsh|ksh|fish|nu|py|pyz|pyc|js|mjs|cjs|jsx|ts|mts|cts|tsx|coffee|rb|pl|pm|raku|php|phar|ps1|bat|cmd|vbs|lua|R|jl|tcl|exp|awk|sed|jq|go|rs|zig|nim|cr|swift|dart|jar|class|groovy|kts|scala|clj|bb|exs?|erl|hs|ml|rkt|scm|lisp|el|vim|csx|fsx|dll|exe|so|dylib|wasm|scpt|applescript)$/

/** Words of the shell that lead to a command or belong to no program. */
const keywords = new Set([
  'if',
  'then',
  'else',
  'elif',
  'fi',
  'while',
  'until',
  'do',
  'done',
  'esac',
  '!',
  'time',
  'function',
  'in',
])
const withoutProgram = new Set(['for', 'case', 'select', '[[', '[', 'test'])
const shellBuiltins = new Set(
  (
    ': alias bg break builtin continue declare dirs disown echo enable exit export false fc fg getopts hash help history jobs kill ' +
    'let local logout mapfile popd printf pwd read readarray readonly return set shift shopt suspend times trap true type ' +
    'typeset ulimit umask unalias unset wait'
  ).split(' '),
)

interface Wrapper {
  /** Options whose value is the next word. */
  takes?: string
  /** The option whose value is shell text. */
  script?: string
  /** The option whose value is where to go first. */
  enters?: string
  /** How many words of its own stand before the program. */
  skip?: number
}

/** Programs that run the program named after them; numbers and what begins with a dash belong to themselves. */
const wrappers: Readonly<Record<string, Wrapper>> = {
  env: { takes: '-u --unset', script: '-S --split-string', enters: '-C --chdir' },
  exec: { takes: '-a' },
  nohup: {},
  command: {},
  builtin: {},
  time: { takes: '-f -o --format --output' },
  nice: {},
  ionice: {},
  setsid: {},
  chronic: {},
  caffeinate: {},
  busybox: {},
  sudo: { takes: '-u -g -p -r -t -T -U -h -R --user --group --prompt', enters: '-D --chdir' },
  doas: { takes: '-u -C' },
  su: { takes: '-s -g -G', script: '-c --command', skip: 1 },
  runuser: { takes: '-u -g -G -s', script: '-c --command' },
  script: { takes: '-I -O -B -T -m -E', script: '-c --command', skip: 1 },
  flock: { takes: '-w -E', script: '-c --command', skip: 1 },
  taskset: { skip: 1 },
  timeout: { takes: '-s --signal -k --kill-after' },
  stdbuf: { takes: '-i -o -e' },
  watch: { takes: '-q' },
  xargs: { takes: '-a -d -E -I -L -n -P -s' },
}
/** Programs that run the script they are given, though they are no interpreters themselves. */
const runners = /^(?:uvx?|npx|bunx|pnpm|yarn|poetry|pdm|hatch|rye|pipx|mise)$/
/** Programs of the machine whose `-f` names what they do. */
export const takesScript = (name: string): boolean => /^(?:[gmn]?awk|g?sed|jq|yq|g?make)$/.test(basename(name))
/** `deno run x.ts`, `bun run x.ts`: the word that is no script. */
const verbs = new Set(['run', 'test'])

export const isInterpreter = (name: string): boolean => interpreters.test(basename(name))
export const isShell = (name: string): boolean => shells.test(basename(name))
export const isRunner = (name: string): boolean => runners.test(basename(name))
/** Whether a name looks like that of a script. */
export const isCode = (name: string): boolean => codeExtension.test(name)

export interface ProgramUse {
  /** Absent: the shell does it all by itself. */
  program?: Word
  operands: Word[]
  /** Shell text among the words: of `sh -c`, or of `eval`; `word` is the one that holds all of it. */
  inline?: { source: string; word?: Word }
  /** The text of a program in another language: of `python3 -c`, say. */
  code?: string
  /** What an interpreter is told to load before the program itself. */
  loads?: Word[]
  /** Where it goes first. */
  directory?: Word
  unpinned: string[]
}

/** Which program a simple command starts, and which of its words could be scripts. */
export function programOf(words: readonly Word[], inShell: boolean): ProgramUse {
  let at = 0
  while (at < words.length && (isAssignment(words[at]!) || (inShell && keywords.has(words[at]!.text ?? '')))) at++
  const program = words[at]
  const rest = words.slice(at + 1)
  const name = program?.text
  const none = { operands: [], unpinned: [] }
  if (program === undefined) return none
  if (name === undefined) return { program, operands: rest, unpinned: [] }
  if (inShell && (withoutProgram.has(name) || shellBuiltins.has(name))) return none
  if (inShell && name === 'eval') return evaluated(rest)
  const base = basename(name)
  const wrapper = Object.hasOwn(wrappers, base) ? wrappers[base] : undefined
  if (wrapper) return wrapped(wrapper, rest)
  return isInterpreter(name) ? interpreted(program, base, rest) : { program, operands: rest, unpinned: [] }
}

function wrapped({ takes = '', script = '', enters = '', skip = 0 }: Wrapper, rest: readonly Word[]): ProgramUse {
  const isOne = (options: string, text: string) => options.split(' ').includes(text)
  let directory: Word | undefined
  let skipped = 0
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!
    const text = word.text ?? ''
    const next = rest[at + 1]
    if (next && (isOne(script, text) || isOne(script, text.replace(/^-[A-Za-z]+(?=[A-Za-z]$)/, '-'))))
      return shellText(next, rest.slice(at + 2))
    if (isOne(enters, text)) directory = rest[++at]
    else if (isOne(takes, text)) at++
    else if (text.startsWith('--chdir=')) directory = { raw: word.raw, text: text.slice('--chdir='.length) }
    else if (!isAssignment(word) && !/^-|^[\d.]+[smhd]?$/.test(text) && skipped++ >= skip)
      return { ...programOf(rest.slice(at), false), ...(directory && { directory }) }
  }
  return { operands: [], unpinned: [] }
}

function shellText(word: Word, operands: readonly Word[]): ProgramUse {
  const { raw, text } = word
  if (text === undefined) return { operands: [...operands], unpinned: [`${raw} is known only when it runs`] }
  return { operands: [...operands], inline: { source: text, word }, unpinned: [] }
}

/** Whose options take a program as text, at their end or behind it. */
const codeOptions: readonly (readonly [names: RegExp, option: RegExp])[] = [
  [/^(?:python|pypy)/, /^-[bBdEiIOPqsSuvx]*c(.*)$/s],
  [/^perl$/, /^-[a-zA-Z0-9]*[eE]()$/],
  [/^(?:ruby|lua|luajit|osascript|Rscript)$/, /^-[a-z]*e()$/],
  [/^(?:node|nodejs|bun|tsx|ts-node)$/, /^(?:-[pe]{1,2}|--eval|--print)(?:=(.*)|())$/s],
  [/^deno$/, /^eval()$/],
  [/^php$/, /^-[rBRE]()$/],
  [/^pwsh$/i, /^-(?:c|command|e|ec|encodedcommand)()$/i],
]
/** `-m module`, glued or not. */
const moduleOption = /^-[bBdEiIOPqsSuvx]*m(.*)$/s
/** Options whose value is loaded, or says something else than which script to run. */
const loading = /^(?:-r|--require|--import|--loader|--experimental-loader|--preload|--rcfile|--init-file)$/

function interpreted(program: Word, name: string, rest: readonly Word[]): ProgramUse {
  const use: ProgramUse & { loads: Word[] } = { program, operands: [], loads: [], unpinned: [] }
  const codeOption = codeOptions.find(([names]) => names.test(name))?.[1]
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!
    const next = rest[at + 1]
    const text = word.text ?? ''
    if (use.operands.length > 0) {
      if (!/^-/.test(text) || text.includes('=')) use.operands.push(word)
      continue
    }
    if (isShell(name) && /^-[a-z]*c$/.test(text)) {
      if (!next) return { ...use, unpinned: ['-c is known only when it runs'] }
      return { ...use, ...shellText(next, rest.slice(at + 2)), program }
    }
    // The text stands in the definition; only what it loads on the way is a file.
    const code = codeOption?.exec(text)
    if (code) return { ...use, code: code[1] || (next?.text ?? next?.raw ?? '') }
    const module = /^(?:python|pypy)/.test(name) ? moduleOption.exec(text) : null
    if (module) {
      const named = module[1] || (next?.raw ?? '')
      return { ...use, unpinned: [...use.unpinned, `${name} -m ${named} is whatever module is installed`] }
    }
    if (loading.test(text) && next) use.loads.push(rest[++at]!)
    else if (/^-[Mmr]\w/.test(text) && /^(?:perl|ruby)$/.test(name))
      use.unpinned.push(`${name} ${text} is whatever module is installed`)
    else if ((!/^-/.test(text) || text.includes('=')) && !verbs.has(text)) use.operands.push(word)
  }
  return use
}

function evaluated(words: readonly Word[]): ProgramUse {
  if (words.every(({ text }) => text !== undefined))
    return { operands: [], inline: { source: words.map(({ text }) => text).join(' ') }, unpinned: [] }
  return { operands: [], unpinned: [`eval ${words.map(({ raw }) => raw).join(' ')} is known only when it runs`] }
}

const isAssignment = ({ raw }: Word): boolean => /^[A-Za-z_]\w*\+?=/.test(raw)
