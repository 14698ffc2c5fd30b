import { AGENT_METHODS, CLIENT_METHODS } from '@agentclientprotocol/sdk'
import {
  rpcFailure as failure,
  type GuardOptions,
  type RpcId as Id,
  isRecord,
  type JudgedTool,
  type JudgeOptions,
  type Link,
  type RpcMessage as Message,
  type Peer,
  type RpcError,
  type ToolOutcome,
} from 'hookline/internal'
import { chosenOfOurs, permissionFor } from './permission.ts'
import type { GuardedSession } from './sessions.ts'
import type { Part } from './tool-calls.ts'

type Input = Record<string, unknown>
type Outcome = ToolOutcome<Input, unknown>

/** What everything that the guard judges has in common: who is asked, who reads what, and what a halt does. */
export interface Desk {
  /** What the editor said of itself. */
  capabilities: unknown
  /** Hooks see a session that begins. */
  start(session: GuardedSession): Promise<void>
  /** How a call is judged here. A yes that the person gave to the same call in the agent's own request counts, once. */
  options(
    session: GuardedSession,
    part: Part,
    signal: AbortSignal,
  ): Omit<GuardOptions<Input, never, never>, 'ask'> & Pick<JudgeOptions<Input>, 'ask'>
  /** What a call leaves for the person, for the model and for the run. */
  settle(session: GuardedSession, outcome: Told): void
  /** Something that the editor shows of the session. */
  update(session: GuardedSession, update: Record<string, unknown>): void
  /** A text for the person, in the editor where it has a place for that. `aloud`: else as words of the agent. */
  tell(session: GuardedSession, text: string, aloud?: boolean): void
}

type Told = Pick<Outcome, 'messages' | 'context' | 'outcome' | 'reason'>

export interface DeskOptions {
  editor: Peer
  toEditor: Link
  toAgent: Link
  warn(text: string): void
}

export function makeDesk({ editor, toEditor, toAgent, warn }: DeskOptions): Desk {
  const notify = (link: Link, method: string, params: Record<string, unknown>) =>
    void link.send({ jsonrpc: '2.0', method, params }).catch((error) => warn(String(error)))

  const desk: Desk = {
    capabilities: undefined,
    async start(session) {
      const { outcome, reason, context, messages } = await session.hooks.start('acp')
      session.context.push(...context)
      for (const message of messages) desk.tell(session, message)
      if (outcome === 'halted') session.refused = session.halted = reason || ended
    },
    options(session, part, signal) {
      const { approved } = session.claim(part)
      return {
        signal,
        rules: () => haltedRule(session),
        async ask(question) {
          if (approved) return true
          const params = { ...permissionFor(session.id, question) }
          const { result } = await editor.ask(CLIENT_METHODS.session_request_permission, params, signal)
          return chosenOfOurs(result)
        },
      }
    },
    settle(session, { messages, context, outcome, reason }) {
      for (const message of messages) desk.tell(session, message)
      session.context.push(...context)
      if (outcome !== 'halted' || session.halted !== undefined) return
      session.halted = reason || ended
      desk.tell(session, session.halted, true)
      notify(toAgent, AGENT_METHODS.session_cancel, { sessionId: session.id })
    },
    update: (session, update) => notify(toEditor, CLIENT_METHODS.session_update, { sessionId: session.id, update }),
    tell(session, text, aloud = false) {
      const capable = isRecord(desk.capabilities) ? desk.capabilities['session'] : undefined
      const isCapable = isRecord(capable) && isRecord(capable['notices'])
      if (!isCapable && !aloud) return warn(text)
      desk.update(
        session,
        isCapable
          ? { sessionUpdate: 'notice', severity: 'warning', title: `Hookline: ${text}` }
          : { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `Hookline: ${text}\n` } },
      )
    },
  }
  return desk
}

const ended = 'A hook has ended this run.'

/** After a halt, nothing of the run is let through. */
export const haltedRule = ({ halted }: GuardedSession) =>
  halted === undefined ? undefined : { ruling: 'deny' as const, source: 'acp_guard', reason: halted }

/** What the editor answered in place of a result, as it was. */
export class EditorError extends Error {
  constructor(readonly error: RpcError) {
    super(error.message)
  }
}

/** Takes the result out of a response, or throws its error. */
export function resultOf({ result, error }: Message): Record<string, unknown> {
  if (error) throw new EditorError(error)
  return isRecord(result) ? result : {}
}

/** The error that the agent gets of a call that was refused or failed. Agents hand its message to the model. */
export function errorFor(id: Id, outcome: Outcome): Message {
  const thrown = 'thrown' in outcome ? outcome.thrown : undefined
  const words = outcome.outcome === 'ran' || (outcome.outcome === 'halted' && outcome.ran) ? String(outcome.output) : ''
  // Where hooks changed the message, `data` may hold what they took out.
  if (thrown instanceof EditorError && (words === '' || words === thrown.message)) return failure(id, thrown.error)
  return refusal(id, words || outcome.reason, outcome.context)
}

export function refusal(id: Id, reason: string, context: readonly string[] = []): Message {
  const message = [`Blocked by Hookline: ${reason}`, ...context].join('\n')
  return failure(id, { code: refusedCode, message, data: { details: message } })
}

/** Of the codes that JSON-RPC leaves to programs, one that the protocol has not given a meaning: -32000 is "log in first". */
const refusedCode = -32_090

/** Why a call that was judged may not run; undefined when it may. */
export const objectionOf = ({ outcome, reason }: JudgedTool<Input>): string | undefined =>
  outcome === 'allowed' ? undefined : reason || 'It is not allowed.'
