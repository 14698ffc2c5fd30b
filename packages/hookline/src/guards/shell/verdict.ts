import type { Category, Finding, Radius, ShellVerdict } from './types.ts'

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
