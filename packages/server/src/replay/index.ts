export { type Compared, compareConfigs, difference, withText } from './compare.ts'
export { comparePolicies, historyOf } from './policies.ts'
export { openReplays, type Replay, type Replays } from './replays.ts'
