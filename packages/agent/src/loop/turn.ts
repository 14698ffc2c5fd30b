import type { AssistantMessage, ToolCall } from '../core/index.ts'
import type { RunEnd } from './agent.ts'
import { askModel } from './ask-model.ts'
import { runBatch } from './call.ts'
import { compactIfFull } from './compaction.ts'
import { switchAgent } from './life.ts'
import {
  askPerson,
  drainSteering,
  halted,
  mostRedos,
  type Run,
  RunStop,
  raiseError,
  raiseReply,
  sentBack,
} from './run.ts'
import { add, aside, keepAs, raise, type Session, show } from './session.ts'
import { keyAt, placeOf } from './steps.ts'

/** Why a turn ended, in docker-agent's words. */
export type TurnReason = 'normal' | 'continue' | 'steered' | 'error' | 'canceled' | 'hook_blocked' | 'loop_detected'

interface TurnEnd {
  reason: TurnReason
  /** Present when the run ends with this turn. */
  run?: RunEnd
}

/**
 * One model call and what follows from it. `turn_end` is raised exactly once, with the reason, however the turn ends.
 * Undefined: the run continues.
 */
export async function turn(run: Run): Promise<RunEnd | undefined> {
  const limited = (await overBudget(run)) ?? (await allowTurn(run))
  if (limited) return limited
  const { session } = run
  session.turns += 1
  session.place = placeOf(session)
  session.inTurn = true
  run.iteration += 1
  run.calls = []
  let end: TurnEnd = { reason: 'error' }
  const since = performance.now()
  const agent = session.spec.name
  try {
    end = await body(run)
  } catch (error) {
    end = { reason: reasonOf(error, run) }
    if (end.reason === 'error') {
      await raiseError(session, error instanceof Error ? error.message : String(error))
      run.reported = error
    }
    throw error
  } finally {
    worked(session, agent, Math.round(performance.now() - since))
    await endTurn(run, end)
  }
  return end.run
}

async function body(run: Run): Promise<TurnEnd> {
  const { session, signal } = run
  const begun = await raise(session, 'turn_start', {}, { signal })
  if (begun.halt) return { reason: 'hook_blocked', run: halted(begun.halt.reason) }
  await compactIfFull(run, 'threshold')
  const { message, halt } = await askModel(run, begun.context ?? [])
  run.response = message.content
  if (halt) {
    add(session, answered(message))
    return { reason: 'hook_blocked', run: { ...halted(halt), response: run.response } }
  }
  return message.tool_calls?.length ? await useTools(run, message, message.tool_calls) : await stop(run, message)
}

async function useTools(run: Run, message: AssistantMessage, calls: readonly ToolCall[]): Promise<TurnEnd> {
  const { session } = run
  run.calls = calls
  if (repeats(run, calls)) {
    add(session, answered(message))
    const detail = `The agent made the same tool call ${run.repeated.times} times in a row: ${calls.map(({ name }) => name).join(', ')}.`
    await raiseError(session, detail)
    return { reason: 'loop_detected', run: { reason: 'loop_detected', response: run.response, detail } }
  }
  add(session, message)
  if (session.goal) Object.assign(session.goal, { response: message.content, toolNames: run.toolNames })
  const batch = await runBatch(run, calls)
  if (run.signal.aborted) return { reason: 'canceled', run: { reason: 'canceled', response: run.response } }
  if (batch.stop) return { reason: 'hook_blocked', run: { ...batch.stop, response: run.response } }
  if (session.goal?.reached !== undefined) {
    const reply = await judgeReply(run, session.goal.reached)
    if (reply.halt) return { reason: 'hook_blocked', run: { ...halted(reply.halt), response: run.response } }
    return { reason: 'normal', run: { reason: 'normal', response: run.response } }
  }
  if (session.goal?.givenUp !== undefined)
    return { reason: 'normal', run: { reason: 'normal', response: run.response } }
  await compactIfFull(run, 'tool_overflow')
  return { reason: (await drainSteering(run)) ? 'steered' : 'continue' }
}

/** The model has nothing more to do: hooks may change its reply, or send it back with a reason. */
async function stop(run: Run, message: AssistantMessage): Promise<TurnEnd> {
  const { session, signal } = run
  const reply = await judgeReply(run, message.content, (content) => add(session, { ...message, content }))
  const content = run.response
  if (reply.halt) return { reason: 'hook_blocked', run: { ...halted(reply.halt), response: content } }
  if (await drainSteering(run)) return { reason: 'steered' }

  const verdict = await raise(
    session,
    'stop',
    {
      response: content,
      last_user_message: session.lastUserMessage,
      tool_names: run.toolNames,
      model_id: run.model,
      stop_hook_active: run.redos > 0,
    },
    { signal },
  )
  if (verdict.halt) return { reason: 'hook_blocked', run: { ...halted(verdict.halt.reason), response: content } }
  if (verdict.decision?.ruling === 'deny' && run.redos < mostRedos) {
    run.redos += 1
    sendBack(run, verdict.decision.reason)
    aside(session, verdict.context)
    return { reason: 'continue' }
  }
  if (await drainSteering(run)) {
    aside(session, verdict.context)
    return { reason: 'steered' }
  }
  session.carried.push(...(verdict.context ?? []))
  if (await handOver(run)) return { reason: 'continue' }
  return { reason: 'normal', run: { reason: 'normal', response: content } }
}

