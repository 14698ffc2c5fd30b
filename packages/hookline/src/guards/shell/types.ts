import type { Arguments as ArgumentsOf } from '../../shell/index.ts'
import type { Function as FunctionNode, ParsedScript } from '../../shell/syntax/index.ts'
import type { Field, Stream } from './text.ts'

export type Verdict = 'safe' | 'unknown' | 'destructive'
export type Radius = 'low' | 'medium' | 'high' | 'unknown'

export interface ShellVerdict {
  verdict: Verdict
  radius: Radius
  categories: string[]
  /** The exact sub-command blamed; '' when safe. */
  blamed: string
  /** One plain sentence. */
  reason: string
}

export type Category =
  | 'fs-delete'
  | 'fs-overwrite'
  | 'fs-modify'
  | 'fs-permissions'
  | 'block-device'
  | 'git-destroy'
  | 'remote-exec'
  | 'hidden-exec'
  | 'exfiltration'
  | 'secret-read'
  | 'persistence'
  | 'privilege'
  | 'self-protection'
  | 'container'
  | 'database'
  | 'cloud'
  | 'publish'
  | 'process'
  | 'system'
  | 'limit'
  | 'unresolved'

/** What is wrong with one command, by one rule. */
export interface Danger {
  category: Category
  radius: Radius
  reason: string
}

export interface Finding extends Danger {
  verdict: 'unknown' | 'destructive'
  blamed: string
}

/** What the shell knows at one point of the line. A subshell gets a copy. */
export interface State {
  /** Absolute, or relative to an unknown start; undefined once a `cd` could not be followed. */
  cwd: string | undefined
  /** The absolute directory the line started in, when known: what lies in it is the user's project. */
  start: string | undefined
  home: string
  variables: Map<string, readonly Field[]>
  functions: Map<string, { node: FunctionNode; source: string }>
  aliases: Map<string, string>
  /** Files this line itself has written, by resolved path. */
  files: Map<string, Stream>
  /** Names and paths that this line made stand for another program. */
  links: Map<string, string>
  positional: readonly Field[]
}

/** How a command is connected to its neighbours. */
export interface Wiring {
  /** undefined: nothing is piped in. */
  stdin: Stream | undefined
  /** The output goes to the next command or into a substitution, not to the terminal. */
  captured: boolean
  background: boolean
  piped: boolean
}

/** What a line runs, in its own words: for rules that people write about commands. */
export interface CommandReading {
  /** Every simple command, those inside substitutions, wrappers, functions and scripts of the line included. */
  commands: readonly SimpleCommand[]
  /** False when some program, or some text run as code, is only known when it runs: then there may be more commands. */
  certain: boolean
  /** Files are written by redirection, or variables set that reach the programs: more happens than the commands say. */
  more: boolean
}

export interface SimpleCommand {
  /** After expansion, quoted only where that is needed. */
  text: string
  /** As written; for a command that another one runs, the same as `text`. */
  shown: string
  /** The name of the program, without the directory it lies in. */
  program: string
}

/** Shared by the whole analysis of one line. */
export interface Run {
  findings: Finding[]
  reading: { -readonly [K in keyof CommandReading]: CommandReading[K] } & { commands: SimpleCommand[] }
  /** Commands still allowed; see findings.ts. One object, so that every depth draws from it. */
  meter: { left: number }
  depth: number
  /** Functions being run, so that recursion ends. */
  calls: readonly string[]
  walker: Walker
}

/** Judges what a command runs in its turn; gives back what that would print. Passed in, because the walk itself needs all commands. */
export interface Walker {
  script(script: Stream, state: State, run: Run, wiring: Wiring): Stream
  /** Words that become a command of their own, with nothing more to expand. */
  words(words: readonly Field[], state: State, run: Run, wiring: Wiring): Stream
  /** The body of a function that the line declared. */
  function(name: string, args: readonly Field[], state: State, run: Run, wiring: Wiring): Stream
}

/** What an expansion may need of the shell it happens in. */
export interface Shell {
  state: State
  run: Run
  /** The text that the positions and slices of the current nodes refer to. */
  source: string
  /** Judges a substitution; gives back what it would print. */
  evaluate(script: ParsedScript | undefined, source: string, stdin?: Stream): Stream
  /** Judges the substitutions hidden in text that the shell expands a second time. */
  evaluateText(text: string): string
}

/** The options and operands of a call. */
export type Arguments = ArgumentsOf<Field>

/** One effective simple command, after expansion and after its wrappers were taken off. */
export interface Call {
  name: string
  args: readonly Field[]
  wiring: Wiring
  state: State
  run: Run
  /** How the command is shown when it is blamed. */
  shown: string
}

/** What a wrapper, builtin or interpreter made of a call. */
export interface Handled {
  output: Stream
  /** What it runs has been judged in its place: it needs no entry on the read-only list itself. */
  settled: boolean
}

export const settled = (output: Stream): Handled => ({ output, settled: true })
export const unsettled = (output: Stream): Handled => ({ output, settled: false })
