import { withoutTag } from 'hookline/internal'
import * as z from 'zod/mini'
import type { Tool } from '../../core/index.ts'
import { raise, type Session, show } from '../session.ts'
import { type Place, placeOf, step } from '../steps.ts'
import { defineOwn, text } from './define.ts'

export function sendMessage(session: Session): Tool[] {
  const { send, channels = [] } = session.shared.options
  if (!send || channels.length === 0) return []
  return [
    defineOwn({
      name: 'send_message',
      description: `Send a message to the outside. Channels: ${channels.join(', ')}.`,
      category: 'outbound',
      input: z.object({ channel: z.enum(channels as [string, ...string[]]), message: text('What to send.') }),
      async run({ channel, message }, { signal, id }) {
        const {
          sent,
          reason = '',
          ...halt
        } = await sendOut(session, channel, message, signal, placeOf(session, id, 'tool'))
        return sent ? { content: `Sent to ${channel}.` } : { content: `Not sent: ${reason}`, error: true, ...halt }
      },
    }),
  ]
}

/** The only way out for a message: hooks see it first, and may stop or change it. */
export async function sendOut(
  session: Session,
  channel: string,
  notification: string,
  signal: AbortSignal,
  place: Place = session.place,
): Promise<{ sent: boolean; reason?: string; halt?: string }> {
  const { send } = session.shared.options
  if (!send) return { sent: false, reason: 'there are no outbound channels here' }
  const verdict = await raise(
    session,
    'on_outbound_message',
    { notification, type: channel, channel },
    { signal, place },
  )
  const refusal =
    verdict.halt ?? (verdict.decision && verdict.decision.ruling !== 'allow' ? verdict.decision : undefined)
  if (refusal) {
    show(session, { type: 'outbound', channel, state: 'blocked', detail: withoutTag(refusal.reason) })
    return { sent: false, reason: refusal.reason, ...(verdict.halt ? { halt: verdict.halt.reason } : {}) }
  }
  const text = String(verdict.payload['notification'])
  const unsure =
    'the process that sent it was stopped in the middle of it: it may have been sent, and was not sent again'
  const failure = await step(session, 'tool', 'send', () => problemOf(send(channel, text, signal)), place, { unsure })
  if (failure === null) {
    show(session, { type: 'outbound', channel, state: 'sent' })
    return { sent: true }
  }
  show(session, { type: 'outbound', channel, state: 'failed', detail: failure })
  return { sent: false, reason: failure }
}

const problemOf = (work: Promise<void>): Promise<string | null> =>
  work.then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
