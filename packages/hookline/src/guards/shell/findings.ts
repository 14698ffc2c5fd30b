/** What was found about a line, the limits of looking, and the verdict that follows. */
import { readable } from './text.ts'
import type { Category, Danger, Finding, Radius, Run, ShellVerdict } from './types.ts'

/** Linux refuses one argument longer than 128 KiB, so no longer line can be run with `sh -c`. */
export const LONGEST_LINE = 131_072
export const DEEPEST_NESTING = 40
/** Of numbers, loops are unrolled this far: one more is like the others. */
export const MOST_NUMBERS = 24

/** Reaching a limit is itself a finding, and the strictest one: padding a line must never buy a milder verdict. */
export function limitReached(what: string, blamed: string): Finding {
  return {
    verdict: 'destructive',
    category: 'limit',
    radius: 'unknown',
    blamed,
    reason: `It is ${what} to be analysed, so nothing about it can be trusted.`,
  }
}

const LONGEST_BLAME = 400

export function report(run: Run, verdict: Finding['verdict'], danger: Danger, blamed: string): void {
  const start = blamed.slice(0, LONGEST_BLAME * 2)
  const shown = readable(start).trim() || JSON.stringify(start)
  run.findings.push({
    verdict,
    category: danger.category,
    radius: danger.radius,
    reason: danger.reason,
    ...(danger.at && { at: danger.at }),
    blamed: shown.length > LONGEST_BLAME ? `${shown.slice(0, LONGEST_BLAME)}…` : shown,
  })
}

/** An unknown radius ranks above medium: what cannot be sized is not small. */
const RADII: readonly Radius[] = ['low', 'medium', 'unknown', 'high']

export const SAFE: ShellVerdict = {
  verdict: 'safe',
  radius: 'low',
  categories: [],
  blamed: '',
  reason: 'It only reads, and every part of it is known.',
}

/** The worst finding decides; among equals, the first. Adding a finding never weakens a verdict. */
export function fold(findings: readonly Finding[]): ShellVerdict {
  const destructive = findings.filter((finding) => finding.verdict === 'destructive')
  const considered = destructive.length > 0 ? destructive : findings
  const [first, ...rest] = considered
  if (!first) return { ...SAFE, categories: [] }
  const worst = rest.reduce((found, next) => (rank(next) > rank(found) ? next : found), first)
  const categories = [worst, ...considered].map((finding): Category => finding.category)
  return {
    verdict: worst.verdict,
    radius: worst.radius,
    categories: [...new Set(categories)],
    blamed: worst.blamed,
    reason: worst.reason,
  }
}

const rank = (finding: Finding) => RADII.indexOf(finding.radius)
