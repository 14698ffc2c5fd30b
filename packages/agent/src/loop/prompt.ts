import { withoutTag } from 'hookline/internal'
import { describeAttachment, explained } from '../core/index.ts'
import type { PromptOptions, RunEnd } from './agent.ts'
import { drainSteering, halted, type Run, RunStop, raiseError } from './run.ts'
import { add, aside, type Goal, raise, type Session, show } from './session.ts'
import { turn } from './turn.ts'

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
  extras: Extras = {},
): Promise<RunEnd> {
  const submitted = await submit(session, text, kind, signal, extras)
  if ('end' in submitted) return submitted.end
  const run = makeRun(session, signal)
  session.run = run
  try {
    const begun = await raise(session, 'before_run', { prompt: submitted.prompt }, { signal })
    if (begun.halt) return await finish(run, halted(begun.halt.reason))
    if (kind !== 'steering') {
      if (kind === 'goal' && session.goal) session.goal.text = submitted.prompt
      const content = kind === 'goal' ? opening(submitted.prompt) : submitted.prompt
      const { attachments = [] } = extras
      add(session, { role: 'user', content, ...(attachments.length > 0 ? { attachments } : {}) })
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
    session.run = undefined
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
    calls: [],
    spent: { usage: {}, cost: undefined },
    repeated: { batch: '', times: 0 },
    handedOver: new Set(),
    response: '',
    model: session.spec.models[0] ?? '',
  }
}

type Extras = Omit<PromptOptions, 'signal'>

/** A message of the runtime itself (the task of a sub-agent) is not the user's, so no prompt hook runs. */
async function submit(
  session: Session,
  prompt: string,
  kind: PromptKind,
  signal: AbortSignal,
  { channel = session.shared.options.channel, attachments = [] }: Extras,
): Promise<{ prompt: string; context: readonly string[] } | { end: RunEnd }> {
  if (kind === 'task' || kind === 'steering') return { prompt, context: [] }
  const event = kind === 'follow-up' ? 'user_followup_submit' : 'user_prompt_submit'
  const from =
    kind === 'follow-up'
      ? {}
      : {
          ...(channel === undefined ? {} : { channel }),
          ...(attachments.length > 0 ? { attachments: attachments.map(describeAttachment) } : {}),
        }
  const verdict = await raise(session, event, { prompt, ...from }, { signal })
  if (signal.aborted) return { end: { reason: 'canceled', response: '' } }
  const refusal = verdict.halt ?? (verdict.decision?.ruling === 'allow' ? undefined : verdict.decision)
  if (refusal) {
    show(session, { type: 'notice', level: 'warning', text: `Not sent: ${withoutTag(refusal.reason)}` })
    const user_message = verdict.message?.join('\n') || withoutTag(refusal.reason)
    show(session, { type: 'turn.failed', code: 'blocked_by_hook', ...explained(refusal.reason), user_message })
    const reason = verdict.halt ? 'halted' : 'refused'
    return { end: { reason, response: '', detail: withoutTag(refusal.reason), user_message } }
  }
  return { prompt: String(verdict.payload['prompt']), context: verdict.context ?? [] }
}

/** The person knows already: by their own key, by the question that they answered, or by the error. */
const shownBefore = new Set<RunEnd['reason']>(['canceled', 'max_iterations', 'loop_detected'])

async function finish(run: Run, end: RunEnd): Promise<RunEnd> {
  if (end.detail !== undefined && !shownBefore.has(end.reason))
    show(run.session, { type: 'notice', level: 'warning', text: end.detail })
  await raise(run.session, 'after_run', { result: end.response })
  return end
}

/** The model or the runtime failed: raises the error events and ends the run. The session stays open. */
async function fail(run: Run, error: unknown): Promise<RunEnd> {
  const message = error instanceof Error ? error.message : String(error)
  if (run.reported !== error) await raiseError(run.session, message)
  await raise(run.session, 'run_error', { error: message })
  return { reason: 'error', response: run.response, detail: message }
}

const opening = (goal: string) => `Work until this goal is reached, then call \`claim_completion\`:\n\n${goal}`

/** How often in a row the agent may stop without a claim before the goal is given up. */
const mostIdleRounds = 5

/** Works until a completion claim is accepted; an agent that just stops gets a prompt to continue. */
export async function pursue(session: Session, text: string, signal: AbortSignal): Promise<RunEnd> {
  const goal: Goal = { text, refused: 0, response: '', toolNames: [] }
  session.goal = goal
  try {
    let end = await runPrompt(session, text, 'goal', signal)
    for (let idle = 1; end.reason === 'normal' && !isDecided(goal); idle += 1) {
      if (idle > mostIdleRounds) {
        const detail = `The goal is given up: the agent stopped ${idle} times without claiming that it is reached.`
        show(session, { type: 'notice', level: 'warning', text: detail })
        return { ...end, reason: 'gave_up', detail }
      }
      end = await runPrompt(session, reminder(goal.text), 'task', signal)
    }
    if (goal.givenUp !== undefined) {
      const detail =
        `The goal is given up: ${goal.refused} claims that it is reached did not hold. ${goal.givenUp}`.trim()
      show(session, { type: 'notice', level: 'warning', text: detail })
      return { ...end, reason: 'gave_up', detail }
    }
    if (goal.reached !== undefined) show(session, { type: 'notice', level: 'info', text: 'The goal is reached.' })
    return end
  } finally {
    session.goal = undefined
  }
}

const isDecided = ({ reached, givenUp }: Goal): boolean => reached !== undefined || givenUp !== undefined

const reminder = (goal: string) =>
  `The goal is not claimed yet. Go on with it, or call \`claim_completion\` if it is reached:\n\n${goal}`
