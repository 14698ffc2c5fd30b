import { type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { interrupt } from '@langchain/langgraph'
import {
  type AdapterHooks,
  type AdapterOptions,
  type Conversation,
  type JudgedTool,
  mayRewriteAnswers,
  openAdapter,
  withContext,
} from 'hookline/adapter'
import { type AgentMiddleware, createMiddleware } from 'langchain'
import { transcript } from './transcript.ts'

/** What LangChain knows of a run: what `invoke` was given as `configurable` and `context`. */
export interface RunOf {
  configurable?: { thread_id?: string; [key: string]: unknown } | undefined
  context?: unknown
}

export interface HooklineOptions extends AdapterOptions<RunOf> {
  /** The agent gets its tasks from another: its name, and the session of the other. */
  subagent?: { name: string; parent: string }
}

type Run = Conversation<BaseMessage, ReturnType<typeof transcript.refusal>>

/** So many threads are remembered; one that is forgotten begins anew. */
const mostRuns = 1_000

/**
 * A middleware that takes prompts, model calls and tools through their hooks. A question of a hook is an interrupt in the
 * words of LangChain's own human-in-the-loop middleware, so that the same screens answer it.
 */
export function hookline(hooks: AdapterHooks, options: HooklineOptions = {}): AgentMiddleware {
  const { ask = 'sdk', subagent } = options
  const host = { name: 'langchain' }
  const { open } = openAdapter('@hookline/langchain', hooks, transcript, options, host, limitsFor(hooks))
  const runs = new Map<string, Run>()

  /** One conversation per thread; without threads, per first message, which keeps its id. */
  function runOf({ runtime, state }: { runtime: RunOf & object; state: { messages: BaseMessage[] } }): Run {
    const { configurable, context } = runtime
    const key = configurable?.thread_id ?? state.messages[0]?.id ?? ''
    const known = runs.get(key)
    if (known) return known
    const made = open({ configurable, context }, subagent && { id: subagent.parent, name: subagent.name })
    runs.set(key, made)
    if (runs.size > mostRuns) runs.delete(runs.keys().next().value!)
    return made
  }

  return createMiddleware({
    name: 'hookline',
    wrapModelCall(request, handler) {
      const run = runOf(request as never)
      const { messages, systemPrompt, runtime } = request
      const call = { messages, system: systemPrompt, model_id: nameOf(request.model), signal: runtime.signal }
      return run.model(call, async (final) => handler({ ...request, messages: final }))
    },
    async wrapToolCall(request, handler) {
      const run = runOf(request as never)
      const { toolCall, runtime } = request
      const { id = globalThis.crypto.randomUUID(), name, args } = toolCall
      let given: unknown
      const outcome = await run.run(
        { tool_name: name, tool_use_id: id, tool_input: args as object },
        async (final) => {
          given = await handler({ ...request, toolCall: { ...toolCall, args: final as Record<string, unknown> } })
          return ToolMessage.isInstance(given) ? given.content : given
        },
        {
          ...(runtime.signal && { signal: runtime.signal }),
          ...(typeof ask === 'function' && { ask }),
          ...(ask === 'sdk' && { answer: (judged) => interrupted(judged, id) }),
          isError: () => ToolMessage.isInstance(given) && given.status === 'error',
        },
      )
      const failed = outcome.outcome !== 'ran' || outcome.error
      if (!failed && !ToolMessage.isInstance(given)) return given as ToolMessage
      const text = outcome.output === undefined ? outcome.reason : outcome.output
      const content = outcome.context.length > 0 || failed ? withContext(textOf(text), outcome.context) : text
      const message = { content: content as string, tool_call_id: id, name }
      if (!ToolMessage.isInstance(given)) return new ToolMessage({ ...message, status: 'error' })
      const { artifact, status } = given
      return new ToolMessage({ ...message, artifact, status: failed ? 'error' : (status ?? 'success') })
    },
  }) as AgentMiddleware
}

/** Waits for the person: the first time this throws, and the graph stops; the second time it has the answer. */
async function interrupted<I extends object>(judged: JudgedTool<I>, id: string): Promise<JudgedTool<I>> {
  const { question, reason, input } = judged
  const name = question?.tool_name ?? ''
  const actionRequests = [{ name, args: input, description: reason }]
  const reviewConfigs = [{ actionName: name, allowedDecisions: ['approve', 'reject'] }]
  let answer: { decisions?: { type: string; message?: string }[] } | undefined
  try {
    answer = interrupt({ actionRequests, reviewConfigs })
  } catch (waiting) {
    await judged.keep(id)
    throw waiting
  }
  const { type, message: reply } = answer?.decisions?.[0] ?? { type: 'reject' }
  return judged.take({ token: id, approved: type === 'approve', reason: reply })
}

const limitsFor = (hooks: AdapterHooks) =>
  mayRewriteAnswers(hooks)
    ? [
        {
          what: 'tokens that are streamed (`streamMode: "messages"`) are out before a hook on `after_llm_call` or `on_response_end` sees the answer',
          fallback: 'Stream `updates` or `values` instead: these have the answer as hooks left it.',
        },
      ]
    : []

const textOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content))

function nameOf(model: unknown): string | undefined {
  const { model: name, modelName = name } = (model ?? {}) as { model?: unknown; modelName?: unknown }
  return typeof modelName === 'string' ? modelName : undefined
}
