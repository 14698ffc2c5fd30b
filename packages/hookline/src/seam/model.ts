import type { Eventually, Payload, Verdict } from '../core/index.ts'
import type { Raise, Step } from './contract.ts'
import { jsonView, ownCopy } from './json-view.ts'
import { told } from './line.ts'

/** What is about to be sent to a model. */
export interface ModelRequest<M> {
  messages: readonly M[]
  system?: string
  model_id?: string
  iteration?: number
  last_user_message?: string
}

/** What the model answered: its text, or an object that holds it. */
export type ModelAnswer = string | AnswerObject
interface AnswerObject {
  response: string
  usage?: Payload<'after_llm_call'>['usage']
  cost?: number | undefined
}

export interface ModelOptions<M> {
  signal?: AbortSignal
  /** Reads messages that hooks rewrote; throws when the model does not take them. Default: they are taken as they are. */
  parseMessages?(messages: readonly unknown[]): Eventually<M[]>
}

interface Told<M> {
  /** The final messages. */
  input: M[]
  /** Why, when a hook stands in the way; empty otherwise. */
  reason: string
  /** Texts for the model. `execute` gets them too: they belong behind the messages. */
  context: readonly string[]
  /** Texts for the user. */
  messages: readonly string[]
  /** What hooks noted about the call. */
  metadata: Readonly<Record<string, string>>
  steps: readonly Step[]
}

export type ModelOutcome<M, A> =
  | (Told<M> & { outcome: 'ran'; output: A })
  /** The model was not called. */
  | (Told<M> & { outcome: 'refused'; output: undefined })
  /** A hook ends the run; with an output when the model was called before. */
  | (Told<M> & { outcome: 'halted'; output: A | undefined })

/** One model call: hooks, the model, hooks. What comes back is the answer as hooks left it. */
export async function callModel<M, A extends ModelAnswer>(
  raise: Raise,
  { messages: given, ...about }: ModelRequest<M>,
  execute: (messages: M[], execution: { signal: AbortSignal; context: readonly string[] }) => Eventually<A>,
  { signal = new AbortController().signal, parseMessages }: ModelOptions<M> = {},
): Promise<ModelOutcome<M, A>> {
  const asGiven = ownCopy(given) as M[]
  const before = await raise('before_llm_call', { ...about, messages: jsonView(asGiven) as unknown[] }, { signal })
  signal.throwIfAborted()
  const input = before.rewrite ? await read(before.payload.messages ?? []) : asGiven
  const { context = [] } = before
  const verdicts: Verdict[] = [before as unknown as Verdict]
  const refusal = before.decision?.ruling === 'allow' ? undefined : before.decision
  if (before.halt ?? refusal) {
    const { reason } = (before.halt ?? refusal)!
    const outcome = before.halt ? 'halted' : 'refused'
    return { ...{ input, context, outcome, reason, output: undefined }, ...told(verdicts) }
  }

  const answer = await execute(ownCopy(input), { signal, context })
  const whole: AnswerObject = typeof answer === 'string' ? { response: answer } : answer
  const { response, usage, cost } = whole
  const after = await raise(
    'after_llm_call',
    {
      ...pick(about, 'last_user_message', 'model_id'),
      response,
      ...(usage && { usage }),
      ...(cost !== undefined && { cost }),
    },
    { signal },
  )
  // Hooks that were cut off have not redacted what they would have: such an answer is not given back.
  signal.throwIfAborted()
  verdicts.push(after as unknown as Verdict)
  const final = after.rewrite ? (after.payload.response ?? '') : response
  const output = (typeof answer === 'string' ? final : { ...whole, response: final }) as A
  const outcome = after.halt ? 'halted' : 'ran'
  return { ...{ input, context, outcome, reason: after.halt?.reason ?? '', output }, ...told(verdicts) }

  async function read(messages: readonly unknown[]): Promise<M[]> {
    const own = ownCopy(messages)
    return parseMessages ? parseMessages(own) : (own as M[])
  }
}

function pick<T extends object, K extends keyof T>(from: T, ...keys: K[]): Partial<Pick<T, K>> {
  return Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]])) as never
}
