export { type Agent, type AgentOptions, NotOpened, type Raise, type RunEnd } from './agent.ts'
export { openAgent } from './open.ts'