/** What the user reads in the end, as hooks leave it: `run.response`. It is kept before it is shown. */
async function judgeReply(
  run: Run,
  response: string,
  keepReply: (content: string) => void = () => {},
): Promise<{ halt?: string }> {
  const { session, signal } = run
  // Hooks that are cut off have not masked what they would have: then there is no reply.
  run.response = ''
  const verdict = await raiseReply(run, response, signal)
  signal.throwIfAborted()
  run.response = verdict.rewrite ? String(verdict.payload['response']) : response
  keepReply(run.response)
  show(session, { type: 'response', text: run.response, ...(verdict.rewrite ? { rewritten: true as const } : {}) })
  return verdict.halt ? { halt: verdict.halt.reason } : {}
}

/**
 * `force_handoff`: another agent continues when this one has answered. Each agent hands over once per run, so the run
 * ends.
 */
async function handOver({ session, handedOver }: Run): Promise<boolean> {
  const { name, forceHandoff } = session.spec
  if (forceHandoff === undefined || handedOver.has(name)) return false
  handedOver.add(name)
  await switchAgent(session, forceHandoff, 'force_handoff')
  add(session, { role: 'user', content: `The conversation was handed over to you, ${forceHandoff}: go on.` })
  return true
}

function sendBack(run: Run, reason: string): void {
  const text = reason || sentBack
  add(run.session, { role: 'user', content: text })
  show(run.session, { type: 'prompt', text, kind: 'redo' })
}

function repeats(run: Run, calls: readonly ToolCall[]): boolean {
  const batch = JSON.stringify(calls.map(({ name, input }) => [name, input]))
  run.repeated = { batch, times: batch === run.repeated.batch ? run.repeated.times + 1 : 1 }
  const most = run.session.spec.maxConsecutiveToolCalls
  return most > 0 && run.repeated.times >= most
}

/** A transcript in which a call has no result is refused by providers: what will not run is not kept. */
function answered({ tool_calls: _dropped, ...message }: AssistantMessage): AssistantMessage {
  return message
}

/** Raised also when the run was cancelled: it takes no signal. */
async function endTurn(run: Run, { reason }: TurnEnd): Promise<void> {
  const success = reason === 'normal' || reason === 'continue' || reason === 'steered'
  await raise(run.session, 'turn_end', {
    reason,
    success,
    tool_calls: run.calls.map(({ id, name }) => ({ id, name })),
  })
  run.session.inTurn = false
  run.session.spec = run.session.next ?? run.session.spec
  run.session.next = undefined
  show(run.session, { type: 'turn_end', reason })
}

/** The time that budgets count; kept, so that it counts on when the session is resumed. */
function worked(session: Session, agent: string, ms: number): void {
  const { budgets, options } = session.shared
  budgets.worked(agent, ms)
  const all = [options.team.budget, ...Object.values(options.team.budgets ?? {})]
  if (!all.some((each) => each?.max_time !== undefined)) return
  const key = keyAt(session.place, 'worked')
  for (let of: Session | undefined = session; of; of = of.parent)
    keepAs(of, { type: 'worked', agent, ms }, of === session ? key : `${session.id}/${key}`)
}

function reasonOf(error: unknown, run: Run): TurnReason {
  if (run.signal.aborted) return 'canceled'
  return error instanceof RunStop ? 'hook_blocked' : 'error'
}

/** A run that has spent what it may stops before its next model call: nobody is asked, since somebody has set the limit. */
async function overBudget(run: Run): Promise<RunEnd | undefined> {
  const { session } = run
  const exceeded = session.shared.budgets.exceeded(session.spec.name)
  if (!exceeded) return undefined
  const { used, max, config_path } = exceeded
  const detail = `Stopped: ${config_path} of the agent file is reached (${used} of ${max}).`
  add(session, { role: 'assistant', content: detail, agent: session.spec.name })
  show(session, { type: 'budget_exceeded', ...exceeded })
  await raise(session, 'notification', { notification_level: 'warning', notification_message: detail })
  return { reason: 'budget_exceeded', response: run.response, detail }
}

/** Whether there may be another turn. At the limit the run pauses, and continues only if the person agrees. */
export async function allowTurn(run: Run): Promise<RunEnd | undefined> {
  const { session, signal, limit } = run
  if (limit === undefined || run.iteration < limit) return undefined
  const text = `The agent has reached its limit of ${limit} model calls.`
  show(session, { type: 'notice', level: 'warning', text })
  const notice = { notification_level: 'warning', notification_message: text } as const
  await raise(session, 'on_max_iterations', notice, { signal })
  await raise(session, 'notification', notice, { signal })
  const goOn = await askPerson(session, signal, (person) => person.goOn(limit, signal))
  signal.throwIfAborted()
  if (goOn !== true) return { reason: 'max_iterations', response: run.response, detail: text }
  run.limit = limit + (session.spec.maxIterations ?? limit)
  await raise(
    session,
    'on_session_resume',
    { previous_max_iterations: limit, new_max_iterations: run.limit },
    { signal },
  )
  return undefined
}
