import { type EventName, type HostInfo, type Payload, sameJson, type Verdict } from '../core/index.ts'
import type { Execute, GuardedCall, JudgedTool, JudgeOptions, RunOptions, ToolOutcome } from './contract.ts'
import { jsonView } from './json-view.ts'
import type { HookSession, SessionDefaults } from './session.ts'

/** How an SDK writes messages (M) and answers of models (A). */
export interface Transcript<M, A> {
  /** What the person wrote; undefined for messages of anybody else. */
  prompt(message: M): string | undefined
  withPrompt(message: M, text: string): M
  /** A message that carries a text of a hook to the model. */
  note(text: string): M
  answer(answer: A): { text: string; calls: number; usage?: Payload<'after_llm_call'>['usage'] }
  withText(answer: A, text: string): A
  /** The answer as the model reads it in its next call. */
  asMessages(answer: A): M[]
  /** What takes the place of an answer when hooks do not let the model be called. */
  refusal(reason: string, outcome: 'refused' | 'halted'): A
  /** What hooks see of a message, as JSON, and the message as hooks left it. Default: the message itself. */
  view?(message: M): unknown
  read?(view: unknown, original: M | undefined): M
}

export interface ModelCall<M> {
  messages: readonly M[]
  system?: string | undefined
  model_id?: string | undefined
  signal?: AbortSignal | undefined
}

export interface ConversationOptions extends SessionDefaults {
  /** One id for one conversation. Default: a new one. */
  session?: string | undefined
  host?: HostInfo | undefined
  /** Nothing is enforced; `onVerdict` and the journal have what would have been. */
  shadow?: boolean | undefined
  onVerdict?: ((verdict: Verdict) => void) | undefined
  /** The conversation of the agent that gives this one its task. */
  parent?: string | undefined
}

/** One run of an agent in an SDK: its prompts, model calls and tools, each judged once however many seams fire. */
export interface Conversation<M, A> {
  readonly session: HookSession
  /** Why a hook has ended the run. */
  readonly halted: string | undefined
  /** Whether hooks may rewrite an answer: then it must not be shown before it is whole. */
  readonly holdsAnswers: boolean
  /** A model call with all that belongs to it: start, prompt, the call itself, and the stop, which may send it back. */
  model(call: ModelCall<M>, execute: (messages: M[], signal: AbortSignal) => Promise<A>): Promise<A>
  /** The same call, judged twice, gives the same answer: hooks run once. */
  judge<I extends object>(call: IdentifiedCall<I>, options?: JudgeOptions<I>): Promise<JudgedTool<I>>
  run<I extends object, O, F>(
    call: IdentifiedCall<I>,
    execute: Execute<I, O>,
    options?: JudgeOptions<I> & RunOptions<I, O, F> & { answer?: Answering<I> },
  ): Promise<ToolOutcome<I, F>>
}

/** Gets the answer to a question, however the SDK does that. */
export type Answering<I extends object> = (judged: JudgedTool<I>) => Promise<JudgedTool<I>>

export type IdentifiedCall<I extends object> = GuardedCall<I> & { tool_use_id: string }

/** What a conversation needs of hooks. */
export interface ConversationHooks {
  session(
    id: string,
    defaults?: SessionDefaults,
    options?: { host?: HostInfo; shadow?: boolean; onVerdict?(verdict: Verdict): void },
  ): HookSession
  readonly hooks: readonly { event: EventName; enabled: boolean }[]
}

/** So many calls are judged and have not run; the oldest are judged again. */
const mostJudged = 1_000

