export { type Channel, type Channels, channelOf, kindOf, openChannels } from './channels.ts'
export type { Arrived, ChannelSettings } from './kind.ts'
export { channelKindNames, channelKinds } from './kinds.ts'
export { followForChats, take } from './talk.ts'
