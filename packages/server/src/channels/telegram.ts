import { defineKind, isSame, packed, unpacked } from './kind.ts'

/** https://core.telegram.org/bots/api#update, #sendmessage; the secret is that of `setWebhook`. */
export const telegram = defineKind({
  doc: 'A bot of Telegram. `secret` is the `secret_token` of its webhook, `token` the token of the bot.',
  sends: ['token'],
  isGenuine: ({ headers }, { secret }) => isSame(headers.get('x-telegram-bot-api-secret-token') ?? '', secret),
  read({ body }) {
    const { message, callback_query: pressed } = JSON.parse(body) as Update
    if (pressed) {
      const found = unpacked(pressed.data ?? '')
      const chat = pressed.message?.chat.id
      return found && chat !== undefined
        ? { type: 'answer', chat: String(chat), user: nameOf(pressed.from), ...found }
        : undefined
    }
    if (message?.text === undefined) return undefined
    return { type: 'text', chat: String(message.chat.id), user: nameOf(message.from), text: message.text }
  },
  request({ chat, text, buttons = [] }, { token = '', url = 'https://api.telegram.org' }) {
    const keyboard = buttons.map((button) => [{ text: button.label, callback_data: packed(button) }])
    return {
      url: `${url}/bot${token}/sendMessage`,
      body: {
        ...{ chat_id: chat, text: text.slice(0, longest) },
        ...(keyboard.length > 0 && { reply_markup: { inline_keyboard: keyboard } }),
      },
    }
  },
})

const longest = 4_096

interface From {
  id: number
  username?: string
}
interface Update {
  message?: { chat: { id: number }; from?: From; text?: string }
  callback_query?: { data?: string; from?: From; message?: { chat: { id: number } } }
}

const nameOf = (from: From | undefined): string => from?.username ?? String(from?.id ?? 'somebody')
