import { type AnyWord, flagsIn, isFlag, readOptions } from './arguments.ts'
import { programName } from './names.ts'

/** A language whose programs are text: which options hold a program, and which load one. */
export interface Interpreter {
  names: string
  /** Options that take a value (see arguments.ts). */
  options: string
  /** Options whose value is a program. */
  code: string
  /** The sub-command behind which the program stands: `deno eval CODE`. */
  codeWord?: string
  /** Options after which nothing is run. */
  inert?: string
  /** Options whose value is a file that is loaded before the program. */
  loads?: string
  /** Options whose value is a module of those installed, run as the program. */
  module?: string
  /** Options whose value is a module of those installed, loaded before the program. */
  libraries?: string
  /** Sub-commands in front of the script: `deno run x.ts`. */
  verbs?: string
  /** What the first operand is: a script file by default. `name`: a file or a name that is looked up. */
  operand?: 'code' | 'name' | 'none'
  /** Its options have no case, and its text is judged by rules of its own: guards/shell/programs/windows.ts. */
  judgedApart?: true
}

/** Shells that read POSIX syntax, and so can be given a script by `-c`. */
const posixShells = 'sh bash zsh dash ksh mksh ash rbash yash'.split(' ')
const shells = new Set([...posixShells, ...'fish csh tcsh elvish nu xonsh'.split(' ')])

/** All shells alike. */
export const shellRow: Interpreter = {
  names: [...shells].join(' '),
  options: '-o:O: --rcfile= --init-file=',
  code: 'c',
  loads: '--rcfile|--init-file',
}

const javascript = {
  options:
    '-apart -e:p:r: --eval= --print= --require= --import= --loader= --experimental-loader= --preload= --env-file=',
  code: 'e|p|--eval|--print',
  loads: 'r|--require|--import|--loader|--experimental-loader|--preload',
  inert: 'v|h|c|--version|--help|--check',
}

export const interpreterTable: readonly Interpreter[] = [
  {
    names: 'python python2 pypy ipython',
    options: '-c:m:W:X:',
    code: 'c',
    module: 'm',
    inert: 'V|h|--version|--help',
  },
  { names: 'perl', options: '-e:E:I:M::m::i::F:', code: 'e|E', libraries: 'M|m', inert: 'v|V|c|--version|--help' },
  { names: 'ruby irb', options: '-e:I:r:C:', code: 'e', libraries: 'r', inert: 'v|c|--version|--help' },
  { names: 'node nodejs tsx ts-node', ...javascript },
  { names: 'bun', ...javascript, verbs: 'run|test' },
  { names: 'deno', ...javascript, verbs: 'run|test', codeWord: 'eval' },
  { names: 'php', options: '-r:B:R:E:F:f:d:c: --run=', code: 'r|B|R|E|--run', inert: 'v|i|l|m|--version|--help' },
  { names: 'lua luajit', options: '-e:l:', code: 'e', inert: 'v' },
  { names: 'osascript', options: '-e:l:s:', code: 'e' },
  { names: 'rscript r', options: '-e:', code: 'e', inert: '--version|--help' },
  { names: 'julia', options: '-e:E:L:p:t:', code: 'e|E', loads: 'L', inert: 'v|h|--version|--help' },
  { names: 'elixir tclsh guile', options: '-e:', code: 'e|--eval' },
  { names: 'groovy scala kotlin swift jshell', options: '-e:', code: 'e|--eval', operand: 'name' },
  { names: 'sbcl', options: '-e: --eval=', code: 'e|--eval', operand: 'none' },
  { names: 'erl', options: '-word -eval= -s= -run= -pa= -config=', code: '-eval', operand: 'none' },
  { names: 'raku', options: '-e:I:M:', code: 'e', libraries: 'M', inert: 'v|--version|--help' },
  { names: 'ocaml fennel janet', options: '-e:I:', code: 'e', inert: '--version|--help' },
  { names: 'clojure clj bb racket', options: '-e: --eval=', code: 'e|--eval', operand: 'name' },
  { names: 'ghc swipl gnuplot octave', options: '-e:g: --eval=', code: 'e|g|--eval', operand: 'none' },
  {
    names: 'pwsh powershell',
    options: '-word -c= -command= -e= -ec= -encodedcommand= -f= -file=',
    code: '-c|-command|-e|-ec|-encodedcommand',
    judgedApart: true,
  },
  {
    names: 'awk gawk mawk nawk',
    options: '-F:v:f:e:E:i:l:o:p: --field-separator= --assign= --file=',
    code: 'e',
    operand: 'code',
    inert: 'V|--version|--help',
  },
]
const byName = new Map(interpreterTable.flatMap((row) => row.names.split(' ').map((name) => [name, row] as const)))

export const isShell = (program: string): boolean => shells.has(programName(program))
export const isPosixShell = (program: string): boolean => posixShells.includes(programName(program))

/** The row of a program that is no shell. */
export const interpreterNamed = (program: string): Interpreter | undefined => byName.get(programName(program))

/** Whether it runs the script file it is given; `certain`: and takes its first operand for nothing else. */
export function runsScripts(program: string, certain = false): boolean {
  const row = interpreterNamed(program)
  return isShell(program) || (row !== undefined && row.operand !== 'code' && !(certain && row.operand !== undefined))
}

export const interpreterNames = (): string[] => [...shells, ...byName.keys()]

/** What one option of an interpreter names. */
export interface InterpreterOption<W> {
  names: 'code' | 'file' | 'module' | 'library'
  /** Its value, when it is part of the same word; else the value is the next word. */
  attached?: W
}

/** Reads one word that begins with a dash; undefined when it names nothing that runs. */
export function readInterpreterOption<W extends AnyWord>(program: string, word: W): InterpreterOption<W> | undefined {
  const row = interpreterNamed(program) ?? shellRow
  const { code, loads = '', module = '', libraries = '' } = row
  const folded = row.judgedApart ? { ...word, text: word.text?.toLowerCase() } : word
  return flagsIn(folded, readOptions(row.options))
    .flags.flatMap(({ name, value }): InterpreterOption<W>[] => {
      const attached = value && { attached: value }
      if (isFlag(name, code)) return [{ names: 'code', ...attached }]
      if (isFlag(name, loads)) return [{ names: 'file', ...attached }]
      if (isFlag(name, module)) return [{ names: 'module', ...attached }]
      return isFlag(name, libraries) ? [{ names: 'library', ...attached }] : []
    })
    .at(-1)
}

/** Programs that are no interpreters, but whose `-f` names a script of theirs. */
export const takesScriptFile = (program: string): boolean =>
  /^(?:[gmn]?awk|g?sed|jq|yq|g?make)$/.test(programName(program))

const codeExtension =
  /\.(?:sh|bash|zsh|ksh|fish|nu|py|pyz|pyc|js|mjs|cjs|jsx|ts|mts|cts|tsx|coffee|rb|pl|pm|raku|php|phar|ps1|bat|cmd|vbs|lua|R|jl|tcl|exp|awk|sed|jq|go|rs|zig|nim|cr|swift|dart|jar|class|groovy|kts|scala|clj|bb|exs?|erl|hs|ml|rkt|scm|lisp|el|vim|csx|fsx|dll|exe|so|dylib|wasm|scpt|applescript)$/

/** Whether a file's name looks like that of a program. */
export const isCodeFile = (name: string): boolean => codeExtension.test(name)
