export { agentFile, capabilitiesOfFiles, lookAgain, vouchedFor } from './approval.ts'
export { powersOf } from './capabilities.ts'
