/**
 * How much one analysis may cost. Every loop and every recursion of it spends from one counter, before it works: what the
 * line does not say twice must not be paid for twice. Whoever has spent all throws, and what was found until then counts.
 */
import type { Budget, Run } from './types.ts'

/** About the microseconds that an analysis may take on a slow machine. */
export const MOST_STEPS = 17_000
/** A script that lies on disk may take so many of them. */
export const MOST_SCRIPT_STEPS = 8_000

/** The budget is spent: nothing more is analysed. */
export class Exhausted extends Error {
  override name = 'Exhausted'
}

type Spender = Pick<Run, 'budget'>

export function spend({ budget }: Spender, steps: number): void {
  budget.left -= steps
  if (budget.left < 0) throw new Exhausted()
}

/** Copying and scanning: some characters are one step. */
export const spendOnText = (run: Spender, length: number, perStep = 64): void => spend(run, Math.ceil(length / perStep))

/** Work that may use up to so many steps; false when that was too few. What it spent is spent. */
export function spendWithin(run: Spender, most: number, work: (budget: Budget) => void): boolean {
  const slice: Budget = { left: Math.min(most, run.budget.left) }
  const given = slice.left
  try {
    work(slice)
    return true
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error
    return false
  } finally {
    run.budget.left -= given - Math.max(0, slice.left)
  }
}
