export { agentFile, approvedTeam, capabilitiesOfFiles, recheckBeforeStart, trustFor } from './approval.ts'
export { capabilitiesOf } from './capabilities.ts'
export { offerHooks } from './hooks.ts'
