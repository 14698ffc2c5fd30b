import { keep, type Session, show, tell } from './session.ts'

/** A session begins; what hooks say then stays with it. `halt`: why a hook does not want it to. */
export async function startSession(session: Session, source: string, signal?: AbortSignal): Promise<{ halt?: string }> {
  const said = await tell(session, 'session_start', { source, status: 'started' }, signal ? { signal } : {})
  for (const content of said.context ?? []) {
    // What a resumed session has kept need not be said again.
    if (session.context.includes(content)) continue
    session.context.push(content)
    keep(session, { type: 'context', content })
  }
  show(session, { type: 'session', source, model: session.spec.models[0] ?? '' })
  return said.halt ? { halt: said.halt.reason } : {}
}

/** A session ends; nothing can stop that, and nothing that goes wrong here may hide what came before. */
export async function endSession(session: Session, reason: string): Promise<void> {
  await tell(session, 'session_end', { reason, status: 'ended' }).catch((error: unknown) =>
    show(session, { type: 'notice', level: 'error', text: `session_end: ${String(error)}` }),
  )
  keep(session, { type: 'ended', at: new Date().toISOString(), reason })
  show(session, { type: 'end', reason })
  await session.log?.close()
}
