export { type Agent, type AgentOptions, NotOpened, type PromptOptions, type Raise, type RunEnd } from './agent.ts'
export { describeUse, fullest } from './budgets.ts'
export { openAgent } from './open.ts'
