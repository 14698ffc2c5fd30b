import { defineKind, isSame, packed, unpacked } from './kind.ts'

/** For anything else: plain JSON both ways. */
export const webhook = defineKind({
  doc: 'Any service: it POSTs `{"chat", "user", "text"}` or `{"chat", "user", "answer"}` with `secret` in the header `X-Hookline-Secret`; messages are POSTed to `url` as `{"chat", "text", "buttons"}`.',
  sends: ['url'],
  isGenuine: ({ headers }, { secret }) => isSame(headers.get('x-hookline-secret') ?? '', secret),
  read({ body }) {
    const { chat, user = 'somebody', text, answer } = JSON.parse(body) as Record<string, string | undefined>
    if (typeof chat !== 'string') return undefined
    const found = typeof answer === 'string' ? unpacked(answer) : undefined
    if (found) return { type: 'answer', chat, user, ...found }
    return typeof text === 'string' ? { type: 'text', chat, user, text } : undefined
  },
  request: ({ chat, text, buttons = [] }, { url = '', token }) => ({
    url,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    body: { chat, text, buttons: buttons.map((button) => ({ label: button.label, answer: packed(button) })) },
  }),
})
