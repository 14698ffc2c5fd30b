import { HooklineError, note } from '../core/index.ts'

/** What cannot exist in this runtime, and what to do instead. */
export const missingHere = (what: string, fix: string): HooklineError =>
  new HooklineError(note('not-at-the-edge', { what, fix }))
