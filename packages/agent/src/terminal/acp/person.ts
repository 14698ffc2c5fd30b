import * as acp from '@agentclientprotocol/sdk'
import { paintFor } from 'hookline/internal'
import type { Person } from '../../core/index.ts'
import type { Permissions } from '../../permissions/index.ts'
import { changeOf } from '../../tools/index.ts'
import { badgeOf, withStakes } from '../confirm.ts'
import { reasonMarkdown } from '../reasons.ts'
import { describeCall } from './updates.ts'

const methods = acp.methods.client.session

/** The person at the editor: questions are its permission requests. Who dismisses one has not answered. */
export function personAtEditor(
  client: acp.AgentContext,
  sessionId: () => string,
  permissions: Permissions,
  cwd: () => string,
): Person {
  async function choose(
    toolCall: acp.ToolCallUpdate,
    options: acp.PermissionOption[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const question = { sessionId: sessionId(), toolCall, options }
    const { outcome } = await client.request<acp.RequestPermissionResponse>(methods.requestPermission, question, {
      cancellationSignal: signal,
    })
    return outcome.outcome === 'selected' ? outcome.optionId : undefined
  }

  return {
    async approve(given, signal) {
      const request = await withStakes(given, cwd())
      const { call, category, metadata } = request
      const described = describeCall(call, category, cwd(), await changeOf(call, cwd()))
      const badge = badgeOf(request, paintFor({ isTTY: false }))
      const reasons = [request.reason, metadata['reason'] ?? ''].flatMap((text) => text.split('\n'))
      const why: acp.ToolCallContent[] = [...(badge === '' ? [] : [badge]), ...reasonMarkdown(reasons)].map((text) => ({
        type: 'content',
        content: { type: 'text', text },
      }))
      const grant = permissions.describeGrant?.({ ...call, category })
      const lasting: acp.PermissionOption[] =
        grant === undefined ? [] : [{ optionId: 'tool', name: `Allow in this session: ${grant}`, kind: 'allow_always' }]
      const chosen = await choose(
        { ...described, content: [...(described.content ?? []), ...why] },
        [
          { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
          ...lasting,
          { optionId: 'no', name: 'Do not run it', kind: 'reject_once' },
        ],
        signal,
      )
      if (chosen === 'once' || chosen === 'tool') return { answer: chosen }
      return chosen === 'no' ? { answer: 'no' } : { answer: 'no', reason: 'Nobody answered.' }
    },
    async answer(question, options, signal) {
      if (options.length === 0) return 'The user can only choose here, not write. Ask in your reply instead.'
      const offered = options.map(
        (name, at): acp.PermissionOption => ({ optionId: String(at), name, kind: 'allow_once' }),
      )
      const chosen = await choose({ toolCallId: 'question', title: question, kind: 'other' }, offered, signal)
      return options[Number(chosen)] ?? 'The user did not answer.'
    },
    async goOn(limit, signal) {
      const title = `The agent has called its model ${limit} times, which is its limit. Go on?`
      const options: acp.PermissionOption[] = [
        { optionId: 'yes', name: 'Go on', kind: 'allow_once' },
        { optionId: 'no', name: 'Stop', kind: 'reject_once' },
      ]
      return (await choose({ toolCallId: 'limit', title, kind: 'other' }, options, signal)) === 'yes'
    },
  }
}
