import type { CommonFields, EventName, Eventually, Payload, Verdict } from '../core/index.ts'
import type {
  Execute,
  GuardedCall,
  GuardOptions,
  JudgedTool,
  JudgeOptions,
  Raise,
  Rewritable,
  Seam,
  ToolOutcome,
} from './contract.ts'
import { guardTool } from './guard-tool.ts'
import { judgeTool } from './judge-tool.ts'
import { callModel, type ModelAnswer, type ModelOptions, type ModelOutcome, type ModelRequest } from './model.ts'

/** What every event of a session carries, beside its id. */
export type SessionDefaults = Omit<CommonFields, 'session_id'>

interface Told {
  /** Why, when a hook stands in the way; empty otherwise. */
  reason: string
  /** Texts for the model. */
  context: readonly string[]
  /** Texts for the user. */
  messages: readonly string[]
  verdict: Verdict
}

export interface Started extends Told {
  /** `halted`: a hook does not want the session; end it. */
  outcome: 'started' | 'halted'
}

export interface Prompted extends Told {
  /** `refused`: the model does not get it, and the user reads `reason`. `halted`: the run ends as well. */
  outcome: 'accepted' | 'refused' | 'halted'
  /** The final prompt. */
  prompt: string
}

export interface Stopped extends Told {
  /** `continue`: give `reason` to the model as its next instruction. The engine limits how often in a row. */
  outcome: 'stop' | 'continue'
  /** A hook ends the run: nothing else may go on with it. */
  halted: boolean
}

/** One conversation: raises its events with its id, and gives back what is final. */
export interface HookSession {
  readonly id: string
  start(source?: string, options?: { signal?: AbortSignal }): Promise<Started>
  prompt(prompt: string, options?: { channel?: string; attachments?: unknown; signal?: AbortSignal }): Promise<Prompted>
  /**
   * One model call: before_llm_call → `execute` with the final messages → after_llm_call. Rejects with what `execute`
   * throws, and when the signal aborts: hooks that were cut off have not redacted the answer.
   */
  model<M, A extends ModelAnswer>(
    request: ModelRequest<M>,
    execute: (messages: M[], execution: { signal: AbortSignal; context: readonly string[] }) => Eventually<A>,
    options?: ModelOptions<M>,
  ): Promise<ModelOutcome<M, A>>
  guardTool<I extends object, O, F = Rewritable<O>>(
    call: GuardedCall<I>,
    execute: Execute<I, O>,
    options?: GuardOptions<I, O, F>,
  ): Promise<ToolOutcome<I, F>>
  /** The first half of that, for hosts that run the call later, or ask the person in another request. */
  judgeTool<I extends object>(call: GuardedCall<I>, options?: JudgeOptions<I>): Promise<JudgedTool<I>>
  /** The agent wants to stop. Without `stop_hook_active`, the session knows whether a hook has sent the agent back. */
  stop(payload?: Payload<'stop'>, options?: { signal?: AbortSignal }): Promise<Stopped>
  end(reason?: string): Promise<{ messages: readonly string[]; verdict: Verdict }>
  /** Any other event of the session. */
  raise<E extends EventName>(event: E, payload: Payload<E>, options?: { signal?: AbortSignal }): Promise<Verdict<E>>
}

/** The instruction when a hook sends the agent back without a reason. */
const sentBack = 'A check of your answer failed. Look at it again.'

export function makeSession(seam: Seam, id: string, defaults: SessionDefaults = {}): HookSession {
  const raise: Raise = (event, payload, options) =>
    seam.raise(event, Object.assign({}, defaults, payload, { session_id: id }) as typeof payload, options)
  /** Whether the agent works because a hook sent it back. Unknown until this object has seen a prompt or a stop. */
  let isSentBack: boolean | undefined

  return {
    id,
    raise,
    async start(source = 'startup', options) {
      const verdict = await raise('session_start', { source }, options)
      return { outcome: verdict.halt ? 'halted' : 'started', ...told(verdict, verdict.halt) }
    },
    async prompt(prompt, { signal, ...more } = {}) {
      const verdict = await raise('user_prompt_submit', { prompt, ...more }, signal && { signal })
      const refusal = verdict.halt ?? (verdict.decision?.ruling === 'allow' ? undefined : verdict.decision)
      if (!refusal) isSentBack = false
      const outcome = verdict.halt ? 'halted' : refusal ? 'refused' : 'accepted'
      return { outcome, prompt: verdict.payload.prompt, ...told(verdict, refusal) }
    },
    model: (request, execute, options) => callModel(raise, request, execute, options),
    guardTool: (call, execute, options) => guardTool(raise, call, execute, options),
    judgeTool: (call, options) => judgeTool({ ...seam, raise }, call, options),
    async stop(payload = {}, options) {
      const flag = isSentBack === undefined ? {} : { stop_hook_active: isSentBack }
      const verdict = await raise('stop', { ...flag, ...payload }, options)
      const denied = verdict.halt || verdict.decision?.ruling !== 'deny' ? undefined : verdict.decision
      isSentBack = denied !== undefined
      const why = denied ? { reason: denied.reason || sentBack } : verdict.halt
      return { outcome: denied ? 'continue' : 'stop', halted: verdict.halt !== undefined, ...told(verdict, why) }
    },
    async end(reason = 'other') {
      const { messages, verdict } = told(await raise('session_end', { reason }), undefined)
      return { messages, verdict }
    },
  }
}

function told<E extends EventName>(verdict: Verdict<E>, why: { reason: string } | undefined): Told {
  const { context = [], message = [] } = verdict
  return {
    ...{ reason: why?.reason ?? '', context, messages: [...new Set(message)] },
    verdict: verdict as unknown as Verdict,
  }
}
