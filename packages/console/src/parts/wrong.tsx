import type { Problem } from '../api.ts'

/** What is wrong with something that was written, where, and what to do. */
export function Wrong({ problem }: { problem: Problem }) {
  const [first, ...rest] = problem.problems?.filter(({ code }) => code !== problem.code) ?? []
  const line = first?.where?.line
  return (
    <div role="alert">
      <p class="bad">
        ✗ {line !== undefined && `Line ${line}: `}
        {(first ?? { message: problem.title }).message}
      </p>
      <p class="dim">{(first ?? problem).remedy}</p>
      {rest.map(({ message }) => (
        <p key={message} class="bad">
          {message}
        </p>
      ))}
    </div>
  )
}
