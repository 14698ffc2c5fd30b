import { useEffect, useRef, useState } from 'preact/hooks'
import { follow, get, Refused } from '../api.ts'
import { fail } from '../state.ts'
import type { OwnSession } from '../types.ts'

/** What came through the stream of a session. */
export interface Heard {
  /** The reply of the turn that runs, as far as it has come. */
  text: string
  /** What tools gave back, by call. */
  results: ReadonlyMap<string, string>
  tokens: number
  cost: number
}

const nothingHeard: Heard = { text: '', results: new Map(), tokens: 0, cost: 0 }
const types = 'agent.text,agent.tool_result,agent.usage,agent.asks,agent.waiting,turn.*,question.*'

interface Told {
  text?: string
  call_id?: string
  content?: string
  usage?: { input_tokens?: number; output_tokens?: number }
  cost?: number
}

/** A session of this server, live. Null: it is another agent's, of which only the journal tells. */
export function useOwnSession(id: string): { session: OwnSession | null | undefined; heard: Heard; again(): void } {
  const [session, setSession] = useState<OwnSession | null>()
  const [heard, setHeard] = useState(nothingHeard)
  const load = () => {
    get<OwnSession>(`/api/sessions/${encodeURIComponent(id)}`).then(setSession, (error: unknown) => {
      // Names of foreign sessions may be such as ours never are.
      if (error instanceof Refused && (error.problem.status === 404 || error.problem.status === 400)) setSession(null)
      else fail(error)
    })
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // What comes close together is looked at once.
  const soon = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(load, 50)
  }
  useEffect(load, [id])
  const isOurs = session !== null && session !== undefined
  useEffect(() => {
    if (!isOurs) return
    const leaving = new AbortController()
    const path = `/api/sessions/${encodeURIComponent(id)}/events?after=0&types=${types}`
    void follow(
      path,
      ({ type, data }) => {
        setHeard((known) => take(known, type, data as Told))
        if (type !== 'agent.text' && type !== 'agent.tool_result' && type !== 'agent.usage') soon()
      },
      undefined,
      leaving.signal,
    )
    return () => leaving.abort()
  }, [id, isOurs])
  return { session, heard, again: load }
}

function take(heard: Heard, type: string, data: Told): Heard {
  if (type === 'agent.text') return { ...heard, text: heard.text + (data.text ?? '') }
  if (type === 'turn.started') return { ...heard, text: '' }
  if (type === 'agent.tool_result' && data.call_id !== undefined)
    return { ...heard, results: new Map([...heard.results, [data.call_id, data.content ?? '']]) }
  if (type === 'agent.usage') {
    const { input_tokens: read = 0, output_tokens: written = 0 } = data.usage ?? {}
    return { ...heard, tokens: heard.tokens + read + written, cost: heard.cost + (data.cost ?? 0) }
  }
  return heard
}
