import { setMaxListeners } from 'node:events'
import type { RunEnd } from '../agent.ts'
import type { ToolCall, ToolMessage } from '../message.ts'
import { type CallEnd, callTool } from './call.ts'
import { halted, type Run } from './run.ts'
import { aside, keep, show } from './session.ts'
import { toolsFor } from './tools.ts'

/**
 * The calls of one answer. Those that may run beside others do. Each result is kept as soon as it is there; the model
 * reads them in the order of its calls, and every call has one. A halt stops the siblings at once; a denied result lets
 * them finish, and stops the run then.
 */
export async function runBatch(run: Run, calls: readonly ToolCall[]): Promise<{ stop?: Omit<RunEnd, 'response'> }> {
  const { session } = run
  const tools = await toolsFor(session)
  const siblings = new AbortController()
  const signal = AbortSignal.any([run.signal, siblings.signal])
  setMaxListeners(0, signal, siblings.signal)
  const ends: Promise<Ended>[] = []
  for (const call of calls) {
    const alone = tools.get(call.name)?.alone === true
    if (alone) await Promise.all(ends)
    const end = callTool(run, call, tools, signal)
      .catch(brokeDown)
      .then((ended: CallEnd & Broken) => {
        if (ended.halt !== undefined || ended.broken) siblings.abort()
        const message = messageOf(call, ended)
        keep(session, { type: 'message', message })
        const { tool_call_id: call_id, tool_name: tool, content, error } = message
        show(session, { type: 'tool_result', call_id, tool, content, ...(error ? { error } : {}) })
        return { ...ended, message }
      })
    ends.push(end)
    if (alone) await end
  }
  const done = await Promise.all(ends)
  for (const { message, context } of done) {
    session.messages.push(message)
    aside(session, context)
  }
  const broken = done.find((end) => end.broken)?.broken
  if (broken) throw broken
  const halt = done.find((end) => end.halt !== undefined)?.halt
  if (halt !== undefined) return { stop: halted(halt) }
  const blocked = done.find((end) => end.blocked !== undefined)?.blocked
  return blocked === undefined ? {} : { stop: { reason: 'hook_blocked', detail: blocked } }
}

type Ended = CallEnd & Broken & { message: ToolMessage }

/** Not the tool's fault, but that of whoever was asked about it. */
interface Broken {
  broken?: Error
}

/** The run fails then, and still every call has its result: a transcript without could not be gone on with. */
function brokeDown(thrown: unknown): CallEnd & Broken {
  const broken = thrown instanceof Error ? thrown : new Error(String(thrown))
  return { content: `Not run: ${broken.message}`, error: true, context: [], broken }
}

function messageOf(call: ToolCall, { content, error }: CallEnd): ToolMessage {
  const message: ToolMessage = { role: 'tool', tool_call_id: call.id, tool_name: call.name, content }
  return error ? { ...message, error: true } : message
}