export function openConversation<M, A>(
  hooks: ConversationHooks,
  transcript: Transcript<M, A>,
  options: ConversationOptions = {},
): Conversation<M, A> {
  const { session: id = globalThis.crypto.randomUUID(), host, shadow, onVerdict, parent, ...defaults } = options
  const session = hooks.session(
    id,
    { ...defaults, ...(parent !== undefined && { sub_agent: true }) },
    { ...(host && { host }), ...(shadow && { shadow }), ...(onVerdict && { onVerdict }) },
  )
  const judged = new Map<string, { input: unknown; tool: Promise<JudgedTool<never>> }>()
  /** What hooks made of prompts, and what they added after them, by place and text. */
  const prompts = new Map<string, { text: string; notes: readonly string[] }>()
  /** What was said between an answer that a hook sent back and the next, by the place where it belongs. */
  const between = new Map<number, M[]>()
  let started = false
  let halted: string | undefined
  /** The prompt of a call that has not been answered: when it comes again, the SDK has only tried again. */
  let unanswered: string | undefined

  return {
    session,
    get halted() {
      return halted
    },
    get holdsAnswers() {
      return mayRewriteAnswers(hooks)
    },
    model,
    judge,
    async run(call, execute, given = {}) {
      const first = await judge(call, given)
      judged.delete(call.tool_use_id)
      const tool = first.outcome === 'asks' && given.answer ? await given.answer(first) : first
      const outcome = await tool.run(execute, given)
      if (outcome.outcome === 'halted') halted = outcome.reason
      return outcome
    },
  }

  function judge<I extends object>(call: IdentifiedCall<I>, given?: JudgeOptions<I>): Promise<JudgedTool<I>> {
    const known = judged.get(call.tool_use_id)
    if (known && sameJson(known.input, jsonView(call.tool_input)))
      return known.tool as unknown as Promise<JudgedTool<I>>
    const tool = session.judgeTool(call, given).then((made) => {
      if (made.outcome === 'halted') halted = made.reason
      return made
    })
    judged.set(call.tool_use_id, { input: jsonView(call.tool_input), tool: tool as never })
    tool.catch(() => judged.delete(call.tool_use_id))
    if (judged.size > mostJudged) judged.delete(judged.keys().next().value!)
    return tool
  }

  async function model(call: ModelCall<M>, execute: (messages: M[], signal: AbortSignal) => Promise<A>): Promise<A> {
    const { messages: given, signal, system, model_id } = call
    const refused = await takePrompt(given, signal)
    if (refused) return refused
    if (halted !== undefined) return transcript.refusal(halted, 'halted')
    const last_user_message = given.map(promptIn).findLast((text) => text !== undefined)
    for (;;) {
      const messages = assembled(given)
      const about = {
        ...(system && { system }),
        ...(model_id && { model_id }),
        ...(last_user_message && { last_user_message }),
      }
      const outcome = await session.model(
        { ...about, messages: messages.map(viewOf) },
        async (final, { signal: own, context }) => {
          const answer = await execute([...messagesOf(final, messages), ...context.map(transcript.note)], own)
          const { text: response, usage } = transcript.answer(answer)
          return { response, ...(usage && { usage }), answer }
        },
        signal && { signal },
      )
      unanswered = undefined
      if (outcome.outcome === 'halted') halted = outcome.reason
      if (!outcome.output)
        return transcript.refusal(outcome.reason, outcome.outcome === 'halted' ? 'halted' : 'refused')
      const { answer: raw, response } = outcome.output
      const { text, calls } = transcript.answer(raw)
      const answer = response === text ? raw : transcript.withText(raw, response)
      if (calls > 0 || halted !== undefined) return answer
      const again = await stop(response, signal, { last_user_message, model_id })
      if (again === undefined) return reply(answer, response, signal, model_id)
      const place = given.length
      between.set(place, [...(between.get(place) ?? []), ...transcript.asMessages(answer), transcript.note(again)])
    }
  }

  /** The answer that ends the run, as hooks leave it. Hooks that were cut off have not redacted it: then there is none. */
  async function reply(answer: A, response: string, signal: AbortSignal | undefined, model_id: string | undefined) {
    const payload = { response, ...(model_id && { model_id }) }
    const { halt, rewrite, payload: final } = await session.raise('on_response_end', payload, signal && { signal })
    signal?.throwIfAborted()
    if (halt) halted = halt.reason
    return rewrite ? transcript.withText(answer, final.response) : answer
  }

  /** The instruction with which a hook sends the agent back. */
  async function stop(response: string, signal: AbortSignal | undefined, about: object): Promise<string | undefined> {
    const known = Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined))
    if (parent !== undefined) {
      const payload = { response, parent_session_id: parent }
      const { decision, halt } = await session.raise('subagent_stop', payload, signal && { signal })
      return !halt && decision?.ruling === 'deny' ? decision.reason : undefined
    }
    const end = await session.stop({ response, ...known }, signal && { signal })
    if (end.halted) halted = end.reason
    return end.outcome === 'continue' ? [end.reason, ...end.context].join('\n\n') : undefined
  }

  /** The prompt of the person, when there is a new one; gives back what to answer when hooks refuse it. */
  async function takePrompt(messages: readonly M[], signal: AbortSignal | undefined): Promise<A | undefined> {
    const place = messages.length - 1
    const text = promptIn(messages[place])
    const key = keyOf(place, text)
    if (text === undefined || key === unanswered) return
    halted = undefined
    const notes: string[] = []
    if (!started) {
      const begun = await session.start(messages.some(isAnswer) ? 'resume' : 'startup', signal && { signal })
      if (begun.outcome === 'halted') return refusal(begun.reason, 'halted')
      started = true
      notes.push(...begun.context)
    }
    const prompted = parent === undefined ? await session.prompt(text, signal && { signal }) : await task(text, signal)
    if (prompted.outcome !== 'accepted')
      return refusal(prompted.reason, prompted.outcome === 'halted' ? 'halted' : 'refused')
    unanswered = key
    between.clear()
    prompts.set(key, { text: prompted.prompt, notes: [...notes, ...prompted.context] })
    return undefined
  }

  /** What a sub-agent gets is no prompt of a person. */
  async function task(prompt: string, signal: AbortSignal | undefined) {
    const payload = { task: prompt, parent_session_id: parent as string }
    const { halt, context = [] } = await session.raise('subagent_start', payload, signal && { signal })
    const outcome = halt ? ('halted' as const) : ('accepted' as const)
    return { outcome, prompt, context, reason: halt?.reason ?? '' }
  }

  function refusal(reason: string, outcome: 'refused' | 'halted'): A {
    if (outcome === 'halted') halted = reason
    return transcript.refusal(reason, outcome)
  }

  /** The messages with what hooks made of prompts, and what was said in between. */
  function assembled(messages: readonly M[]): M[] {
    const all = messages.flatMap((message, place) => {
      const found = prompts.get(keyOf(place, promptIn(message)))
      const own = found && found.text !== promptIn(message) ? transcript.withPrompt(message, found.text) : message
      return [...(between.get(place) ?? []), own, ...(found?.notes ?? []).map(transcript.note)]
    })
    return [...all, ...(between.get(messages.length) ?? [])]
  }

  function promptIn(message: M | undefined): string | undefined {
    return message === undefined ? undefined : transcript.prompt(message)
  }

  function isAnswer(message: M): boolean {
    return isRecordWith(viewOf(message), 'role', 'assistant')
  }

  function viewOf(message: M): unknown {
    return transcript.view ? transcript.view(message) : jsonView(message)
  }

  /** What hooks left: messages that they did not touch are the same objects as before. */
  function messagesOf(views: readonly unknown[], before: readonly M[]): M[] {
    const known = before.map(viewOf)
    return views.map((view, place) => {
      const same = sameJson(view, known[place]) ? place : known.findIndex((each) => sameJson(view, each))
      if (same >= 0) return before[same] as M
      return transcript.read ? transcript.read(view, before[place]) : (restored(before[place], known[place], view) as M)
    })
  }
}

