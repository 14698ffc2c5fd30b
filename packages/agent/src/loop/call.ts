import { setMaxListeners } from 'node:events'
import { didYouMean } from 'hookline/internal'
import type { Tool, ToolCall, ToolMessage, ToolResult } from '../core/index.ts'
import type { RunEnd } from './agent.ts'
import { type Approved, approve, type Refused } from './approve.ts'
import { toolsFor } from './ask-model.ts'
import { halted, type Run } from './run.ts'
import { aside, keep, raise, show } from './session.ts'

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

/**
 * One tool call from start to end: pre_tool_use → tool_guard on the final input → permission rules → permission_request
 * → the person → on_tool_approval_decision → run → tool_response_transform → post_tool_use or post_tool_use_failure. A
 * failed call raises both: systems with only one event for it use `post_tool_use`.
 */
export async function callTool(
  run: Run,
  call: ToolCall,
  tools: ReadonlyMap<string, Tool>,
  signal: AbortSignal,
): Promise<CallEnd> {
  const tool = tools.get(call.name)
  show(run.session, { type: 'tool_call', call, category: tool?.category ?? '' })
  if (!tool) return failed(`There is no tool \`${call.name}\`.${didYouMean(call.name, [...tools.keys()])}`)
  if (call.invalid !== undefined) return failed(`The arguments of \`${call.name}\` could not be read: ${call.invalid}`)
  const read = tool.parse(call.input)
  if (!read.ok) return failed(`Wrong arguments for \`${call.name}\`: ${read.problem}`)
  try {
    const decided = await approve(run, { ...call, input: read.input }, tool, signal)
    if (!decided.approved) return refused(decided)
    return await perform(run, decided, tool, signal)
  } catch (error) {
    if (!signal.aborted) throw error
    return failed(notFinished(run))
  }
}

const notFinished = ({ signal }: Run): string =>
  signal.aborted
    ? 'Canceled by the user before it finished.'
    : 'Not finished: the run ended because of another call of the same batch.'

/** A call that has started raises its closing events even when the run is stopped: it may have had effects. */
async function perform(run: Run, approved: Approved, tool: Tool, signal: AbortSignal): Promise<CallEnd> {
  const { session } = run
  const { call } = approved
  run.toolNames.push(call.name)
  const raw = await runTool(run, call, tool, signal)
  const about = { tool_name: call.name, tool_use_id: call.id, tool_input: call.input, tool_category: tool.category }
  const error = raw.error === true
  const transforming = whole(signal)
  const transformed = await raise(
    session,
    'tool_response_transform',
    { ...about, tool_response: raw.content, tool_error: error },
    transforming.options,
  )
  const content = transforming.isCut() ? withheld : readRewrite(transformed, raw.content)

  const watching = whole(signal)
  const failure = error
    ? await raise(
        session,
        'post_tool_use_failure',
        { ...about, error: content, tool_response: content },
        watching.options,
      )
    : undefined
  const post = await raise(
    session,
    'post_tool_use',
    { ...about, tool_response: content, tool_error: error, success: !error, ...(error ? { error: content } : {}) },
    watching.options,
  )
  const halt = raw.halt ?? (transformed.halt ?? failure?.halt ?? post.halt)?.reason
  return {
    content: watching.isCut() ? withheld : readRewrite(post, content),
    error,
    context: [approved.context, raw.context, failure?.context, post.context].flatMap((each) => each ?? []),
    ...(halt === undefined ? {} : { halt }),
    ...(post.decision?.ruling === 'deny' ? { blocked: post.decision.reason } : {}),
  }
}

/**
 * Hooks after a call run even when the run was stopped before. If they are cut off in the middle, they may not have
 * redacted everything, so the result is withheld.
 */
function whole(signal: AbortSignal): { options: { signal?: AbortSignal }; isCut(): boolean } {
  const stopped = signal.aborted
  return { options: stopped ? {} : { signal }, isCut: () => !stopped && signal.aborted }
}

const withheld = 'It ran, but the run was stopped before hooks had seen the result, so that it is not shown.'

/** How long a tool may take to stop after the abort. */
const stopMs = 3_000

/** Runs the tool until it ends or the signal aborts. What it throws becomes an error result for the model. */
async function runTool(run: Run, call: ToolCall, tool: Tool, signal: AbortSignal): Promise<ToolResult> {
  const { session } = run
  const stopped = deadline(signal, stopMs)
  try {
    const running = tool.run(call.input, {
      id: call.id,
      cwd: session.shared.options.cwd,
      sessionId: session.id,
      agent: session.spec.name,
      signal,
      progress: (text) => show(session, { type: 'tool_progress', call_id: call.id, text }),
    })
    return await (tool.orderly ? running : Promise.race([running, stopped.passed]))
  } catch (error) {
    if (signal.aborted) return { content: notFinished(run), error: true }
    return { content: error instanceof Error ? error.message : String(error), error: true }
  } finally {
    stopped.clear()
  }
}

/** Rejects this long after the signal aborts. */
function deadline(signal: AbortSignal, ms: number): { passed: Promise<never>; clear(): void } {
  let timer: NodeJS.Timeout | undefined
  let start = (): void => {}
  const passed = new Promise<never>((_resolve, reject) => {
    start = () => {
      timer = setTimeout(() => reject(signal.reason), ms)
    }
    if (signal.aborted) start()
    else signal.addEventListener('abort', start, { once: true })
  })
  passed.catch(() => {})
  return {
    passed,
    clear() {
      clearTimeout(timer)
      signal.removeEventListener('abort', start)
    },
  }
}

const failed = (content: string): CallEnd => ({ content, error: true, context: [] })

function refused({ reason, halt, context }: Refused): CallEnd {
  return { ...failed(`Refused: ${reason}`), context, ...(halt === undefined ? {} : { halt }) }
}

/** Hooks may make any JSON of a result; the model reads text. */
function readRewrite(
  verdict: { rewrite?: unknown; payload: Readonly<Record<string, unknown>> },
  content: string,
): string {
  if (!verdict.rewrite) return content
  const value = verdict.payload['tool_response']
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
