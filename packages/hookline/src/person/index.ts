export { agentAbove, type Caller, callingAgent, markingAgent, noPersonAt } from './caller.ts'
export { hasPassphrase, setPassphrase, shortest } from './passphrase.ts'
export {
  type Desk,
  type PagePerson,
  type Person,
  personAtPage,
  personHere,
  refuseAgents,
  requireToken,
} from './proof.ts'
