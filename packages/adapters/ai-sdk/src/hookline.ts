import {
  type AdapterHooks,
  type AdapterOptions,
  type Conversation,
  HooklineError,
  type Note,
  note,
  openAdapter,
} from 'hookline/adapter'
import { guardModel } from './model.ts'
import type { UnknownRecord } from './record.ts'
import type { Answer, Approval, Model, PromptMessage, SdkTool } from './sdk.ts'
import { approvalFor, guardTool, type ToolGuard, unguarded } from './tools.ts'
import { transcript } from './transcript.ts'

/** `about` may be a function of the settings of a call: `options` and `runtimeContext` are among them. */
export type HooklineOptions = AdapterOptions<Record<string, unknown>>

export interface Guarded {
  /** Settings of a `ToolLoopAgent`, guarded: every call of the agent is a run of its own. */
  agent<S extends object>(settings: S): S
  /** Settings of one `generateText` or `streamText`, guarded. */
  call<S extends object>(settings: S): S
  /** Tools alone. Without `agent` or `call` around them, what a hook asks about is refused. `server`: they are MCP tools of it. */
  tools<T extends object>(tools: T, about?: { server?: string }): T
  /** A model alone: prompts, messages, answers. */
  model<M>(model: M): M
  /** The same hooks for an agent that gets its tasks from this one. */
  subagent(name: string): Guarded
  /** What this SDK cannot carry. */
  readonly notes: readonly Note[]
}

const adapter = '@hookline/ai-sdk'
/** Opened when it is first needed: before a call there is nothing that `about` could tell from. */
type Run = () => Conversation<PromptMessage, Answer>

/** What is bound to one installed `ai`. */
export interface Sdk {
  version: string
  gateway(id: string): Model
}

/** MCP tools → their server. */
const servers = new WeakMap<object, string>()

export const makeHookline =
  (sdk: Sdk) =>
  (hooks: AdapterHooks, options: HooklineOptions = {}): Guarded => {
    const major = Number.parseInt(sdk.version, 10)
    if (!(major >= 6))
      throw new HooklineError(
        note('adapter-version', { adapter, name: 'ai', version: sdk.version, wanted: '7 (or 6, with less)' }),
      )
    const host = { name: 'ai-sdk', version: sdk.version }
    const { notes, open: openRun } = openAdapter(
      adapter,
      hooks,
      transcript,
      options,
      host,
      major === 6 ? limitsOf6 : [],
    )
    return guarded(undefined)

    function guarded(parent: { id: string; name: string } | undefined): Guarded {
      /** For tools and models that are guarded by themselves. */
      const alone = once(() => openRun({}, parent))

      return {
        notes,
        agent(settings) {
          const given = settings as UnknownRecord
          const own = given['prepareCall'] as ((call: UnknownRecord) => Promise<UnknownRecord>) | undefined
          const prepareCall = async (call: UnknownRecord) => wrapped((await own?.(call)) ?? call, open(call), given)
          return { ...wrapped(given, alone, given), prepareCall } as never
        },
        call: (settings) => wrapped(settings as UnknownRecord, open(settings as UnknownRecord), {}) as never,
        tools(tools, { server } = {}) {
          const given = tools as Record<string, SdkTool>
          if (server !== undefined) for (const tool of Object.values(given)) servers.set(unguarded(tool), server)
          return guardedTools(given, alone) as never
        },
        model: (model) => guardedModel(model, alone) as never,
        subagent: (name) =>
          guarded({
            get id() {
              return alone().session.id
            },
            name,
          }),
      }

      function open(call: UnknownRecord): Run {
        const run = openRun(call, parent)
        return () => run
      }
    }

    function wrapped(settings: UnknownRecord, run: Run, before: UnknownRecord): UnknownRecord {
      const tools = settings['tools'] as Record<string, SdkTool> | undefined
      // What an agent is made of was wrapped when it was made: the approval of the program is the one before that.
      const own = (
        settings['toolApproval'] === before['toolApproval'] || !isOurs.has(settings['toolApproval'] as object)
          ? settings['toolApproval']
          : before['toolApproval']
      ) as Approval | undefined
      const approval = tools && approvalFor(tools, own, guardFor(run, tools))
      if (approval) isOurs.add(approval)
      return {
        ...settings,
        ...(settings['model'] !== undefined && { model: guardedModel(settings['model'], run) }),
        ...(tools && { tools: guardedTools(tools, run) }),
        ...(approval && major >= 7 && { toolApproval: approval }),
      }
    }

    function guardedTools(tools: Record<string, SdkTool>, run: Run) {
      const guard = guardFor(run, tools)
      return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, guardTool(name, tool, guard)]))
    }

    function guardFor(run: Run, tools: Record<string, SdkTool>): ToolGuard {
      const nameOf = (tool: string) => {
        const server = Object.hasOwn(tools, tool) ? servers.get(unguarded(tools[tool] as SdkTool)) : undefined
        return server === undefined ? tool : `mcp__${server}__${tool}`
      }
      return { run, ask: options.ask ?? 'sdk', nameOf, hasApproval: major >= 7 }
    }

    /** What was wrapped for one run is wrapped anew for the next. */
    function guardedModel(given: unknown, run: Run): Model {
      const model = typeof given === 'string' ? sdk.gateway(given) : (given as Model)
      const original = originalModels.get(model) ?? model
      const guarded = guardModel(original, run)
      originalModels.set(guarded, original)
      return guarded
    }
  }

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const isOurs = new WeakSet<object>()
const originalModels = new WeakMap<object, Model>()

const limitsOf6 = [
  {
    what: 'with ai 6, a refused call is shown as a failed one',
    fallback: 'Upgrade to ai 7, which has `toolApproval`.',
  },
  {
    what: 'with ai 6, a question does not carry its reason, and a call that hooks rewrote is refused instead of asked about',
    fallback: 'Upgrade to ai 7, or give `ask` a function of your own.',
  },
  {
    what: 'with ai 6, calls of tools without `execute` can be asked about and not refused',
    fallback: 'Upgrade to ai 7, or give them an `execute`.',
  },
]
