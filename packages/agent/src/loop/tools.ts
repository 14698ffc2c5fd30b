import type { Tool } from '../tool.ts'
import { loopTools } from './own-tools/index.ts'
import type { Session } from './session.ts'

/** What the active agent of a session can do: the tools of its toolsets, and those of the loop itself. */
export async function toolsFor(session: Session): Promise<ReadonlyMap<string, Tool>> {
  const { tools } = await session.house.toolsOf(session.spec)
  return new Map([...tools, ...ownTools(session)].map((tool) => [tool.name, tool]))
}

/** Made anew only when the agent or its goal has changed. */
function ownTools(session: Session): readonly Tool[] {
  const { spec, goal, own } = session
  if (own && own.spec === spec && own.goal === goal) return own.tools
  const tools = loopTools(session)
  session.own = { spec, goal, tools }
  return tools
}
