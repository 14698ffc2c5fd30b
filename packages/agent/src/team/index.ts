export type { Environment } from '../core/index.ts'
export { defaultTeam } from './default.ts'
export { hooksOf, loadRehearsal, loadTeam, type ReadTeam, readTeam, rehearsalsBeside, type TeamSource } from './read.ts'
