import { didYouMean } from '../../core/index.ts'
import type { ToolCall } from '../message.ts'
import type { Tool, ToolResult } from '../tool.ts'
import { type Approved, approve, type Refused } from './approve.ts'
import type { Run } from './run.ts'
import { show, tell } from './session.ts'

/** What the model reads of one call, and what it does to the run. */
export interface CallEnd {
  content: string
  error?: boolean
  /** Context of hooks for the rest of the run. */
  context: readonly string[]
  /** A hook ends the run now. */
  halt?: string
  /** A hook denied the result: the run ends when the batch is done. */
  blocked?: string
}

/**
 * The line of one tool call: pre_tool_use → tool_guard on the final input → permission rules → permission_request →
 * the person → on_tool_approval_decision → run → tool_response_transform → post_tool_use or post_tool_use_failure. Of a
 * failed call both are raised: systems that have but one event for it hear it as `post_tool_use`, the others do not.
 */
export async function callTool(
  run: Run,
  call: ToolCall,
  tools: ReadonlyMap<string, Tool>,
  signal: AbortSignal,
): Promise<CallEnd> {
  const tool = tools.get(call.name)
  if (!tool) return failed(`There is no tool \`${call.name}\`.${didYouMean(call.name, [...tools.keys()])}`)
  show(run.session, { type: 'tool_call', call, category: tool.category })
  if (call.invalid !== undefined) return failed(`The arguments of \`${call.name}\` could not be read: ${call.invalid}`)
  const read = tool.parse(call.input)
  if (!read.ok) return failed(`Wrong arguments for \`${call.name}\`: ${read.problem}`)
  try {
    const decided = await approve(run, { ...call, input: read.input }, tool, signal)
    if (!decided.approved) return refused(decided)
    return await perform(run, decided, tool, signal)
  } catch (error) {
    if (!signal.aborted) throw error
    return failed(run.signal.aborted ? 'Canceled by the user before it finished.' : stoppedBySibling)
  }
}

const stoppedBySibling = 'Not finished: a hook ended the run because of another call of the same batch.'

async function perform(run: Run, approved: Approved, tool: Tool, signal: AbortSignal): Promise<CallEnd> {
  const { session } = run
  const { call } = approved
  run.toolNames.push(call.name)
  const raw = await runTool(run, call, tool, signal)
  const about = { tool_name: call.name, tool_use_id: call.id, tool_input: call.input, tool_category: tool.category }
  const error = raw.error === true
  const transformed = await tell(
    session,
    'tool_response_transform',
    { ...about, tool_response: raw.content, tool_error: error },
    { signal },
  )
  const content = transformed.rewrite ? text(transformed.payload['tool_response']) : raw.content
  if (transformed.halt) return { content, error, context: approved.context, halt: transformed.halt.reason }

  const failure = error
    ? await tell(session, 'post_tool_use_failure', { ...about, error: content, tool_response: content }, { signal })
    : undefined
  const told = await tell(
    session,
    'post_tool_use',
    { ...about, tool_response: content, tool_error: error, success: !error, ...(error ? { error: content } : {}) },
    { signal },
  )
  const halt = failure?.halt ?? told.halt
  return {
    content: told.rewrite ? text(told.payload['tool_response']) : content,
    error,
    context: [...approved.context, ...(failure?.context ?? []), ...(told.context ?? [])],
    ...(halt ? { halt: halt.reason } : {}),
    ...(told.decision?.ruling === 'deny' ? { blocked: told.decision.reason } : {}),
  }
}

/** A tool may throw and hang; the signal ends it, and what it throws is told to the model. */
async function runTool(run: Run, call: ToolCall, tool: Tool, signal: AbortSignal): Promise<ToolResult> {
  const { session } = run
  try {
    return await tool.run(call.input, {
      id: call.id,
      cwd: session.house.options.cwd,
      sessionId: session.id,
      agent: session.spec.name,
      signal,
      progress: (text) => show(session, { type: 'tool_progress', call_id: call.id, text }),
    })
  } catch (error) {
    if (signal.aborted) throw error
    return { content: error instanceof Error ? error.message : String(error), error: true }
  }
}

const failed = (content: string): CallEnd => ({ content, error: true, context: [] })

function refused({ reason, halt }: Refused): CallEnd {
  return { ...failed(`Refused: ${reason}`), ...(halt === undefined ? {} : { halt }) }
}

/** Hooks may make any JSON of a result; the model reads text. */
const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
