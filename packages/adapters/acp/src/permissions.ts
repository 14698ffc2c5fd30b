import { CLIENT_METHODS } from '@agentclientprotocol/sdk'
import {
  rpcFailure as failure,
  isRecord,
  type RpcMessage as Message,
  type Peer,
  rpcSuccess as success,
} from 'hookline/internal'
import { type Desk, haltedRule, objectionOf } from './desk.ts'
import type { Handler } from './guard.ts'
import { answerFor, chosenIn, forwarded, optionsIn, refusalFor, why } from './permission.ts'
import type { Allowed, GuardedSession } from './sessions.ts'
import { isToolCall, partsOf, type ToolCall } from './tool-calls.ts'

export interface GuardedPermissions {
  handlers: Record<string, Handler>
  /** The agent says that a call is over, which it has run itself. */
  finished(session: GuardedSession, call: ToolCall): Promise<void>
}

/**
 * Permission requests of the agent. A call that hooks refuse, or that an approved rule allows, is answered for the person;
 * anything else goes to the person, with what hooks say.
 */
export function guardPermissions(desk: Desk, editor: Peer, always: boolean): GuardedPermissions {
  return {
    handlers: { [CLIENT_METHODS.session_request_permission]: decide },
    async finished(session, call) {
      const error = call['status'] === 'failed'
      for (const { judged } of session.finished(call.toolCallId)) {
        const output = outputOf(call)
        const outcome = await judged.run(() => output, { isError: () => error })
        desk.settle(session, outcome)
        if (outcome.output !== output) desk.tell(session, tooLate)
      }
    },
  }

  async function decide(...[request, session, signal]: Parameters<Handler>): Promise<Message> {
    const { id, params = {} } = request
    const given = params['toolCall']
    if (!isToolCall(given))
      return failure(id, { code: -32602, message: '`session/request_permission` needs a `toolCall` with its id.' })
    const call = session.see(given)
    const calls = await judge(session, call, signal)
    if (signal.aborted) throw signal.reason
    const objection = calls.map(objectionTo).find((reason) => reason !== undefined)
    for (const { judged } of calls)
      if (judged.outcome === 'halted') desk.settle(session, { ...judged, outcome: 'halted', messages: [] })
    if (objection !== undefined) return refuse(objection)

    const open = calls.filter(({ judged }) => judged.outcome === 'asks')
    const allowed = open.length === 0 ? answerFor(params, 'allow_once') : undefined
    if (allowed) {
      session.allow(call.toolCallId, calls)
      return success(id, allowed)
    }
    const reasons = open.flatMap(({ judged }) => (judged.question?.onlyPerson ? [judged.reason] : []))
    const response = await editor.request({ ...request, params: forwarded(params, call, reasons, always) }, signal)
    const chosen = chosenIn(response.result, optionsIn(params))
    const answered = await Promise.all(
      calls.map(async ({ part, judged }) => ({ part, judged: await judged.answer(chosen === 'yes') })),
    )
    if (chosen !== 'yes') return response
    const late = answered.map(objectionTo).find((reason) => reason !== undefined)
    if (late !== undefined) return refuse(late)
    for (const { part } of calls) session.approve(part)
    session.allow(call.toolCallId, answered)
    return response

    function refuse(reason: string): Message {
      desk.update(session, {
        ...{ sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId },
        content: [...(Array.isArray(call['content']) ? call['content'] : []), why(reason)],
      })
      return success(id, refusalFor(params, reason))
    }
  }

  async function judge(session: GuardedSession, call: ToolCall, signal: AbortSignal): Promise<Allowed[]> {
    const calls: Allowed[] = []
    for (const part of partsOf(call)) {
      const tool_use_id = calls.length === 0 ? call.toolCallId : `${call.toolCallId}-${calls.length + 1}`
      const judged = await session.hooks.judgeTool(
        { tool_name: part.tool, tool_input: part.input, tool_use_id },
        { signal, undecided: 'ask', rules: () => haltedRule(session) },
      )
      calls.push({ part, judged })
    }
    return calls
  }
}

/** An answer to a permission request is yes or no: it carries no other input. */
function objectionTo({ judged }: Allowed): string | undefined {
  if (judged.outcome === 'asks') return judged.rewritten ? notCarried : undefined
  return objectionOf(judged) ?? (judged.rewritten ? notCarried : undefined)
}

const notCarried =
  'A hook changes the input of this call, which a permission request cannot carry: nothing else was allowed.'

const tooLate = 'A hook changes the result of a call that the agent ran itself: it has read it already.'

/** What the agent shows of the result: too late for hooks to take anything out of it. */
function outputOf({ rawOutput, content }: ToolCall): unknown {
  if (rawOutput !== undefined) return rawOutput
  return (Array.isArray(content) ? content : [])
    .flatMap((each) => (isRecord(each) && isRecord(each['content']) ? [String(each['content']['text'] ?? '')] : []))
    .join('\n')
}
