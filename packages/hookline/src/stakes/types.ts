import type { AtStake } from '../core/index.ts'
import type { RowName } from './rows.ts'

export interface Stake extends AtStake {
  row: RowName
}

/** The same, before it is known what it belongs to. */
export type Judged = Omit<Stake, 'about'>

/** What git says of what lies at a path or below it. Absolute paths; directories end with a slash. */
export interface Kept {
  /** The path lies in a working tree of git. */
  repository: boolean
  /** Something is there. */
  exists: boolean
  /** Tracked, with changes that are not committed. */
  changed: readonly string[]
  untracked: readonly string[]
  /** A directory that is ignored stands for all that is in it. */
  ignored: readonly string[]
  /** There are more than are listed. */
  more: boolean
}

/** Looks at all of the paths at once; undefined for one of which nothing can be said. Bounded by whoever gives it. */
export type LookAtFiles = (paths: readonly string[]) => Promise<ReadonlyMap<string, Kept | undefined>>

/** Where a call happens. */
export interface Setting {
  home: string
  cwd: string
  /** The root of the working tree around `cwd`, or `cwd` itself. */
  workspace: string
}
