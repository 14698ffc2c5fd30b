import { setMaxListeners } from 'node:events'
import { didYouMean, guardTool, type ToolOutcome } from 'hookline/internal'
import type { Tool, ToolCall, ToolMessage, ToolResult, ToolRun } from '../core/index.ts'
import type { RunEnd } from './agent.ts'
import { approval } from './approve.ts'
import { toolsFor } from './ask-model.ts'
import { halted, type Run } from './run.ts'
import { aside, keep, raise, type Session, show } from './session.ts'

/**
 * Runs the calls of one answer, in parallel where the tools allow it. Results are stored as they arrive; the model
 * reads them in the order of its calls, and every call gets one. A halt stops the other calls at once; a denied result
 * stops the run after the batch.
 */
export async function runBatch(run: Run, calls: readonly ToolCall[]): Promise<{ stop?: Omit<RunEnd, 'response'> }> {
  const { session } = run
  const tools = await toolsFor(session)
  const siblings = new AbortController()
  const signal = AbortSignal.any([run.signal, siblings.signal])
  setMaxListeners(0, signal, siblings.signal)
  const ends: Promise<Ended>[] = []
  for (const call of calls) {
    const alone = tools.get(call.name)?.alone === true
    if (alone) await Promise.all(ends)
    const end = callTool(run, call, tools, signal)
      .catch(brokeDown)
      .then((ended: CallEnd & Broken) => {
        if (ended.halt !== undefined || ended.broken) siblings.abort()
        const message = messageOf(call, ended)
        keep(session, { type: 'message', message })
        const { tool_call_id: call_id, tool_name: tool, content, error } = message
        show(session, { type: 'tool_result', call_id, tool, content, ...(error ? { error } : {}) })
        return { ...ended, message }
      })
    ends.push(end)
    if (alone) await end
  }
  const done = await Promise.all(ends)
  for (const { message, context } of done) {
    session.messages.push(message)
    aside(session, context)
  }
  const broken = done.find((end) => end.broken)?.broken
  if (broken) throw broken
  const halt = done.find((end) => end.halt !== undefined)?.halt
  if (halt !== undefined) return { stop: halted(halt) }
  const blocked = done.find((end) => end.blocked !== undefined)?.blocked
  return blocked === undefined ? {} : { stop: { reason: 'hook_blocked', detail: blocked } }
}

type Ended = CallEnd & Broken & { message: ToolMessage }

/** The error of a hook or of the runtime, not of the tool. */
interface Broken {
  broken?: Error
}

/** The run fails, and the call still gets a result: providers reject a transcript without one. */
function brokeDown(thrown: unknown): CallEnd & Broken {
  const broken = thrown instanceof Error ? thrown : new Error(String(thrown))
  return { content: `Not run: ${broken.message}`, error: true, context: [], broken }
}

function messageOf(call: ToolCall, { content, error }: CallEnd): ToolMessage {
  const message: ToolMessage = { role: 'tool', tool_call_id: call.id, tool_name: call.name, content }
  return error ? { ...message, error: true } : message
}

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

/** One tool call from start to end: what the model asked for is read, and `guardTool` takes it through its events. */
export async function callTool(
  run: Run,
  call: ToolCall,
  tools: ReadonlyMap<string, Tool>,
  signal: AbortSignal,
): Promise<CallEnd> {
  const { session } = run
  const tool = tools.get(call.name)
  show(session, { type: 'tool_call', call, category: tool?.category ?? '' })
  if (!tool) return failed(`There is no tool \`${call.name}\`.${didYouMean(call.name, [...tools.keys()])}`)
  if (call.invalid !== undefined) return failed(`The arguments of \`${call.name}\` could not be read: ${call.invalid}`)
  const read = tool.parse(call.input)
  if (!read.ok) return failed(`Wrong arguments for \`${call.name}\`: ${read.problem}`)

  let result: ToolResult | undefined
  const outcome = await guardTool(
    (event, payload, options) => raise(session, event, payload, options),
    { tool_name: call.name, tool_use_id: call.id, tool_input: read.input, tool_category: tool.category },
    async (input, { addContext }) => {
      run.toolNames.push(call.name)
      result = await tool.run(input, runOf(session, call, signal))
      addContext(...(result.context ?? []))
      return result.content
    },
    {
      ...approval(run, call, tool),
      signal,
      undecided: 'ask',
      isError: () => result?.error === true,
      describeError: (error) =>
        signal.aborted ? notFinished(run) : error instanceof Error ? error.message : String(error),
      ...(tool.orderly && { stopMs: Number.POSITIVE_INFINITY }),
    },
  )
  // A tool that was given up may still end; then its result is no longer this call's.
  return endOf(run, outcome, 'thrown' in outcome ? undefined : result)
}

function runOf(session: Session, call: ToolCall, signal: AbortSignal): ToolRun {
  return {
    id: call.id,
    cwd: session.shared.options.cwd,
    sessionId: session.id,
    agent: session.spec.name,
    signal,
    progress: (text) => show(session, { type: 'tool_progress', call_id: call.id, text }),
  }
}

function endOf(run: Run, outcome: ToolOutcome<ToolCall['input'], string>, result: ToolResult | undefined): CallEnd {
  const { context, reason } = outcome
  if (outcome.outcome === 'refused')
    return outcome.canceled ? failed(notFinished(run)) : { ...failed(`Refused: ${reason}`), context }
  const ends = outcome.outcome === 'halted'
  const halt = result?.halt ?? (ends && !outcome.afterBatch ? reason : undefined)
  return {
    content: outcome.output ?? `Refused: ${reason}`,
    error: result ? result.error === true : true,
    context,
    ...(halt === undefined ? {} : { halt }),
    ...(ends && outcome.afterBatch ? { blocked: reason } : {}),
  }
}

const notFinished = ({ signal }: Run): string =>
  signal.aborted
    ? 'Canceled by the user before it finished.'
    : 'Not finished: the run ended because of another call of the same batch.'

const failed = (content: string): CallEnd => ({ content, error: true, context: [] })
