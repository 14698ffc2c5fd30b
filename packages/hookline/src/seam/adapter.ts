import { type EventName, type HostInfo, isThenable, type Note, note, type Verdict } from '../core/index.ts'
import type { ApprovalAnswer, ApprovalQuestion } from './contract.ts'
import { type Conversation, type ConversationHooks, openConversation, type Transcript } from './conversation.ts'
import type { SessionDefaults } from './session.ts'

/** Who a run belongs to. `session`: one id for one conversation; without it every run is one of its own. */
export interface RunAbout extends SessionDefaults {
  session?: string | undefined
}

/** What every adapter takes. `Call`: what its SDK knows of one run. */
export interface AdapterOptions<Call> {
  /** Who a run belongs to, or how to tell from what the SDK knows of it. */
  about?: RunAbout | ((call: Call) => RunAbout)
  /** Who answers when a hook asks. Default `sdk`: the call waits, and the SDK carries question and answer. */
  ask?: Ask
  /** Nothing is enforced. `onVerdict` and the journal have what would have been. */
  shadow?: boolean
  /** Gets every verdict, in order. One that throws or rejects stops nothing, and nobody waits for it. */
  onVerdict?(verdict: Verdict): void
  /** Gets texts of hooks for the user. */
  onMessage?(text: string): void
  /** Gets what the SDK cannot carry, when the adapter is opened. Default: a warning on the console. */
  onNote?(note: Note): void
}

/** The approval flow of the SDK, nobody, or a function. */
export type Ask =
  | 'sdk'
  | 'nobody'
  | ((question: ApprovalQuestion<object>, signal: AbortSignal) => Promise<ApprovalAnswer> | ApprovalAnswer)

/** Hooks, as an adapter needs them. */
export interface AdapterHooks extends ConversationHooks {
  readonly hooks: readonly { id: string; event: EventName; enabled: boolean }[]
}

export interface OpenAdapter<Call, M, A> {
  readonly notes: readonly Note[]
  /** A run of its own. `parent`: of an agent that gets its task from another. */
  open(call: Call, parent?: { id: string; name: string }): Conversation<M, A>
}

/** What the adapters for model SDKs share: their events, their notes, and how a run is opened. */
export function openAdapter<Call, M, A>(
  adapter: string,
  hooks: AdapterHooks,
  transcript: Transcript<M, A>,
  options: AdapterOptions<Call>,
  host: HostInfo,
  limits: readonly { what: string; fallback: string }[] = [],
): OpenAdapter<Call, M, A> {
  const notes = [
    ...adapterNotes(adapter, hooks.hooks, conversationEvents),
    ...limits.map((limit) => note('adapter-limit', { adapter, ...limit })),
  ]
  for (const each of notes) (options.onNote ?? warn)(each)
  return {
    notes,
    open(call, parent) {
      const about = typeof options.about === 'function' ? options.about(call) : (options.about ?? {})
      return openConversation(hooks, transcript, {
        ...about,
        ...(parent && { session: undefined, agent_name: parent.name, parent: about.session ?? parent.id }),
        ...{ host, shadow: options.shadow },
        ...((options.onVerdict || options.onMessage) && { onVerdict: (verdict) => watched(options, verdict) }),
      })
    },
  }
}

/** What a conversation raises. Hooks on other events get a note. */
const conversationEvents: ReadonlySet<EventName> = new Set([
  ...(['session_start', 'user_prompt_submit', 'before_llm_call', 'after_llm_call', 'on_response_end', 'stop'] as const),
  ...(['pre_tool_use', 'tool_guard', 'permission_request', 'on_tool_approval_decision'] as const),
  ...([
    'tool_response_transform',
    'post_tool_use',
    'post_tool_use_failure',
    'subagent_start',
    'subagent_stop',
  ] as const),
])

/** Whoever watches cannot stop what is watched. */
export function watched(
  { onVerdict, onMessage }: Pick<AdapterOptions<never>, 'onVerdict' | 'onMessage'>,
  verdict: Verdict,
): void {
  unheard(() => onVerdict?.(verdict))
  for (const text of verdict.message ?? []) unheard(() => onMessage?.(text))
}

/** What it throws is theirs, at once or later: an async function that rejects would end the process. */
function unheard(watch: () => unknown): void {
  try {
    const watching = watch()
    if (isThenable(watching)) watching.then(undefined, () => {})
  } catch {
    // It is theirs.
  }
}

const warn = ({ message, remedy }: Note) => console.warn(`hookline: ${message} ${remedy}`)

/** What the model reads: a text, and behind it what hooks add. */
export const withContext = (text: string, context: readonly string[]): string =>
  [text, ...context].filter((part) => part !== '').join('\n\n')

/** What of these hooks an adapter cannot carry, each with what to do instead: said when it is opened, never silently dropped. */
export function adapterNotes(adapter: string, hooks: AdapterHooks['hooks'], raises: ReadonlySet<EventName>): Note[] {
  return hooks
    .filter(({ event, enabled }) => enabled && !raises.has(event))
    .map(({ id: hook, event }) => {
      const fallback = `Raise it where it happens in your program: hooks.raise('${event}', { … }).`
      return note('adapter-event', { adapter, event, hook, fallback }, { hook })
    })
}
