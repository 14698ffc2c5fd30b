import { setMaxListeners } from 'node:events'
import { didYouMean, type EventName, guardTool, plainText, type ToolOutcome, withoutTag } from 'hookline/internal'
import {
  type Attachment,
  clip,
  describeAttachment,
  explained,
  type Tool,
  type ToolCall,
  type ToolMessage,
  type ToolResult,
  type ToolRun,
} from '../core/index.ts'
import type { RunEnd } from './agent.ts'
import { approval } from './approve.ts'
import { toolsFor } from './ask-model.ts'
import { halted, type Run } from './run.ts'
import { aside, keep, raise, type Session, show } from './session.ts'
import { type Place, placeOf, step } from './steps.ts'

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
    const place = placeOf(session, call.id)
    const end = callTool(run, call, tools, signal, place)
      .then((ended) => step(session, 'result', 'result', async () => ended, place))
      .catch(brokeDown)
      .then((ended: CallEnd & Broken) => {
        if (ended.halt !== undefined || ended.broken) siblings.abort()
        const message = messageOf(call, ended)
        keep(session, { type: 'message', message }, place)
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
  return blocked === undefined ? {} : { stop: { reason: 'hook_blocked', detail: withoutTag(blocked) } }
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

function messageOf(call: ToolCall, { content, error, attachments }: CallEnd): ToolMessage {
  const more = attachments ? { attachments } : {}
  const message: ToolMessage = { role: 'tool', tool_call_id: call.id, tool_name: call.name, content, ...more }
  return error ? { ...message, error: true } : message
}

/** What the model reads of one call, and what it does to the run. */
export interface CallEnd {
  content: string
  error?: boolean
  attachments?: readonly Attachment[]
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
  place: Place,
): Promise<CallEnd> {
  const { session } = run
  const tool = tools.get(call.name)
  show(session, { type: 'tool_call', call, category: tool?.category ?? '' })
  if (!tool) {
    const problem = `There is no tool \`${call.name}\`.${didYouMean(call.name, [...tools.keys()])}`
    return rejectCall(session, call, undefined, 'unknown_tool', problem, signal, place)
  }
  const read = readArguments(call, tool)
  if (!read.ok) return rejectCall(session, call, tool, 'invalid_arguments', read.problem, signal, place)

  let result: ToolResult | undefined
  const decided = (decision: 'allow' | 'deny' | 'canceled', input: ToolCall['input']) =>
    keep(session, { type: 'call', id: call.id, decision, input }, place)
  const outcome = await guardTool(
    (event, payload, options) =>
      raise(session, event, { ...payload, ...picturesAt(event, result) }, { ...options, place }),
    { tool_name: call.name, tool_use_id: call.id, tool_input: read.input, tool_category: tool.category },
    async (input, { addContext }) => {
      run.toolNames.push(call.name)
      decided('allow', input)
      result = await runTool(session, tool, input, runOf(session, call, signal), place)
      addContext(...(result.context ?? []))
      return result.content
    },
    {
      ...approval(run, call, tool, place),
      signal,
      undecided: 'ask',
      isError: () => result?.error === true,
      describeError: (error) =>
        signal.aborted ? notFinished(run) : error instanceof Error ? error.message : String(error),
      ...(tool.orderly && { stopMs: Number.POSITIVE_INFINITY }),
    },
  )
  if (outcome.outcome === 'refused') decided(outcome.canceled ? 'canceled' : 'deny', outcome.input)
  if (outcome.outcome === 'halted' && !outcome.ran) decided('deny', outcome.input)
  // A tool that was given up may still end; then its result is no longer this call's.
  return endOf(run, outcome, 'thrown' in outcome ? undefined : result)
}

/** A tool is one step, which gives its result or what it failed with. One of the loop itself takes steps of its own. */
async function runTool(session: Session, tool: Tool, input: ToolCall['input'], call: ToolRun, place: Place) {
  if (tool.inSteps) return tool.run(input, call)
  const work = async (): Promise<ToolResult | { thrown: string }> => {
    try {
      return await tool.run(input, call)
    } catch (error) {
      if (call.signal.aborted) throw error
      return { thrown: error instanceof Error ? error.message : String(error) }
    }
  }
  const mayRepeat = tool.idempotent === true || tool.readOnly?.(input) === true
  const done = await step(session, 'tool', 'tool', work, place, mayRepeat ? {} : { unsure: interrupted })
  if ('thrown' in done) throw new Error(done.thrown)
  return done
}

const interrupted: ToolResult = {
  content:
    'The process that ran this call was stopped in the middle of it. It may have happened, and it was not repeated: look whether it did before you do it again.',
  error: true,
}

function readArguments(call: ToolCall, tool: Tool): ReturnType<Tool['parse']> {
  if (call.invalid !== undefined)
    return { ok: false, problem: `The arguments of \`${call.name}\` could not be read: ${call.invalid}` }
  const read = tool.parse(call.input)
  return read.ok ? read : { ok: false, problem: `Wrong arguments for \`${call.name}\`: ${read.problem}` }
}

/** A call that cannot be made: no tool runs and nobody is asked, but hooks see the attempt and how it ended. */
async function rejectCall(
  session: Session,
  { name, id, input }: ToolCall,
  tool: Tool | undefined,
  source: 'unknown_tool' | 'invalid_arguments',
  problem: string,
  signal: AbortSignal,
  place: Place,
): Promise<CallEnd> {
  const category = tool ? { tool_category: tool.category } : {}
  const call = { tool_name: name, tool_use_id: id, ...category }
  const pre = await raise(session, 'pre_tool_use', { ...call, tool_input: input }, { signal, place })
  const reason = pre.decision?.ruling === 'deny' ? `${problem}\nRefused: ${pre.decision.reason}` : problem
  const about = { ...call, tool_input: pre.rewrite ? pre.payload.tool_input : input }
  keep(session, { type: 'call', id, decision: 'deny', input: about.tool_input }, place)
  const decided = { ...about, approval_decision: 'deny', approval_source: source } as const
  await raise(session, 'on_tool_approval_decision', decided, { place })
  show(session, { type: 'approval', call_id: id, decision: 'deny', source, ...explained(reason) })
  const failure = { ...about, error: reason, tool_response: reason }
  const failed = await raise(session, 'post_tool_use_failure', failure, { place })
  const post = await raise(session, 'post_tool_use', { ...failure, tool_error: true, success: false }, { place })
  const halt = pre.halt ?? failed.halt ?? post.halt
  return {
    content: post.rewrite ? plainText(post.payload['tool_response']) : reason,
    error: true,
    context: [pre, failed, post].flatMap(({ context = [] }) => context),
    ...(halt ? { halt: halt.reason } : {}),
    ...(post.decision?.ruling === 'deny' ? { blocked: post.decision.reason } : {}),
  }
}

const resultEvents = new Set<EventName>(['tool_response_transform', 'post_tool_use'])

/** Hooks that see a result see what comes with it. */
const picturesAt = (event: EventName, result: ToolResult | undefined) =>
  resultEvents.has(event) && result?.attachments ? { attachments: result.attachments.map(describeAttachment) } : {}

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
    content: bounded(outcome.output ?? `Refused: ${reason}`),
    error: result ? result.error === true : true,
    context,
    // Hooks read and rewrite the text: what they withhold or replace, no picture may show after all.
    ...(result?.attachments && outcome.output === result.content ? { attachments: result.attachments } : {}),
    ...(halt === undefined ? {} : { halt }),
    ...(ends && outcome.afterBatch ? { blocked: reason } : {}),
  }
}

/** A hook usually puts long results aside. Without one, a result still must not fill the window of a model. */
const mostCharacters = 128 * 1024

function bounded(content: string): string {
  if (content.length <= mostCharacters) return content
  const head = clip(content, mostCharacters / 2)
  const left = content.length - mostCharacters
  return `${head}\n\n(… ${left} characters left out …)\n\n${content.slice(-mostCharacters / 2)}`
}

const notFinished = ({ signal }: Run): string =>
  signal.aborted
    ? 'Canceled by the user before it finished.'
    : 'Not finished: the run ended because of another call of the same batch.'

const failed = (content: string): CallEnd => ({ content, error: true, context: [] })
