import type { ChannelKind } from './kind.ts'
import { slack } from './slack.ts'
import { telegram } from './telegram.ts'
import { webhook } from './webhook.ts'
import { wecom } from './wecom.ts'

/** Every kind of channel: one line each. */
export const channelKinds = { telegram, wecom, slack, webhook } as const satisfies Record<string, ChannelKind>
export type ChannelKindName = keyof typeof channelKinds
export const channelKindNames = Object.keys(channelKinds) as [ChannelKindName, ...ChannelKindName[]]
