import { useEffect, useState } from 'preact/hooks'
import { call, get, keepProof, type Problem, Refused } from '../api.ts'
import { go, loadMe } from '../state.ts'

/** What the way back from an identity provider says. */
const refusals: Readonly<Record<string, string>> = {
  '#sign-in-refused': 'You are known there, but have no role here. Whoever runs this server says who has one.',
  '#sign-in-failed': 'Signing in did not work. Try again; the output of the server says why.',
}

/** The link holds a code behind `#`, which browsers send to nobody; it is used up here and taken out of the address. */
export function SignIn() {
  const [problem, setProblem] = useState<Problem>()
  const [provider, setProvider] = useState<string | null>(null)
  const [refusal] = useState(refusals[location.hash])
  useEffect(() => {
    get<{ provider: string | null }>('/api/oidc').then((found) => setProvider(found.provider), () => {})
  }, [])
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
      {refusal !== undefined && (
        <p role="alert" class="bad">
          {refusal}
        </p>
      )}
      {provider !== null && (
        <p>
          <a class="button main" href={`/api/oidc/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`}>
            Sign in with {provider}
          </a>
        </p>
      )}
      <p>Open the link that hookline serve printed. It works once.</p>
      <p class="dim">In the terminal of the server, Enter prints a new link.</p>
    </main>
  )
}
