/**
 * Text that may be known only in part: `parts` are the known pieces in order, and between two of them stands something
 * that is only known when the call runs. One piece: all of it is known. `['', '']`: nothing is.
 */
export interface Slot {
  parts: readonly string[]
  /** What fills the gaps is the name of an existing file that a shell pattern matched: it holds no `/`, and begins with no dot. */
  globbed?: true
  /**
   * What fills the first gap leads down from a directory that was searched: to the name behind it, or with the beginning of
   * that name. What fills the others is part of one name.
   */
  found?: 'name' | 'part'
}

export const known = (text: string): Slot => ({ parts: [text] })
export const unknownSlot: Slot = { parts: ['', ''] }
export const isKnown = ({ parts }: Slot): boolean => parts.length === 1

/** One thing that a call would do. */
export type Action = RunAction | PathAction | FetchAction | SendAction | SpawnAction | CallAction

interface Inside {
  /** How deep it lies: `['sudo', 'bash -c']`; empty for what the call says itself. */
  inside: readonly string[]
  /**
   * Where in the list the command stands that does this: `cat .env` reads. Absent for what the call's arguments and the
   * shell's redirections say: nobody who allows the command has allowed that.
   */
  by?: number
}

/** One simple command, unwrapped: the program first, by its name without the directory. */
export interface RunAction extends Inside {
  kind: 'run'
  words: readonly Slot[]
  /** The program as it is written, where that names a directory: who allows `npm` has not allowed `/tmp/npm`. */
  program?: string
  /** As a person would write it, for messages. */
  shown: string
  /** What an `allow` must not overlook: variables set for it, files it is redirected to or from, options in front of a subcommand. */
  extras: readonly ('assignment' | 'redirection' | 'global-option' | 'background')[]
  /** Commands that it runs stand behind it, inside it: `sudo`, `bash -c`, `xargs`, a function. */
  wraps?: true
  /** For git: the branches that it would change, as far as HEAD, upstream and refspec say. Empty: none. */
  branches?: readonly Slot[]
}

/** A file or directory. `paths` are all the ways to write the same place: absolute, and through links the real one. */
export interface PathAction extends Inside {
  kind: 'read' | 'write' | 'delete'
  paths: readonly Slot[]
  /** Also everything below it: `rm -r`, `grep -r`, `cp -r`. */
  recursive?: true
  /** What of it is read on the way down, where that is not everything. */
  search?: Search
  /** A file that is written: what becomes of what was in it. */
  loses?: Loses
  shown: string
}

/** What a search reads of a tree. */
export interface Search {
  /** It goes past hidden names, as `rg` does, but not past those that a file of ignored names takes back with `!`. */
  visible?: true
  /** Patterns of names; with `!` in front, of those it goes past. The last that matches decides, over `visible` too. */
  names?: readonly string[]
  /** Only what git tracks. */
  tracked?: true
}

/** It changes in part; it goes, for what a command prints, for another file, or for nothing. */
export type Loses = 'edited' | 'written' | 'replaced' | 'emptied'

export interface FetchAction extends Inside {
  kind: 'fetch'
  host: Slot
  url?: Slot
  /** It sends data along (`curl -d`, `git push`, an upload). */
  sends?: true
  shown: string
}

export interface SendAction extends Inside {
  kind: 'send'
  to: Slot
  shown: string
}

export interface SpawnAction extends Inside {
  kind: 'spawn'
  agent: Slot
  shown: string
}

/** A tool of an MCP server. */
export interface CallAction extends Inside {
  kind: 'call'
  server: string
  tool: string
  /** All ways to read its name, where the separator may be part of a name: `mcp__a__b__c`. */
  ways?: readonly { server: string; tool: string }[]
  shown: string
}

export interface Actions {
  actions: readonly Action[]
  /**
   * False: there may be more than is listed, because some program or code is only known when it runs, or because the
   * analysis reached its limit. An `allow` never covers such a call.
   */
  complete: boolean
  /** Variables that programs may read, and that the line sets: `PATH=/tmp; npm test`. Who allows `npm test` has not allowed that. */
  sets?: readonly string[]
  /** Why, in a sentence, where it is not complete. */
  doubt?: string
}

/** What the analysis may look at, bounded by whoever gives it. Everything is optional: without it, the answer is `unknown`. */
export interface Look {
  home?: string
  /** The real path behind links; undefined when there is nothing. */
  realpath?(path: string): string | undefined
  /** The text of a small file: a script that would run, an alias file. */
  read?(path: string): string | undefined
  /** Names in a directory, for shell patterns. */
  list?(path: string): readonly string[] | undefined
  /** Whether a directory is there; undefined when that cannot be told. */
  isDirectory?(path: string): boolean | undefined
  /** Whether git tracks the path. */
  tracked?(path: string): boolean | undefined
  /** About the git repository around a directory. */
  git?(directory: string):
    | {
        /** Empty when HEAD is on no branch. */
        branch?: string | undefined
        /** `origin/main`. */
        upstream?: string | undefined
        remotes?: Readonly<Record<string, string>>
        /** Where a push goes instead, by remote. */
        pushes?: Readonly<Record<string, string>>
        /** The remote that a push without one goes to, where that is not the remote of the upstream. */
        pushRemote?: string
        dirty?: boolean | undefined
        aliases?: Readonly<Record<string, string>>
      }
    | undefined
}
