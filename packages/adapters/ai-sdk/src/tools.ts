import type { Ask, Conversation, HostRuling, IdentifiedCall, JudgedTool } from 'hookline/adapter'
import { withContext } from 'hookline/adapter'
import { isRecord, type UnknownRecord } from './record.ts'
import type { Answer, Approval, ApprovalRequest, PromptMessage, SdkTool, Status, ToolCallOptions } from './sdk.ts'

/** Why a call did not run, as the model reads it. */
export class HookRefusal extends Error {
  override name = 'HookRefusal'
}

export interface ToolGuard {
  run(): Conversation<PromptMessage, Answer>
  ask: Ask
  /** Our name of a tool: with its MCP server, where it has one. */
  nameOf(tool: string): string
  /** Whether the SDK has `toolApproval`; if not, `needsApproval` of the tools carries the question. */
  hasApproval: boolean
}

/** Wrapped tools → what they wrap: what was wrapped for one run is wrapped anew for the next. */
const originals = new WeakMap<object, SdkTool>()
export const unguarded = (tool: SdkTool): SdkTool => originals.get(tool) ?? tool

/** A tool whose `execute` runs only when hooks allow it, with the input and output that they leave. */
export function guardTool(name: string, given: SdkTool, guard: ToolGuard): SdkTool {
  const tool = unguarded(given)
  const contexts = new Map<string, readonly string[]>()
  const guarded: SdkTool = { ...tool }
  if (tool.execute) {
    guarded.execute = (input, options) => execute(name, tool, input, options, guard, contexts)
    guarded.toModelOutput = async (about) => {
      const output = tool.toModelOutput ? await tool.toModelOutput(about) : usualOutput(about.output)
      const context = contexts.get(about.toolCallId) ?? []
      return context.length === 0 ? output : { type: 'text', value: withContext(textOf(output), context) }
    }
  }
  if (!guard.hasApproval)
    guarded.needsApproval = async (input, options) => {
      if (guard.ask !== 'sdk') return false
      const isBack = isResumed(options)
      const approval = isBack ? { approval: options.toolCallId } : {}
      const judged = await judge(name, input, options, guard, rulesOf(tool, options), approval)
      // The SDK looks again whether a call that was approved needs approval, and runs it only then.
      if (isBack) return true
      if (judged.outcome !== 'asks' || judged.rewritten) return false
      await judged.keep(options.toolCallId)
      return true
    }
  originals.set(guarded, tool)
  return guarded
}

async function execute(
  name: string,
  tool: SdkTool,
  input: unknown,
  options: ToolCallOptions,
  guard: ToolGuard,
  contexts: Map<string, readonly string[]>,
): Promise<unknown> {
  const { run, hasApproval, ask } = guard
  const outcome = await run().run(
    callOf(name, input, options.toolCallId, guard),
    async (final) => lastOf(await tool.execute?.(final, options)),
    {
      ...(options.abortSignal && { signal: options.abortSignal }),
      ...(typeof ask === 'function' && { ask }),
      // With ai 6 a call that waits for its answer comes back here: the SDK runs it only when the person said yes.
      ...(!hasApproval && ask === 'sdk' && isResumed(options) && { approval: options.toolCallId }),
      ...(!hasApproval && { rules: rulesOf(tool, options) }),
    },
  )
  if (outcome.outcome === 'ran' && !outcome.error) {
    if (outcome.context.length > 0) contexts.set(options.toolCallId, outcome.context)
    return outcome.output
  }
  const text = outcome.output === undefined ? outcome.reason : String(outcome.output)
  throw new HookRefusal(withContext(text, outcome.context))
}

/** What decides about every call in ai 7. What the program decides itself counts as its own rules. */
export function approvalFor(
  tools: Record<string, SdkTool>,
  own: Approval | undefined,
  guard: ToolGuard,
): (request: ApprovalRequest) => Promise<Status> {
  return async (request) => {
    const { toolCall, messages } = request
    const { toolName, toolCallId } = toolCall
    const rules = async (input: object) =>
      rulingOf(await ownStatus(tools, own, { ...request, toolCall: { ...toolCall, input } }))
    const approval = isAnswered(toolCallId, messages) ? { approval: toolCallId } : {}
    const judged = await judge(toolName, toolCall.input, { toolCallId }, guard, rules, approval)
    if (judged.outcome === 'allowed') return 'not-applicable'
    if (judged.outcome !== 'asks') return denied(judged)
    if (guard.ask === 'nobody') return denied(await judged.answer({ approved: false, source: 'non_interactive_deny' }))
    await judged.keep(toolCallId)
    return { type: 'user-approval', reason: questionOf(judged) }
  }
}

