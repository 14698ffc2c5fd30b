export type { Environment } from '../models/environment.ts'
export { defaultTeam } from './default.ts'
export { hooksOf } from './hooks.ts'
export { type ReadTeam, readTeam, type TeamSource } from './read.ts'
