import type { Connections } from 'hookline/internal'
import type * as z from 'zod/mini'

/** One kind of way out. A channel is one of these with its options, under a name of its own. */
export interface ChannelKind<O extends z.ZodMiniObject = z.ZodMiniObject> {
  doc: string
  options: O
  /** How messages are sent; throws with words that hold no secret when it cannot work. */
  open(options: z.output<O>, world: Outside): Send
}

export type Send = (text: string, signal: AbortSignal) => Promise<void>

export interface Outside {
  /** The channel's name. */
  name: string
  env: Readonly<Record<string, string | undefined>>
  connections: Connections
  /** Whether channels may be allowed to reach this machine and private networks at all. */
  allowLocal: boolean
  /** Where the console is. */
  write(line: string): void
}

export const defineChannel = <O extends z.ZodMiniObject>(kind: ChannelKind<O>): ChannelKind<O> => kind
