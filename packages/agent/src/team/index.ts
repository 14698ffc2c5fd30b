export type { Environment } from '../core/index.ts'
export { defaultTeam } from './default.ts'
export {
  hookFileOf,
  hooksOf,
  loadRehearsal,
  loadTeam,
  type ReadTeam,
  readTeam,
  rehearsalsBeside,
  type TeamSource,
} from './read.ts'
export { fetchAgentFile, parseReference } from './registry.ts'
