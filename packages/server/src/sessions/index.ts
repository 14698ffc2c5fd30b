export {
  type AgentDefinition,
  type AgentSettings,
  type Agents,
  openAgents,
  permissionModes,
} from './agents.ts'
export type { SessionRow } from './rows.ts'
export { openSessions, type Sessions, type SessionView } from './sessions.ts'
