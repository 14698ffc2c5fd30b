export { type Compared, compareConfigs, difference, withText } from './compare.ts'
export { openReplays, type Replay, type Replays } from './replays.ts'
