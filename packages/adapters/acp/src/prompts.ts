import { AGENT_METHODS } from '@agentclientprotocol/sdk'
import {
  rpcFailure as failure,
  isRecord,
  type RpcMessage as Message,
  type Peer,
  rpcSuccess as success,
} from 'hookline/internal'
import type { Desk } from './desk.ts'
import type { Handler } from './guard.ts'
import type { GuardedSession } from './sessions.ts'

/** Prompts of the person, and the end of the agent's turn: hooks may refuse or change the first, and send the agent back. */
export function guardPrompts(desk: Desk, agent: Peer): Record<string, Handler> {
  return {
    async [AGENT_METHODS.session_prompt](request, session, signal): Promise<Message> {
      const { id, params = {} } = request
      const { prompt } = params
      if (!Array.isArray(prompt))
        return failure(id, { code: -32602, message: '`session/prompt` needs a `prompt`, a list.' })
      const turn = new AbortController()
      session.turn = turn
      const stop = AbortSignal.any([signal, turn.signal])
      // A session that hooks did not want stays closed; a run that they ended is over.
      const refused = session.refused
      session.halted = refused
      session.said = ''
      const text = textOf(prompt)
      const attachments = prompt.filter((part) => !isText(part))
      const given =
        refused === undefined
          ? await session.hooks.prompt(text, { channel: 'acp', attachments, signal: stop }).catch((error) => {
              if (!stop.aborted) throw error
              return undefined
            })
          : undefined
      if (stop.aborted) return success(id, { stopReason: 'cancelled' })
      for (const message of given?.messages ?? []) desk.tell(session, message)
      if (given?.outcome !== 'accepted') {
        desk.tell(session, refused ?? (given?.reason || 'A hook refused the prompt.'), true)
        return success(id, { stopReason: 'refusal' })
      }
      const context = [...session.context.splice(0), ...given.context]
      let next = withText(prompt, text, given.prompt, context)
      for (;;) {
        const sent = await lastLook(session, next, given.prompt, stop)
        if (stop.aborted) return success(id, { stopReason: 'cancelled' })
        for (const message of sent.messages) desk.tell(session, message)
        if (sent.refusal !== undefined) {
          desk.tell(session, sent.refusal, true)
          return success(id, { stopReason: 'refusal' })
        }
        const response = await agent.request({ ...request, params: { ...params, prompt: sent.prompt } })
        const { stopReason } = isRecord(response.result) ? response.result : {}
        if (stopReason !== 'end_turn' || stop.aborted || session.halted !== undefined) return response
        const stopped = await session.hooks.stop({ response: session.said, last_user_message: given.prompt })
        for (const message of stopped.messages) desk.tell(session, message)
        if (stopped.outcome === 'stop' || stop.aborted) return response
        session.said = ''
        next = [stopped.reason, ...stopped.context, ...session.context.splice(0)].map(block)
      }
    },
  }
}

/**
 * What the agent gets, its model gets: nothing behind the agent can be seen from here, so this is where hooks look at messages,
 * with the files and links in them.
 */
async function lastLook(session: GuardedSession, prompt: readonly unknown[], words: string, signal: AbortSignal) {
  const about = { messages: [{ role: 'user', content: prompt }], last_user_message: words }
  const verdict = await session.hooks.raise('before_llm_call', about, { signal })
  if (verdict.halt) session.halted = verdict.halt.reason
  const refused = verdict.halt ?? (verdict.decision?.ruling === 'deny' ? verdict.decision : undefined)
  const left = verdict.rewrite ? (verdict.payload.messages ?? []).flatMap(blocksOf) : prompt
  return {
    prompt: [...left, ...(verdict.context ?? []).map(block)],
    messages: verdict.message ?? [],
    refusal: refused && (refused.reason || 'A hook refused the prompt.'),
  }
}

function blocksOf(message: unknown): unknown[] {
  const content = isRecord(message) ? message['content'] : message
  return Array.isArray(content) ? content : [block(typeof content === 'string' ? content : JSON.stringify(content))]
}

const block = (text: string) => ({ type: 'text', text })

const isText = (part: unknown): part is { type: 'text'; text: string } =>
  isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string'

const textOf = (prompt: readonly unknown[]): string =>
  prompt
    .filter(isText)
    .map(({ text }) => text)
    .join('\n')

/** Pictures, files and links stay where they are; words that hooks changed stand in place of the first. */
function withText(prompt: readonly unknown[], before: string, after: string, context: readonly string[]): unknown[] {
  const added = context.map(block)
  if (after === before) return [...prompt, ...added]
  const first = prompt.findIndex(isText)
  const changed = prompt.flatMap((part, at) =>
    at === first ? [{ ...(part as object), text: after }] : isText(part) ? [] : [part],
  )
  return [...(first < 0 ? [block(after)] : []), ...changed, ...added]
}
