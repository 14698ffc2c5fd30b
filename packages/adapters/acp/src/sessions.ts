import type { Hooks } from 'hookline'
import type { HookSession, JudgedTool } from 'hookline/internal'
import { keyOf, merged, type Part, type ToolCall } from './tool-calls.ts'

/** A call of a permission request that may run: its part, and what hooks have judged. */
export interface Allowed {
  part: Part
  judged: JudgedTool<Record<string, unknown>>
}

/** A terminal whose program hooks have judged. */
export interface Terminal {
  judged: JudgedTool<Record<string, unknown>>
  /** What the agent may read of the output; there when the program has ended and hooks have seen all of it. */
  final?: Promise<string>
}

/** One session of the agent, with what the guard knows of it. */
export interface GuardedSession {
  readonly id: string
  readonly hooks: HookSession
  /** Settles when hooks have seen the start. */
  readonly started: Promise<void>
  /** Why hooks do not want this session at all. */
  refused: string | undefined
  /** Why a hook ended the run, until the next prompt. */
  halted: string | undefined
  /** What the agent has said in this turn. */
  said: string
  /** For the model, with the next prompt. */
  context: string[]
  /** Stops what belongs to the turn that runs. */
  turn: AbortController
  readonly terminals: Map<string, Terminal>
  /** What the agent shows of its calls. Gives back the whole of what it has shown. */
  see(update: ToolCall): ToolCall
  /** A call that may run by itself; `finished` takes it when the agent says that it has. */
  allow(toolCallId: string, calls: readonly Allowed[]): void
  finished(toolCallId: string): readonly Allowed[]
  /** The person has said yes to this part, in a permission request of the agent. */
  approve(part: Part): void
  /** The agent brings a part here that it may have asked for: it does not run by itself then. Whether the person has said yes counts once. */
  claim(part: Part): { approved: boolean }
}

const mostCalls = 1_000

export function openSession(
  hooks: Hooks,
  id: string,
  cwd: string,
  onStart: (session: GuardedSession) => Promise<void>,
) {
  const calls = new Map<string, ToolCall>()
  const allowed = new Map<string, readonly Allowed[]>()
  const approved = new Set<string>()
  let started: Promise<void> | undefined

  const session: GuardedSession = {
    ...{ id, hooks: hooks.session(id, { cwd }), refused: undefined, halted: undefined, said: '', context: [] },
    ...{ turn: new AbortController(), terminals: new Map() },
    get started() {
      started ??= onStart(session)
      return started
    },
    see(update) {
      const call = merged(calls.get(update.toolCallId), update)
      calls.delete(call.toolCallId)
      calls.set(call.toolCallId, call)
      for (const [oldest] of calls) if (calls.size > mostCalls) calls.delete(oldest)
      return call
    },
    allow: (toolCallId, list) => void allowed.set(toolCallId, list),
    finished(toolCallId) {
      const list = allowed.get(toolCallId) ?? []
      allowed.delete(toolCallId)
      calls.delete(toolCallId)
      return list
    },
    approve: (part) => void approved.add(keyOf(part)),
    claim(part) {
      for (const [toolCallId, list] of allowed) {
        const rest = list.filter((each) => !isSame(each.part, part))
        if (rest.length === list.length) continue
        allowed.set(toolCallId, rest)
        break
      }
      return { approved: approved.delete(keyOf(part)) }
    },
  }
  return session
}

/** A change is shown as an edit and comes as a whole file: the place is what they have in common. */
function isSame(one: Part, other: Part): boolean {
  if (other.tool === 'shell') return one.tool === 'shell' && one.input['command'] === other.input['command']
  return one.tool !== 'shell' && one.input['path'] === other.input['path']
}
