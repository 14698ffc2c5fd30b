import { createConnections, didYouMean, formatPath, isRecord, validate } from 'hookline/internal'
import type { ChannelContext, ChannelKind, Send } from './channel.ts'
import { toConsole } from './console.ts'
import { telegram } from './telegram.ts'
import { webhook } from './webhook.ts'

/** Every kind of way out. */
// biome-ignore lint/suspicious/noExplicitAny: the options are the channel's own affair
export const channelKinds: Readonly<Record<string, ChannelKind<any>>> = { console: toConsole, webhook, telegram }

/** Channels by name: each has a `type` and the options of that kind. */
export type OutboundConfig = Readonly<Record<string, { type: string; [option: string]: unknown }>>

export interface SenderOptions {
  env?: Readonly<Record<string, string | undefined>>
  /** Where the console is; standard error, if left out, so that it mixes with no answer. */
  write?(line: string): void
  /** False: `allow_private_ips` of channels has no effect. */
  allowLocal?: boolean
}

export interface Sender {
  /** The names of the channels. */
  readonly channels: readonly string[]
  /** Callers run the hooks first: messages leave in no other way. Errors hold no token. */
  send(channel: string, text: string, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Throws, with every channel that is wrong, before anything is sent. */
export function createSender(config: OutboundConfig, options: SenderOptions = {}): Sender {
  const connections = createConnections()
  const { env = process.env, allowLocal = true, write = (line) => void process.stderr.write(`${line}\n`) } = options
  const problems: string[] = []
  const channels = new Map<string, Send>()
  for (const [name, spec] of Object.entries(config)) {
    const opened = open(spec, { name, env, connections, allowLocal, write })
    if (typeof opened === 'string') problems.push(`The channel \`${name}\` cannot be used: ${opened}`)
    else channels.set(name, opened)
  }
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return {
    channels: [...channels.keys()],
    async send(channel, text, signal) {
      const send = channels.get(channel)
      const known = [...channels.keys()]
      if (!send)
        throw new Error(
          `There is no channel ${channel}.${didYouMean(channel, known)} There are: ${known.join(', ') || 'none'}.`,
        )
      signal.throwIfAborted()
      await send(text, signal)
    },
    close: async () => connections.close(),
  }
}

function open(spec: unknown, context: ChannelContext): Send | string {
  const { type, ...given } = isRecord(spec) ? spec : {}
  const kind = typeof type === 'string' && Object.hasOwn(channelKinds, type) ? channelKinds[type] : undefined
  const known = Object.keys(channelKinds)
  if (!kind) return `its \`type\` must be one of ${known.join(', ')}.${didYouMean(String(type), known)}`
  const read = validate(kind.options, given)
  if (!read.ok) {
    const [first] = read.problems
    return first ? `\`${formatPath(first.path)}\` ${first.detail}. ${first.fix}` : 'its options are wrong.'
  }
  try {
    return kind.open(read.value, context)
  } catch (error) {
    return `${(error as Error).message}.`
  }
}
