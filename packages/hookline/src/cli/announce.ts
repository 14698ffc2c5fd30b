import { type Note, type StateStore, statePlace, type Verdict } from '../core/index.ts'
import type { Hooks } from '../hooks/index.ts'
import type { Approver } from '../trust/index.ts'

/**
 * What waits for approval, once per session, for processes that live for one event each: with its first event, and not
 * again. Where nothing can be remembered, only when a session starts.
 */
export async function announceOnce(
  approver: Approver,
  hooks: Hooks,
  verdict: Verdict,
  { state, cwd, namesFiles }: { state: StateStore; cwd: string; namesFiles: boolean },
): Promise<Note | undefined> {
  if (!(await mayWait(hooks))) return undefined
  const isFirst = await isFirstEvent(state, verdict)
  if (!isFirst) return undefined
  // Loaded for one event of a session: all others do without.
  const { waitingHooks, waitingNote } = await import('./waiting.ts')
  const waiting = await waitingHooks(approver, hooks, cwd).catch(() => [])
  return waiting.length > 0 ? waitingNote(waiting, namesFiles) : undefined
}

/** Found out once for a generation: of a hundred hooks it takes longer than judging a call. */
async function mayWait(hooks: Hooks): Promise<boolean> {
  const before = known.get(hooks)
  if (before?.generation === hooks.generation) return before.mayWait
  const { generation } = hooks
  const { mayNeedApproval } = await import('../trust/index.ts')
  const mayWait = hooks.hooks.some((hook) => hook.enabled && mayNeedApproval(hook, hooks.executorOf(hook)))
  known.set(hooks, { generation, mayWait })
  return mayWait
}
const known = new WeakMap<Hooks, { generation: number; mayWait: boolean }>()

async function isFirstEvent(state: StateStore, verdict: Verdict): Promise<boolean> {
  const place = statePlace(verdict, 'approval', 'announced')
  try {
    if ((await state.read(place)) === true) return false
    await state.update(place, () => true)
    return true
  } catch {
    return verdict.event === 'session_start'
  }
}
