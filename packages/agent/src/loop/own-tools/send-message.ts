import * as z from 'zod/mini'
import type { Tool } from '../../tool.ts'
import { sendOut } from '../outbound.ts'
import type { Session } from '../session.ts'
import { defineOwn, text } from './define.ts'

export function sendMessage(session: Session): Tool[] {
  const { send, channels = [] } = session.house.options
  if (!send || channels.length === 0) return []
  return [
    defineOwn({
      name: 'send_message',
      description: `Send a message to the outside. Channels: ${channels.join(', ')}.`,
      category: 'outbound',
      input: z.object({ channel: z.enum(channels as [string, ...string[]]), message: text('What to send.') }),
      async run({ channel, message }, { signal }) {
        const { sent, reason = '', ...halt } = await sendOut(session, channel, message, signal)
        return sent ? { content: `Sent to ${channel}.` } : { content: `Not sent: ${reason}`, error: true, ...halt }
      },
    }),
  ]
}
