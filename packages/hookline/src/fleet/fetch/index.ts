/** What keeps a policy up to date. A door of its own: it loads tuf-js, which only machines of a fleet need. */
export { type Follower, fetchPolicy, followPolicy } from '../follow.ts'
export { mayFetch, sourceOf, Unreachable } from '../source.ts'
export type { Check } from '../update.ts'
