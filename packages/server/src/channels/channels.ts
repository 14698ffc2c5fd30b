import { createConnections, guardedFetch } from 'hookline/internal'
import { one, type Sql } from '../store/index.ts'
import { withVariables } from '../variables.ts'
import type { ChannelKind, ChannelSettings, Outgoing } from './kind.ts'
import { type ChannelKindName, channelKinds } from './kinds.ts'

/** One way in and out, as an administrator has set it up. */
export interface Channel {
  name: string
  kind: ChannelKindName
  /** Whose prompts and commands count: all other chats are ignored. */
  chats: readonly string[]
  /** The agent that answers prompts. */
  agent: string
  /** What is written in these chats counts as a person's. */
  person: boolean
  /** Questions of every agent on this machine go to the first chat. */
  questions: boolean
  /** It may send to this machine and private networks. */
  allow_private_ips: boolean
  settings: ChannelSettings
}

export interface Channels {
  list(): Promise<Channel[]>
  find(name: string): Promise<Channel | undefined>
  define(channel: Channel): Promise<void>
  remove(name: string): Promise<boolean>
  /** Errors hold neither token nor address. */
  send(channel: Channel, message: Outgoing): Promise<void>
  /** The session of a chat, and the chat of a session. */
  sessionOf(channel: string, chat: string): Promise<string | undefined>
  chatOf(session: string): Promise<{ channel: string; chat: string } | undefined>
  bind(channel: string, chat: string, session: string): Promise<void>
  close(): void
}

const mostMs = 15_000

export const kindOf = ({ kind }: Channel): ChannelKind => channelKinds[kind]

export function openChannels(sql: Sql): Channels {
  const connections = createConnections()
  return {
    async list() {
      return (await sql.all<Row>('select * from channels order by name')).map(asChannel)
    },
    async find(name) {
      const row = await one<Row>(sql, 'select * from channels where name = $1', [name])
      return row && asChannel(row)
    },
    async define({ name, ...rest }) {
      await sql.run(
        'insert into channels (name, definition) values ($1, $2) on conflict (name) do update set definition = excluded.definition',
        [name, JSON.stringify(rest)],
      )
    },
    remove: async (name) => (await sql.run('delete from channels where name = $1', [name])) > 0,
    async send(channel, message) {
      const { url, headers = {}, body } = kindOf(channel).request(message, withVariables(channel.settings))
      const allowLocal = channel.allow_private_ips
      const send = guardedFetch({ connections, allowLocal, limit: 64 * 1024 })
      const init = {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }
      const answer = await send(url, { ...init, signal: AbortSignal.timeout(mostMs) }).catch(() => undefined)
      if (!answer) throw new Error(`The message was not sent to ${channel.name}: it cannot be reached.`)
      if (!answer.ok) throw new Error(`The message was not sent to ${channel.name}: it answered with ${answer.status}.`)
    },
    async sessionOf(channel, chat) {
      const row = await one<{ session: string }>(
        sql,
        'select session from channel_chats where channel = $1 and chat = $2',
        [channel, chat],
      )
      return row?.session
    },
    chatOf: (session) => one(sql, 'select channel, chat from channel_chats where session = $1', [session]),
    async bind(channel, chat, session) {
      await sql.run(
        `insert into channel_chats (channel, chat, session) values ($1, $2, $3)
          on conflict (channel, chat) do update set session = excluded.session`,
        [channel, chat, session],
      )
    },
    close: () => connections.close(),
  }
}

interface Row {
  name: string
  definition: string
}

const asChannel = ({ name, definition }: Row): Channel => ({
  name,
  ...(JSON.parse(definition) as Omit<Channel, 'name'>),
})

/** By which channel messages of a session leave, where it belongs to a chat. */
export const channelOf = (channels: Channels) => async (session: string) => {
  const place = await channels.chatOf(session)
  const channel = place && (await channels.find(place.channel))
  const send = (text: string) => channels.send(channel!, { chat: place!.chat, text })
  return channel && { name: channel.name, kind: channel.kind, send }
}
