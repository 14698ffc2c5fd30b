export { type Caller, callingAgent, markingAgent } from './caller.ts'
export { hasPassphrase, setPassphrase, shortest } from './passphrase.ts'
export { type Desk, type Person, personHere, refuseAgents, requireToken } from './proof.ts'
