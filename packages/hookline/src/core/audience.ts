/**
 * Who can answer when a hook asks. `person`: somebody who is asked and answers. `waiting`: nobody right now, but the
 * question can be kept until somebody comes. `nobody`: what is asked is refused.
 */
export const audiences = ['person', 'waiting', 'nobody'] as const
export type Audience = (typeof audiences)[number]

/**
 * How strict guards are. `strict`: what others share is refused, not asked about. `ci`: nobody can be asked. `watch`:
 * nothing is decided, and what would have been is recorded.
 */
export const profiles = ['default', 'strict', 'ci', 'watch'] as const
export type Profile = (typeof profiles)[number]

/** One thing that a call puts at stake. */
export interface AtStake {
  /** The category of the shell guard that it belongs to, such as `fs-delete` or `database`. */
  about: string
  /** Which row of the table of what is at stake. */
  row: string
  /** One plain sentence. */
  reason: string
  /** The command that does it. */
  blamed: string
  /** The files that would be lost, as far as they are known: absolute paths, directories with a slash at the end. */
  files?: readonly string[]
}
