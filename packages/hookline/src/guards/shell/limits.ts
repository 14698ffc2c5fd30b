/** Reaching a limit is itself a finding, and the strictest one: padding a line must never buy a milder verdict. */
import type { Finding } from './types.ts'

/** Linux refuses one argument longer than 128 KiB, so no longer line can be run with `sh -c`. */
export const LONGEST_LINE = 131_072
export const MOST_COMMANDS = 2_000
export const DEEPEST_NESTING = 40
/** Loops are unrolled this far; the rest of the values is taken as unknown. */
export const MOST_ROUNDS = 24

export function limitReached(what: string, blamed: string): Finding {
  return {
    verdict: 'destructive',
    category: 'limit',
    radius: 'unknown',
    blamed,
    reason: `It is ${what} to be analysed, so nothing about it can be trusted.`,
  }
}
