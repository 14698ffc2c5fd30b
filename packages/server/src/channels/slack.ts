import { createHmac } from 'node:crypto'
import { defineKind, isSame, packed, unpacked } from './kind.ts'

/** How old a request may be: an old one that somebody has kept counts for nothing. */
const mostSeconds = 300

/** https://docs.slack.dev/authentication/verifying-requests-from-slack, Events API, interactivity, chat.postMessage. */
export const slack = defineKind({
  doc: 'An app of Slack. `secret` is its signing secret, `token` the token of its bot.',
  sends: ['token'],
  isGenuine({ headers, body }, { secret }) {
    const time = headers.get('x-slack-request-timestamp') ?? ''
    if (!(Math.abs(Date.now() / 1000 - Number(time)) <= mostSeconds)) return false
    const expected = `v0=${createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')}`
    return isSame(headers.get('x-slack-signature') ?? '', expected)
  },
  read({ body, headers }) {
    const isForm = headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')
    const payload = JSON.parse(isForm ? (new URLSearchParams(body).get('payload') ?? '{}') : body) as Payload
    if (payload.type === 'url_verification') return { type: 'handshake', reply: { challenge: payload.challenge } }
    if (payload.type === 'block_actions') {
      const found = unpacked(payload.actions?.[0]?.value ?? '')
      const chat = payload.channel?.id
      return found && chat !== undefined
        ? { type: 'answer', chat, user: payload.user?.username ?? payload.user?.id ?? 'somebody', ...found }
        : undefined
    }
    const { event } = payload
    // What bots write, ourselves included, is no prompt.
    if (event?.type !== 'message' || event.text === undefined || event.bot_id !== undefined) return undefined
    return { type: 'text', chat: event.channel ?? '', user: event.user ?? 'somebody', text: event.text }
  },
  request({ chat, text, buttons = [] }, { token = '', url = 'https://slack.com/api' }) {
    const elements = buttons.map((button) => ({
      ...{ type: 'button', action_id: button.answer, value: packed(button) },
      text: { type: 'plain_text', text: button.label },
    }))
    const section = { type: 'section', text: { type: 'plain_text', text: text.slice(0, longest) } }
    return {
      url: `${url}/chat.postMessage`,
      headers: { authorization: `Bearer ${token}` },
      body: {
        ...{ channel: chat, text: text.slice(0, longest) },
        ...(elements.length > 0 && { blocks: [section, { type: 'actions', elements }] }),
      },
    }
  },
})

const longest = 3_000

interface Payload {
  type?: string
  challenge?: string
  event?: { type?: string; channel?: string; user?: string; text?: string; bot_id?: string }
  channel?: { id: string }
  user?: { id: string; username?: string }
  actions?: { value?: string }[]
}
