import { basename } from 'node:path'
import type { Word } from './shell-words.ts'

const shells = /^(?:sh|bash|dash|ash|zsh|ksh|fish)$/
const interpreters =
  /^(?:sh|bash|dash|ash|zsh|ksh|fish|python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|pwsh|lua|luajit|Rscript|osascript|tclsh)$/
const codeExtension = /\.(?:sh|bash|zsh|fish|py|js|mjs|cjs|ts|mts|cts|rb|pl|php|ps1|lua|R|tcl|awk|jq)$/

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

/** Programs that run the program named after them; their own options and numbers are skipped. */
const wrappers = new Set([
  'env',
  'exec',
  'nohup',
  'command',
  'nice',
  'sudo',
  'doas',
  'setsid',
  'timeout',
  'stdbuf',
  'xargs',
  'ionice',
  'builtin',
])
/** Programs that run the script they are given, though they are no interpreters themselves. */
const runners = /^(?:uvx?|npx|bunx|pnpm|yarn|poetry|pdm|hatch|rye|pipx|mise)$/
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
  if (name === undefined) return { program, ...none }
  if (inShell && (withoutProgram.has(name) || shellBuiltins.has(name))) return none
  if (inShell && name === 'eval') return evaluated(rest)
  if (wrappers.has(basename(name))) {
    const next = rest.findIndex((word) => !isAssignment(word) && !/^-|^[\d.]+[smhd]?$/.test(word.text ?? ''))
    return next < 0 ? none : programOf(rest.slice(next), false)
  }
  return isInterpreter(name) ? interpreted(program, name, rest) : { program, operands: rest, unpinned: [] }
}

function interpreted(program: Word, name: string, rest: readonly Word[]): ProgramUse {
  const operands: Word[] = []
  const isOption = (pattern: RegExp, word: Word) => operands.length === 0 && pattern.test(word.text ?? '')
  for (const [index, word] of rest.entries()) {
    const next = rest[index + 1]
    if (isShell(name) && isOption(/^-[a-z]*c$/, word))
      return next?.text === undefined
        ? { program, operands, unpinned: [`${next?.raw ?? '-c'} is known only when it runs`] }
        : { program, operands: [], inline: { source: next.text, word: next }, unpinned: [] }
    // The code stands in the definition; only what it loads on the way is a file.
    if (!isShell(name) && isOption(/^(?:-[ceEp]|--eval|--print)$/, word))
      return { program, operands: [], inline: { source: '' }, unpinned: [] }
    if (isOption(/^-m$/, word))
      return { program, operands: [], unpinned: [`${name} -m ${next?.raw ?? ''} is whatever module is installed`] }
    if (/^-/.test(word.text ?? '') && !word.text?.includes('=')) continue
    if (operands.length === 0 && verbs.has(word.text ?? '')) continue
    operands.push(word)
  }
  return { program, operands, unpinned: [] }
}

function evaluated(words: readonly Word[]): ProgramUse {
  if (words.every(({ text }) => text !== undefined))
    return { operands: [], inline: { source: words.map(({ text }) => text).join(' ') }, unpinned: [] }
  return { operands: [], unpinned: [`eval ${words.map(({ raw }) => raw).join(' ')} is known only when it runs`] }
}

const isAssignment = ({ raw }: Word): boolean => /^[A-Za-z_]\w*\+?=/.test(raw)