/** Whether what the model says is out too early, when it is shown as it comes. */
export const mayRewriteAnswers = ({ hooks }: Pick<ConversationHooks, 'hooks'>): boolean =>
  hooks.some(({ event, enabled }) => enabled && answerEvents.has(event))

/** Where hooks rewrite an answer. */
const answerEvents: ReadonlySet<EventName> = new Set(['after_llm_call', 'on_response_end'])

const keyOf = (place: number, text: string | undefined): string => `${place}\0${text}`

const isRecordWith = (value: unknown, key: string, wanted: unknown): boolean =>
  typeof value === 'object' && value !== null && (value as Record<string, unknown>)[key] === wanted

/** A rewritten value in which all that was not rewritten is as it was before it became JSON: bytes, dates, addresses. */
function restored(original: unknown, view: unknown, rewritten: unknown): unknown {
  if (sameJson(view, rewritten)) return original
  if (typeof rewritten !== 'object' || rewritten === null) return rewritten
  const [from, seen] = [original, view] as Record<string, unknown>[]
  const inner = (key: string, item: unknown) => restored(from?.[key], seen?.[key], item)
  if (Array.isArray(rewritten)) return rewritten.map((item, index) => inner(String(index), item))
  return Object.fromEntries(Object.entries(rewritten).map(([key, item]) => [key, inner(key, item)]))
}
