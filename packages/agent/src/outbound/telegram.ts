import * as z from 'zod/mini'
import { expandVariables } from '../core/index.ts'
import { defineChannel, post } from './channel.ts'

/** https://core.telegram.org/bots/api#sendmessage */
const longestMessage = 4_096

export const telegram = defineChannel({
  doc: "Sends by Telegram's bot API, or by a server with the same API at another address.",
  options: z.strictObject({
    chat_id: z.union([z.string(), z.int()]).check(z.describe('Who reads it.')),
    token: z.optional(z.string().check(z.describe("The bot's token. Default: `$TELEGRAM_BOT_TOKEN`."))),
    base_url: z.optional(z.string().check(z.describe('Default: https://api.telegram.org.'))),
    allow_private_ips: z.optional(z.boolean().check(z.describe('It may be on this machine or in a private network.'))),
  }),
  open(
    { chat_id, token = '$TELEGRAM_BOT_TOKEN', base_url = 'https://api.telegram.org', allow_private_ips = false },
    context,
  ) {
    const key = expandVariables(token, context.env)
    if (key === '') throw new Error('it has no token: set TELEGRAM_BOT_TOKEN')
    const url = `${expandVariables(base_url, context.env).replace(/\/+$/, '')}/bot${key}/sendMessage`
    const allowLocal = context.allowLocal && allow_private_ips
    return async (text, signal) => {
      for (const part of parts(text))
        await post({ url, headers: {}, body: { chat_id, text: part }, allowLocal, secrets: [key] }, context, signal)
    }
  },
})

/** Longer texts go out in several messages, cut at the end of a line where there is one. */
function parts(text: string): string[] {
  if (text.length <= longestMessage) return [text]
  const line = text.lastIndexOf('\n', longestMessage)
  const end = line > longestMessage / 2 ? line : longestMessage
  return [text.slice(0, end), ...parts(text.slice(end).replace(/^\n/, ''))]
}
