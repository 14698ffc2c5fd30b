export {
  type AgentDefinition,
  type AgentSettings,
  type Agents,
  openAgents,
  permissionModes,
} from './agents.ts'
export { agentLibrary, type Outbound, openSession } from './open.ts'
export { approvalOf, describe } from './person.ts'
export { type Outcome, openRows, type SessionRow, type TurnRow } from './rows.ts'
export {
  canceled,
  openSessions,
  outcomeOf,
  type Sessions,
  type SessionsOptions,
  type SessionView,
  upTo,
} from './sessions.ts'
