import { type Message, ModelError, type Tool } from '../core/index.ts'
import { compact } from './compaction.ts'
import { type Answer, exchange, systemMessages } from './exchange.ts'
import { type Run, untilAborted } from './run.ts'
import type { Session } from './session.ts'

/** One model call: the messages are assembled, judged, sent; the answer is judged before it is kept. */
export async function askModel(run: Run, context: readonly string[]): Promise<Answer> {
  const { session } = run
  // To open them can take as long as a person takes to sign in.
  const opened = await untilAborted(toolsFor(session), run.signal)
  const tools = [...opened.values()].map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }))
  const { instruction: system, output } = session.spec
  const request = () => ({ system, messages: assemble(session, context), tools, ...(output ? { output } : {}) })
  try {
    return await exchange(run, request())
  } catch (error) {
    // The request does not fit: compact the conversation and try once more.
    if (!(error instanceof ModelError) || error.kind !== 'overflow' || run.signal.aborted) throw error
    if (session.spec.noCompaction || (await compact(session, 'overflow', run.signal, run.iteration)) !== 'done')
      throw error
    return await exchange(run, request())
  }
}

/** The transcript, with what hooks added at its place; what only this turn sees comes last. */
export function assemble(session: Session, context: readonly string[]): Message[] {
  const assembled: Message[] = systemMessages(session.context)
  let next = 0
  session.messages.forEach((message, index) => {
    for (; (session.asides[next]?.after ?? Number.POSITIVE_INFINITY) <= index; next += 1)
      assembled.push({ role: 'system', content: session.asides[next]!.content })
    assembled.push(message)
  })
  const rest = session.asides.slice(next).map(({ content }) => content)
  return [...assembled, ...systemMessages([...rest, ...context])]
}

/** What the active agent of a session can do: the tools of its toolsets, and those of the loop itself. */
export async function toolsFor(session: Session): Promise<ReadonlyMap<string, Tool>> {
  const { tools } = await session.shared.toolsOf(session.spec)
  return new Map([...tools, ...ownTools(session)].map((tool) => [tool.name, tool]))
}

/** Rebuilt only when the agent or its goal has changed. */
function ownTools(session: Session): readonly Tool[] {
  const { spec, goal, own } = session
  if (own && own.spec === spec && own.goal === goal) return own.tools
  const tools = session.shared.ownTools(session)
  session.own = { spec, goal, tools }
  return tools
}
