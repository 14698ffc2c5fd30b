import type { Problem } from '../api.ts'

/** What could not be read, why, and what to do; in place of what would be there. */
export function Failed({ problem, again }: { problem: Problem; again(): void }) {
  return (
    <div class="empty" role="alert">
      <h2 class="bad">✗ {problem.title}</h2>
      <p>{problem.remedy}</p>
      <button type="button" onClick={again}>
        Try again
      </button>
    </div>
  )
}
