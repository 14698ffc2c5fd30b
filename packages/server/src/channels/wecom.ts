import { createDecipheriv, createHash } from 'node:crypto'
import { type Arrived, type ChannelSettings, defineKind, inWords, isSame } from './kind.ts'

/**
 * A robot of WeCom (WeChat Work): https://developer.work.weixin.qq.com/document/path/90968 (signature and encryption of callbacks),
 * /91770 (messages of group robots). Callbacks are JSON; `secret` is the Token, `aes_key` the EncodingAESKey.
 */
export const wecom = defineKind({
  doc: 'A robot of WeCom. `secret` is the token of its callback, `aes_key` its EncodingAESKey, `url` the webhook that sends.',
  sends: ['url'],
  isGenuine(arrived, { secret }) {
    const { query } = arrived
    const parts = [secret, query.get('timestamp') ?? '', query.get('nonce') ?? '', sealed(arrived)]
    const expected = createHash('sha1').update(parts.sort().join('')).digest('hex')
    return isSame(query.get('msg_signature') ?? '', expected)
  },
  read(arrived, settings) {
    const text = opened(sealed(arrived), settings)
    if (arrived.query.has('echostr')) return { type: 'handshake', reply: text }
    const { chatid, from, msgtype, text: written } = JSON.parse(text) as Message
    if (msgtype !== 'text' || written === undefined) return undefined
    const user = from?.userid ?? 'somebody'
    // In a group it is called by its name first.
    return { type: 'text', chat: chatid ?? user, user, text: written.content.replace(/^@\S+\s+/, '') }
  },
  request: (message, { url = '' }) => ({
    url,
    body: { msgtype: 'text', text: { content: inWords(message).slice(0, 2_048) } },
  }),
})

interface Message {
  chatid?: string
  from?: { userid: string }
  msgtype?: string
  text?: { content: string }
}

/** What is signed: the sealed message, or what it wants back when the address is set up. */
function sealed({ query, body }: Arrived): string {
  const echo = query.get('echostr')
  if (echo !== null) return echo
  return String((JSON.parse(body) as { encrypt?: unknown }).encrypt ?? '')
}

/** AES-256-CBC: 16 bytes that mean nothing, the length, the text, who it is for. */
function opened(text: string, { aes_key = '' }: ChannelSettings): string {
  const key = Buffer.from(`${aes_key}=`, 'base64')
  const decipher = createDecipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
  const plain = Buffer.concat([decipher.update(text, 'base64'), decipher.final()])
  return plain.subarray(20, 20 + plain.readUInt32BE(16)).toString('utf8')
}
