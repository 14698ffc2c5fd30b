import { useEffect, useState } from 'preact/hooks'
import { call, keepProof, type Problem, Refused } from '../api.ts'
import { go, loadMe } from '../state.ts'

/** The link holds a code behind `#`, which browsers send to nobody; it is used up here and taken out of the address. */
export function SignIn() {
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => {
    const code = /^#sign-in=(.+)$/.exec(location.hash)?.[1]
    if (code === undefined) return
    go(location.pathname, { replace: true })
    call<{ proof: string | null }>('POST', '/api/sign-in', { code }).then(
      ({ proof }) => {
        if (proof !== null) keepProof(proof)
        void loadMe()
      },
      (error: unknown) => setProblem(error instanceof Refused ? error.problem : undefined),
    )
  }, [])
  return (
    <main class="sign-in">
      <h1>Hookline</h1>
      {problem && (
        <p role="alert" class="bad">
          {problem.title} {problem.remedy}
        </p>
      )}
      <p>Open the link that hookline serve printed. It works once.</p>
      <p class="dim">In the terminal of the server, Enter prints a new link.</p>
    </main>
  )
}
