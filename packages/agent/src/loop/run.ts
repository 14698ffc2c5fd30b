import type { RunEnd } from '../agent.ts'
import type { Usage } from '../model.ts'
import { opening } from './goal.ts'
import { add, aside, type Session, show, tell } from './session.ts'
import { drainSteering } from './steering.ts'
import { turn } from './turn.ts'

/** One message of the user on its way to an answer: as many turns as it takes. */
export interface Run {
  readonly session: Session
  readonly signal: AbortSignal
  /** Model calls so far, and how many there may be before the person is asked. */
  iteration: number
  limit: number | undefined
  /** How often hooks have sent the agent back. */
  redos: number
  readonly toolNames: string[]
  readonly spent: { usage: Usage; cost: number | undefined }
  /** The last batch of tool calls, and how often it came in a row. */
  repeated: { batch: string; times: number }
  /** Agents that have handed the conversation over, because the file says so. */
  readonly handedOver: Set<string>
  response: string
  model: string
  /** The error that hooks have heard of where it happened, inside its turn. */
  told?: unknown
}

/** Thrown to end a run from wherever it is. */
export class RunStop extends Error {
  readonly end: RunEnd
  constructor(reason: string, detail: string) {
    super(detail)
    this.end = { reason, response: '', detail }
  }
}

/** `steering`: nothing but what the user wrote while the last run ended. */
export type PromptKind = 'prompt' | 'follow-up' | 'task' | 'goal' | 'steering'

/**
 * Answers one message. The prompt is judged first: a refused one starts no run. Then turn after turn, until the model
 * stops and no hook sends it back. Every run that began ends with `after_run` or `run_error`.
 */
export async function runPrompt(
  session: Session,
  text: string,
  kind: PromptKind,
  signal: AbortSignal,
): Promise<RunEnd> {
  const submitted = await submit(session, text, kind, signal)
  if ('end' in submitted) return submitted.end
  const run = makeRun(session, signal)
  try {
    const begun = await tell(session, 'before_run', { prompt: submitted.prompt }, { signal })
    if (begun.halt) return await finish(run, halted(begun.halt.reason))
    if (kind !== 'steering') {
      if (kind === 'goal' && session.goal) session.goal.text = submitted.prompt
      add(session, { role: 'user', content: kind === 'goal' ? opening(submitted.prompt) : submitted.prompt })
      show(session, { type: 'prompt', text: submitted.prompt, kind: kind === 'task' ? 'prompt' : kind })
    }
    aside(session, [...session.carried.splice(0), ...submitted.context])
    await drainSteering(run)
    return await finish(run, await turns(run))
  } catch (error) {
    // Hooks that were cut off count as failed, and some of those stop a run: it was the user who did.
    if (signal.aborted) return await finish(run, { reason: 'canceled', response: run.response })
    if (error instanceof RunStop) return await finish(run, error.end)
    return await fail(run, error)
  } finally {
    session.asides = []
  }
}

async function turns(run: Run): Promise<RunEnd> {
  for (;;) {
    const end = await turn(run)
    if (end) return end
  }
}

function makeRun(session: Session, signal: AbortSignal): Run {
  return {
    session,
    signal,
    iteration: 0,
    limit: session.spec.maxIterations,
    redos: 0,
    toolNames: [],
    spent: { usage: {}, cost: undefined },
    repeated: { batch: '', times: 0 },
    handedOver: new Set(),
    response: '',
    model: session.spec.models[0] ?? '',
  }
}

/** A message that the runtime made up itself (the task of a sub-agent) was not written by the user: nobody judges it. */
async function submit(
  session: Session,
  prompt: string,
  kind: PromptKind,
  signal: AbortSignal,
): Promise<{ prompt: string; context: readonly string[] } | { end: RunEnd }> {
  if (kind === 'task' || kind === 'steering') return { prompt, context: [] }
  const event = kind === 'follow-up' ? 'user_followup_submit' : 'user_prompt_submit'
  const said = await tell(session, event, { prompt }, { signal })
  if (signal.aborted) return { end: { reason: 'canceled', response: '' } }
  const refusal = said.halt ?? (said.decision?.ruling === 'allow' ? undefined : said.decision)
  if (refusal) {
    show(session, { type: 'notice', level: 'warning', text: `Not sent: ${refusal.reason}` })
    return { end: { reason: said.halt ? 'halted' : 'refused', response: '', detail: refusal.reason } }
  }
  return { prompt: String(said.payload['prompt']), context: said.context ?? [] }
}

async function finish(run: Run, end: RunEnd): Promise<RunEnd> {
  if (end.detail !== undefined && end.reason !== 'canceled')
    show(run.session, { type: 'notice', level: 'warning', text: end.detail })
  await tell(run.session, 'after_run', { result: end.response })
  return end
}

/** The model failed, or we did: told to those who watch for errors, then the run is over. The session goes on. */
async function fail(run: Run, error: unknown): Promise<RunEnd> {
  const message = error instanceof Error ? error.message : String(error)
  if (run.told !== error) await tellError(run.session, message)
  await tell(run.session, 'run_error', { error: message })
  return { reason: 'error', response: run.response, detail: message }
}

export async function tellError(session: Session, message: string): Promise<void> {
  show(session, { type: 'notice', level: 'error', text: message })
  const notice = { notification_level: 'error', notification_message: message } as const
  await tell(session, 'on_error', notice)
  await tell(session, 'notification', notice)
}

export const halted = (reason: string): RunEnd => ({
  reason: 'halted',
  response: '',
  detail: reason || 'A hook ended the run.',
})
