import type { AgentSpec, ToolsetSpec } from '../src/core/team.ts'

/** An agent that is nothing but its toolsets. */
export const agentWith = (...toolsets: ToolsetSpec[]): AgentSpec => ({
  name: 'root',
  description: '',
  instruction: '',
  models: [],
  toolsets,
  subAgents: [],
  handoffs: [],
  maxConsecutiveToolCalls: 5,
  hooks: {},
})
