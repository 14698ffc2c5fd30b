import type { Tool } from '../tool.ts'
import { loopTools } from './own-tools/index.ts'
import type { Session } from './session.ts'

/** What the active agent of a session can do: the tools of its toolsets, and those of the loop itself. */
export async function toolsFor(session: Session): Promise<ReadonlyMap<string, Tool>> {
  const { tools } = await session.house.toolsOf(session.spec)
  return new Map([...tools, ...loopTools(session)].map((tool) => [tool.name, tool]))
}
