/** What a walk meets, in order: for those who need to know what a line does, and not only whether that is dangerous. */
import type { Field } from './text.ts'
import type { Way } from './ways.ts'

export interface Trace {
  readonly seen: Seen[]
  /** Why there may be more than was seen. */
  readonly doubts: string[]
  /** Variables that programs may read, set for all that follows: `PATH=/tmp; npm test`. */
  readonly set: string[]
  /** What was declared, and may be called later. */
  readonly guesses: Guess[]
}

export type Seen = SeenCommand | SeenFile | SeenHost

interface Where {
  /** The directory it happens in; relative when the start is not known, undefined once a `cd` could not be followed. */
  readonly cwd: string | undefined
  /** Where it may happen instead, because a `cd` may have failed or never run. */
  readonly also?: Directories
  /** Directories of this machine that a container has among its own. */
  readonly mounts?: readonly Mount[] | undefined
  /** Paths that the line has made lead somewhere else by then. */
  readonly ways?: readonly Way[] | undefined
  /** The command that runs the script on disk in which this stands. */
  readonly script?: SeenCommand | undefined
  /** What it is run by, outermost first: `['sudo', 'bash -c']`. */
  readonly inside: readonly string[]
  /** On another machine, or among the files of a container. */
  readonly elsewhere: boolean
}

/** A directory of this machine under another name; `cwd` is where its own name is meant from. */
export interface Mount {
  readonly from: Field
  readonly to: string
  readonly cwd: string | undefined
}

/** One simple command, after expansion. */
export interface SeenCommand extends Where {
  readonly kind: 'command'
  readonly words: readonly Field[]
  /** The variables set for it. */
  readonly assigned: readonly string[]
  readonly redirected: boolean
  readonly background: boolean
  /** The commands that it runs stand behind it. */
  wraps: boolean
}

/** A file that the shell itself, or the code of another language, opens. */
export interface SeenFile extends Where {
  readonly kind: 'file'
  readonly word: Field
  readonly access: 'read' | 'write' | 'delete'
  readonly recursive: boolean
  /** What was in it before is gone. */
  readonly loses?: 'written' | 'emptied' | undefined
  /** The command whose code says so; undefined for a redirection. */
  readonly by: SeenCommand | undefined
}

/** An address in the code of another language. */
export interface SeenHost extends Where {
  readonly kind: 'host'
  readonly url: Field
  readonly sends: boolean
  readonly by: SeenCommand | undefined
}

/** What was walked where it was declared, with arguments nobody knew: it counts only as long as nobody calls it. */
export interface Guess {
  trace: Trace
  called: boolean
}

/** undefined: somewhere that only the run knows. */
export type Directories = readonly (string | undefined)[]

export interface Standing {
  /** Where the next command runs; never empty. */
  readonly now: Directories
  /** Where that is if the last command succeeded; empty when it cannot have. */
  readonly ifDone: Directories
  readonly ifFailed: Directories
}

/** The machine, as far as one line may ask about it. */
export interface Disk {
  isDirectory(path: string): boolean | undefined
  /** The text of a small file. */
  read(path: string): string | undefined
  /** Files still allowed. */
  left: number
  /** And so many that may not be there. */
  tries: number
  /** Something was asked, so the answer holds for this moment only. */
  asked: boolean
}
