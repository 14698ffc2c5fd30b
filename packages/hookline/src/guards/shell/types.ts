import type { Arguments as ArgumentsOf } from '../../shell/index.ts'
import type {
  AndOr,
  CommandNode,
  CompoundList,
  Function as FunctionNode,
  ParsedScript,
  Pipeline,
  Statement,
} from '../../shell/syntax/index.ts'
import type { Place } from './place.ts'
import type { Directories, Disk, Guess, Mount, SeenCommand, Standing, Trace } from './seen.ts'
import type { Field, Stream } from './text.ts'
import type { Way } from './ways.ts'

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

export const categories = [
  'fs-delete',
  'fs-overwrite',
  'fs-modify',
  'fs-permissions',
  'block-device',
  'git-destroy',
  'remote-exec',
  'hidden-exec',
  'exfiltration',
  'secret-read',
  'persistence',
  'privilege',
  'self-protection',
  'container',
  'database',
  'cloud',
  'publish',
  'process',
  'system',
  'limit',
  'unresolved',
] as const
export type Category = (typeof categories)[number]

/** What is wrong with one command, by one rule. */
export interface Danger {
  category: Category
  radius: Radius
  reason: string
  /** Worth knowing, and no reason to warn: what is lost is scratch, made again, or one file of the project. */
  mild?: true
  /** Where it strikes, as far as the word itself says. */
  at?: Place
}

export interface Finding extends Danger {
  verdict: 'unknown' | 'destructive'
  blamed: string
}

/** What the shell knows at one point of the line. A subshell gets a copy. */
export interface State {
  /** Absolute, or relative to an unknown start; undefined once a `cd` could not be followed. */
  cwd: string | undefined
  /** Where it may be instead; see directories.ts. */
  standing: Standing
  /** Where `return`, `break` and `continue` left from. */
  left: Directories
  /** The absolute directory the line started in, when known: what lies in it is the user's project. */
  start: string | undefined
  home: string
  variables: Map<string, readonly Field[]>
  /** What they may hold instead; see alternatives.ts. */
  others: Map<string, readonly (readonly Field[])[]>
  functions: Map<string, { node: FunctionNode; source: string; guessed: Guess }>
  aliases: Map<string, { text: string; guessed: Guess }>
  /** Files this line itself has written, by resolved path. */
  files: Map<string, Stream>
  /** What is read from the descriptors that this line has opened, by number. */
  descriptors: Map<string, Stream>
  /** What happens with what is written to a descriptor or a file that somebody already reads: `coproc bash`, `sh < fifo &`. */
  readers: Map<string, (input: Stream) => void>
  /** Names and paths that this line made stand for another program. */
  links: Map<string, string>
  /** Paths that this line made lead somewhere else. */
  ways: readonly Way[]
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

/** How many steps an analysis has left. */
export interface Budget {
  left: number
}

/** Shared by the whole analysis of one line. */
export interface Run {
  findings: Finding[]
  reading: { -readonly [K in keyof CommandReading]: CommandReading[K] } & { commands: SimpleCommand[] }
  /** Directories in which git reads a repository, as far as the line is read-only. */
  repositories: Set<string>
  /** One object, so that every depth spends from it. */
  budget: Budget
  depth: number
  /** The variables that the current command has read, for whom that matters. */
  read?: Set<string> | undefined
  /** Functions being run, so that recursion ends. */
  calls: readonly string[]
  walker: Walker
  /** What the machine may be asked about; without it, nothing outside the line is known. */
  disk?: Disk | undefined
  /** What the current commands see of the files of this machine, among those of a container. */
  mounts?: readonly Mount[] | undefined
  /** What the commands are and open, in order; see trace.ts. */
  trace: Trace
  /** What the current commands are run by, outermost first. */
  inside: readonly string[]
  /** The command that runs the script on disk in which the current commands stand. */
  script?: SeenCommand | undefined
  /** What is walked was only declared: nobody has called it yet. */
  guessing?: true
  /** The current commands run on another machine or among other files. */
  elsewhere: boolean
  /** What the line runs when it is over: `trap '…' EXIT`. */
  atEnd: (() => void)[]
}

/** Judges what a command runs in its turn; gives back what that would print. Passed in, because the walk itself needs all commands. */
export interface Walker {
  script(script: Stream, state: State, run: Run, wiring: Wiring): Stream
  /** Words that become a command of their own, with nothing more to expand: a program, or by `any` a function or an alias too. */
  words(words: readonly Field[], state: State, run: Run, wiring: Wiring, any?: boolean): Stream
  /** The body of a function that the line declared. */
  function(name: string, args: readonly Field[], state: State, run: Run, wiring: Wiring): Stream
  /** A part of a script that is parsed already. */
  node(node: Node, shell: Shell, wiring: Wiring): Stream
}

export type Node = Statement | AndOr | Pipeline | CommandNode | CompoundList

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
  /** Judges text that the shell calculates with; gives back the number. */
  calculate(text: string): string
  /** Sets a variable in the middle of a word: `${x:=y}`. */
  assign(name: string, value: Field): void
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
  /** Its entry in the trace. */
  seen?: SeenCommand | undefined
  /** What is said of the commands it runs: they are inside this. Its name, if absent. */
  label?: string
}

/** What a wrapper, builtin or interpreter made of a call. */
export interface Handled {
  output: Stream
  /** What it runs has been judged in its place: it needs no entry on the read-only list itself. */
  settled: boolean
}

export const settled = (output: Stream): Handled => ({ output, settled: true })
export const unsettled = (output: Stream): Handled => ({ output, settled: false })
