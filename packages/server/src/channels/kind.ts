import { createHash, timingSafeEqual } from 'node:crypto'

/** What an administrator says of a channel. `$NAME` stands for a variable of the environment of the server. */
export interface ChannelSettings {
  /** Proves that a message comes from the service, in the way of its kind. */
  secret: string
  /** Where messages go out to, and with what; the kind says which of them it needs. */
  token?: string | undefined
  url?: string | undefined
  /** WeCom: the key of its encryption (EncodingAESKey). */
  aes_key?: string | undefined
}

/** A request as it came, before anything in it counts. */
export interface Arrived {
  headers: Headers
  query: URLSearchParams
  body: string
}

/** What was written, or which button was pressed. */
export type Incoming =
  | { type: 'text'; chat: string; user: string; text: string }
  | { type: 'answer'; chat: string; user: string; question: string; answer: string }
  /** The service wants to see that we are here; this is what it expects. */
  | { type: 'handshake'; reply: string | object }

export interface Button {
  label: string
  question: string
  answer: string
}

export interface Outgoing {
  chat: string
  text: string
  buttons?: readonly Button[]
}

/** One kind of service. */
export interface ChannelKind {
  doc: string
  /** Which settings it must have to send. */
  sends: readonly ('token' | 'url')[]
  /** Whether it comes from the service: nothing else of it is read before. */
  isGenuine(arrived: Arrived, settings: ChannelSettings): boolean
  /** Undefined: nothing for us, such as our own messages. Throws where it cannot be read. */
  read(arrived: Arrived, settings: ChannelSettings): Incoming | undefined
  request(message: Outgoing, settings: ChannelSettings): { url: string; headers?: Record<string, string>; body: object }
}

export const defineKind = (kind: ChannelKind): ChannelKind => kind

/** Neither its length nor its beginning can be found out by how long it takes. */
export const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** What a button carries: the question and the answer, in few characters. */
export const packed = ({ question, answer }: Button): string => `${answer}:${question}`
export function unpacked(data: string): { question: string; answer: string } | undefined {
  const [, answer, question] = /^(yes|session|always|no):([\w-]{1,50})$/.exec(data) ?? []
  return answer === undefined || question === undefined ? undefined : { question, answer }
}

/** Where there are no buttons: what to write instead. */
export const inWords = ({ text, buttons = [] }: Outgoing): string =>
  [text, ...buttons.map(({ label, question, answer }) => `${label}: /answer ${question} ${answer}`)].join('\n')
