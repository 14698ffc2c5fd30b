import type {
  Agent,
  AgentInputItem,
  FunctionTool,
  Handoff,
  Model,
  ModelProvider,
  ModelResponse,
  RunContext,
  Tool,
} from '@openai/agents-core'
import {
  type AdapterHooks,
  type AdapterOptions,
  type Ask,
  HooklineError,
  isRecord,
  type Note,
  note,
  openAdapter,
  withContext,
} from 'hookline/adapter'
import { guardModel, type Run } from './model.ts'
import { transcript } from './transcript.ts'

/** What is known of a run: its agent. */
export interface RunOf {
  agent: string
}

export interface HooklineOptions extends AdapterOptions<RunOf> {
  /** Where models come from that agents name by a text, such as `new OpenAIProvider()`. */
  provider?: ModelProvider
}

export interface Guarded {
  /** A copy of an agent whose tools, model and handoffs are guarded, for one conversation: make one for each. */
  agent<A>(agent: A): A
  /** The same hooks for an agent that gets its tasks from another. */
  subagent(name: string): Guarded
  /** What this SDK cannot carry. */
  readonly notes: readonly Note[]
}

const adapter = '@hookline/openai-agents'

export function hookline(hooks: AdapterHooks, options: HooklineOptions = {}): Guarded {
  const host = { name: 'openai-agents' }
  const { notes, open } = openAdapter<RunOf, AgentInputItem, ModelResponse>(adapter, hooks, transcript, options, host)
  const top = globalThis.crypto.randomUUID()
  return guarded(undefined)

  function guarded(parent: { id: string; name: string } | undefined): Guarded {
    return {
      notes,
      agent(given) {
        const agent = given as unknown as AnyAgent
        return copyOf(agent, open({ agent: agent.name }, parent), new Map()) as never
      },
      subagent: (name) => guarded({ id: top, name }),
    }
  }

  /** Agents may hand over to each other in a circle: each is copied once. */
  function copyOf(agent: AnyAgent, run: Run, known: Map<unknown, AnyAgent>): AnyAgent {
    const before = known.get(agent)
    if (before) return before
    const copy = agent.clone({
      tools: agent.tools.map((tool) => guardTool(tool, run)),
      model: modelFor(agent.model, run),
    }) as AnyAgent
    known.set(agent, copy)
    copy.handoffs = agent.handoffs.map((each) => handoffTo(each as AnyAgent | Handoff, run, known)) as never
    return copy
  }

  function handoffTo(given: AnyAgent | Handoff, run: Run, known: Map<unknown, AnyAgent>): AnyAgent | Handoff {
    if (!('onInvokeHandoff' in given)) return copyOf(given, run, known)
    const copy = Object.assign(Object.create(Object.getPrototypeOf(given)), given) as Handoff
    copy.onInvokeHandoff = async (...about) =>
      copyOf((await given.onInvokeHandoff(...about)) as AnyAgent, run, known) as never
    return copy
  }

  function modelFor(model: string | Model, run: Run): Model {
    if (typeof model !== 'string') return guardModel(() => model, nameOf(model), run)
    const { provider } = options
    return guardModel(
      () => {
        if (provider) return provider.getModel(model === '' ? undefined : model)
        throw new HooklineError(
          note('adapter-limit', {
            adapter,
            what: `the model \`${model}\` is named by a text, and hooks cannot find it`,
            fallback:
              'Give `hookline` the provider of your models: hookline(hooks, { provider: new OpenAIProvider() }).',
          }),
        )
      },
      model,
      run,
    )
  }

  function guardTool(tool: Tool, run: Run): Tool {
    if (tool.type === 'function') return guardFunction(tool as FunctionTool, run, options.ask ?? 'sdk') as Tool
    const fallback = 'Use a function tool in its place, or a rule of the provider.'
    const limit = note('adapter-limit', {
      adapter,
      what: `hooks do not see calls of \`${tool.name}\` (${tool.type})`,
      fallback,
    })
    options.onNote ? options.onNote(limit) : console.warn(`hookline: ${limit.message} ${limit.remedy}`)
    return tool
  }
}

// biome-ignore lint/suspicious/noExplicitAny: agents of every context and output.
type AnyAgent = Agent<any, any>

const nameOf = (model: Model): string => model.constructor.name

/** A function tool that runs only when hooks allow it. What the program itself wants approved counts as its rule. */
function guardFunction(tool: FunctionTool, run: Run, ask: Ask): FunctionTool {
  const asker = typeof ask === 'function' ? { ask } : {}
  const call = (tool_use_id: string, input: unknown) => ({
    ...{ tool_name: tool.name, tool_use_id },
    tool_input: isRecord(input) ? input : { input },
  })
  const rules = (context: RunContext, id: string) => async (input: object) =>
    (await tool.needsApproval(context, input as never, id))
      ? ({ ruling: 'ask', source: 'needs_approval' } as const)
      : undefined
  return {
    ...tool,
    async needsApproval(context, input, id = '') {
      if (ask !== 'sdk') return false
      const judged = await run.judge(call(id, input), { rules: rules(context, id) })
      // The SDK shows what the model wrote: nobody may approve that and get something else.
      if (judged.outcome !== 'asks' || judged.rewritten) return false
      await judged.keep(id)
      return true
    },
    async invoke(context, text, details) {
      const id = details?.toolCall?.callId ?? globalThis.crypto.randomUUID()
      const isApproved = context.isToolApproved({ toolName: tool.name, callId: id }) === true
      const outcome = await run.run(
        call(id, JSON.parse(text === '' ? '{}' : text)),
        async (final, { signal }) => tool.invoke(context, JSON.stringify(final), { ...details, signal }),
        {
          ...asker,
          ...(details?.signal && { signal: details.signal }),
          rules: rules(context as RunContext, id),
          ...(isApproved && { answer: (judged) => judged.take({ token: id, approved: true }) }),
        },
      )
      if (outcome.outcome === 'ran' && !outcome.error && outcome.context.length === 0) return outcome.output as string
      const result = outcome.output === undefined ? outcome.reason : outcome.output
      return withContext(typeof result === 'string' ? result : JSON.stringify(result), outcome.context)
    },
  }
}