const denied = ({ reason, context }: JudgedTool<object>): Status => ({
  type: 'denied',
  reason: withContext(reason, context),
})

/** The person must know what would run, when that is not what the SDK shows. */
const questionOf = ({ reason, rewritten, input }: JudgedTool<object>): string =>
  rewritten ? `${reason} It would run with: ${JSON.stringify(input)}` : reason

function judge(
  name: string,
  input: unknown,
  { toolCallId, abortSignal }: ToolCallOptions,
  guard: ToolGuard,
  rules: (input: object) => Promise<HostRuling | undefined>,
  more: { approval?: string } = {},
): Promise<JudgedTool<object>> {
  const { run, ask } = guard
  return run().judge(callOf(name, input, toolCallId, guard), {
    ...more,
    rules,
    ...(abortSignal && { signal: abortSignal }),
    ...(typeof ask === 'function' && { ask }),
  })
}

const callOf = (name: string, input: unknown, id: string, { nameOf }: ToolGuard): IdentifiedCall<object> => ({
  tool_name: nameOf(name),
  tool_use_id: id,
  tool_input: isRecord(input) ? input : { input },
})

/** What the program itself decides about a call: `toolApproval`, else `needsApproval` of the tool. */
async function ownStatus(
  tools: Record<string, SdkTool>,
  own: Approval | undefined,
  request: ApprovalRequest,
): Promise<Status> {
  if (typeof own === 'function') return own(request)
  const { toolName, toolCallId, input } = request.toolCall
  const status = own && Object.hasOwn(own, toolName) ? own[toolName] : undefined
  if (typeof status === 'function') return status(input, { ...request, toolCallId })
  if (status !== undefined) return status
  const tool = Object.hasOwn(tools, toolName) ? unguarded(tools[toolName] as SdkTool) : undefined
  return (await needsApproval(tool, input, { toolCallId, messages: request.messages })) ? 'user-approval' : undefined
}

const rulesOf = (tool: SdkTool, options: ToolCallOptions) => async (input: object) =>
  rulingOf((await needsApproval(tool, input, options)) ? 'user-approval' : undefined)

async function needsApproval(tool: SdkTool | undefined, input: unknown, options: ToolCallOptions): Promise<boolean> {
  const wanted = tool?.needsApproval
  return Boolean(typeof wanted === 'function' ? await wanted(input, options) : wanted)
}

function rulingOf(status: Status): HostRuling | undefined {
  const { type, reason } = typeof status === 'object' ? status : { type: status, reason: undefined }
  const ruling = ({ denied: 'deny', 'user-approval': 'ask', approved: 'allow' } as const)[type as 'denied']
  return ruling && { ruling, source: 'tool_approval', ...(reason !== undefined && { reason }) }
}

/** Whether the person has approved this call in the messages that came back. */
function isAnswered(toolCallId: string, messages: readonly UnknownRecord[]): boolean {
  const requests = new Set(
    partsOf(messages, 'tool-approval-request', { toolCallId }).map(({ approvalId }) => approvalId),
  )
  return partsOf(messages.slice(-1), 'tool-approval-response', { approved: true }).some(({ approvalId }) =>
    requests.has(approvalId),
  )
}

const isResumed = ({ toolCallId, messages = [] }: ToolCallOptions): boolean => isAnswered(toolCallId, messages)

function partsOf(messages: readonly UnknownRecord[], type: string, like: UnknownRecord): UnknownRecord[] {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])) as UnknownRecord[]
  return parts.filter((part) => Object.entries({ type, ...like }).every(([key, value]) => part[key] === value))
}

/** A tool may give results on the way: hooks judge the last one, and nobody sees the others. */
async function lastOf(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result
  let last: unknown
  for await (const each of result as AsyncIterable<unknown>) last = each
  return last
}

const usualOutput = (output: unknown) =>
  typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null }

function textOf(output: unknown): string {
  if (!isRecord(output)) return String(output)
  const { type, value } = output
  if (type === 'content' && Array.isArray(value))
    return value
      .map((part) => (isRecord(part) && part['type'] === 'text' ? String(part['text']) : JSON.stringify(part)))
      .join('\n')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
