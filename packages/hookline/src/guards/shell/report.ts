import { readable } from './text.ts'
import type { Danger, Finding, Run } from './types.ts'

const LONGEST_BLAME = 400

export function report(run: Run, verdict: Finding['verdict'], danger: Danger, blamed: string): void {
  const shown = readable(blamed).trim() || JSON.stringify(blamed)
  run.findings.push({
    verdict,
    category: danger.category,
    radius: danger.radius,
    reason: danger.reason,
    blamed: shown.length > LONGEST_BLAME ? `${shown.slice(0, LONGEST_BLAME)}…` : shown,
  })
}
