import type { Attachment, Message, Model, ModelRequest } from '../core/index.ts'
import { exchange } from './exchange.ts'
import { startSession } from './life.ts'
import { type Run, RunStop } from './run.ts'
import { keep, raise, type Session, show } from './session.ts'

export type CompactionReason = 'threshold' | 'overflow' | 'tool_overflow' | 'manual'

/** What `pre_compact` calls each reason (docker-agent's words). */
const sources = { threshold: 'auto', overflow: 'overflow', tool_overflow: 'tool_overflow', manual: 'manual' } as const

/** Compacts when the next request would come near the context window. After a veto, the next turn tries again. */
export async function compactIfFull(run: Run, reason: 'threshold' | 'tool_overflow'): Promise<void> {
  const { session } = run
  if (session.spec.noCompaction) return
  const limit = await contextLimit(session)
  const { compactAt: share } = settingsOf(session)
  if (limit === 0 || pressure(session) < limit * share) return
  await compact(session, reason, run.signal, run.iteration)
}

/** Compacts at the user's request. Aborting it affects nothing else. */
export async function compactNow(session: Session, signal: AbortSignal): Promise<Outcome> {
  try {
    return await compact(session, 'manual', signal)
  } catch (error) {
    const halted = error instanceof RunStop && !signal.aborted
    if (!halted && !signal.aborted) throw error
    if (halted) show(session, { type: 'notice', level: 'warning', text: error.message })
    show(session, { type: 'compaction', reason: 'manual', state: halted ? 'vetoed' : 'failed' })
    return halted ? 'vetoed' : 'failed'
  }
}

type Outcome = 'done' | 'vetoed' | 'failed' | 'nothing'

/**
 * Replaces the conversation so far by a summary. Hooks may cancel it, guide the summary or supply it. The last question
 * and what followed it stay as they are if they are small.
 */
export async function compact(
  session: Session,
  reason: CompactionReason,
  signal: AbortSignal,
  /** The model call of the run that it comes before; outside of a run it is the first. */
  iteration = 1,
): Promise<Outcome> {
  const kept = tail(session, reason, await contextLimit(session))
  const old = session.messages.slice(0, session.messages.length - kept.length)
  if (old.length === 0) return 'nothing'
  const facts = {
    input_tokens: session.lastInputTokens || estimateTokens(session.messages),
    output_tokens: session.lastOutputTokens,
    context_limit: await contextLimit(session),
    compaction_reason: reason,
  }
  show(session, { type: 'compaction', reason, state: 'begun' })
  const steered = await raise(session, 'pre_compact', { source: sources[reason] }, { signal })
  const verdict = refuses(steered) ? steered : await raise(session, 'before_compaction', facts, { signal })
  if (verdict.halt) throw new RunStop('halted', verdict.halt.reason)
  if (refuses(verdict)) {
    show(session, { type: 'compaction', reason, state: 'vetoed' })
    return 'vetoed'
  }
  const supplied = verdict.rewrite ? String(verdict.payload['summary']) : ''
  // A summary that a hook supplies costs nothing.
  const isSpent = session.shared.budgets.exceeded(session.spec.name) !== undefined
  if (supplied === '' && isSpent) {
    show(session, { type: 'compaction', reason, state: 'failed' })
    return 'failed'
  }
  const summary = supplied || (await summarise(session, old, steered.context ?? [], { signal, iteration }))
  if (summary === undefined) {
    show(session, { type: 'compaction', reason, state: 'failed' })
    return 'failed'
  }
  const request = reason === 'manual' || kept.length > 0 ? undefined : await lastRequest(session)
  const attachments = request === undefined ? [] : attachmentsOf(session.messages)
  session.messages = [summaryMessage(summary, request, attachments), ...kept]
  session.asides = session.asides.map(({ content }) => ({ after: session.messages.length, content }))
  session.lastInputTokens = 0
  keep(session, {
    type: 'compacted',
    summary,
    kept: kept.length,
    reason,
    ...(request === undefined ? {} : { request }),
    ...(attachments.length > 0 ? { attachments } : {}),
  })
  show(session, { type: 'compaction', reason, state: 'done', summary })
  await raise(session, 'after_compaction', { ...facts, summary }, { signal })
  // What hooks said at the beginning may have to be said again, now that the beginning is gone.
  const started = await startSession(session, 'compact', signal)
  if (started.halt !== undefined) throw new RunStop('halted', started.halt)
  return 'done'
}

export const summaryMessage = (
  summary: string,
  request?: string,
  attachments: readonly Attachment[] = [],
): Message => ({
  role: 'user',
  content: [
    `What was said and done so far, in short:\n\n${summary}`,
    ...(request === undefined ? [] : [`The last request of the user, word for word:\n\n${request}`]),
  ].join('\n\n'),
  ...(attachments.length > 0 ? { attachments } : {}),
})

/** Pictures and files of the last request; after a summary, that has them. */
function attachmentsOf(messages: readonly Message[]): readonly Attachment[] {
  const last = messages.findLast((message) => message.role === 'user')
  return last?.attachments ?? []
}

/** What the agent is working on must survive the summary, whatever the summary makes of it. */
async function lastRequest(session: Session): Promise<string | undefined> {
  const limit = await contextLimit(session)
  const { lastUserMessage: request } = session
  if (request === '') return undefined
  return limit === 0 ? request : shorten(request, (limit / 4) * charactersPerToken)
}

const refuses = (verdict: { halt?: unknown; decision?: { ruling: string } }) =>
  verdict.halt !== undefined || verdict.decision?.ruling === 'deny'

/** The transcript as one text: a model that is to sum it up must not go on with it. */
async function summarise(
  session: Session,
  old: readonly Message[],
  guidance: readonly string[],
  { signal, iteration }: { signal: AbortSignal; iteration: number },
): Promise<string | undefined> {
  const run = { session, signal, iteration, model: '' }
  const whole = old.map(asText).join('\n\n')
  const limit = await contextLimit(session)
  const transcript = shorten(whole, limit === 0 ? whole.length / 2 : limit * charactersPerToken * room)
  try {
    const models = await modelsFor(session)
    const request: ModelRequest = {
      system: [summaryPrompt, ...guidance].join('\n\n'),
      messages: [{ role: 'user', content: `<transcript>\n${transcript}\n</transcript>` }],
      tools: [],
      purpose: 'compaction',
    }
    const { message } = await exchange(run, request, models)
    return message.content.trim() || undefined
  } catch (error) {
    if (signal.aborted || error instanceof RunStop) throw error
    show(session, {
      type: 'notice',
      level: 'warning',
      text: `The conversation could not be summed up: ${String(error)}`,
    })
    return undefined
  }
}

const summaryPrompt = [
  'Sum up this conversation between a user and a coding agent, for the agent to go on from. Keep: what the user wants and',
  'said must hold; what was decided and why; files, commands and results that still matter, by name; what is done, what is',
  'open, and the next step. Leave out the rest. Write only the summary.',
].join(' ')

/** The share of the window that the transcript may take when it is summed up; the rest is for the prompt and the answer. */
const room = 0.6

/** What does not fit loses its middle: how it began and where it stands matter most. */
function shorten(text: string, most: number): string {
  if (text.length <= most) return text
  const head = Math.floor(most / 3)
  const tail = Math.floor(most) - head
  return `${text.slice(0, head)}\n[… ${text.length - head - tail} characters left out …]\n${text.slice(-tail)}`
}

function asText(message: Message): string {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
  const called = calls.map(({ name, input }) => `[calls ${name} ${JSON.stringify(input)}]`)
  const who = message.role === 'tool' ? `result of ${message.tool_name}` : message.role
  return [`${who}: ${message.content}`, ...called].join('\n')
}

/** From the last question on, if that is not what fills the window. */
function tail(session: Session, reason: CompactionReason, limit: number): Message[] {
  if (reason === 'manual') return []
  const start = session.messages.findLastIndex(({ role }) => role === 'user')
  const rest = start < 0 ? [] : session.messages.slice(start)
  if (rest.length === session.messages.length) return []
  return limit === 0 || estimateTokens(rest) < limit / 4 ? rest : []
}

/** The smaller context window of two models: the one that answers, and the one that writes the summary. */
async function contextLimit(session: Session): Promise<number> {
  const answering = (await session.shared.modelsOf(session.spec))[0]?.contextLimit ?? 0
  const summing = (await modelsFor(session))[0]?.contextLimit ?? 0
  return answering === 0 || summing === 0 ? answering : Math.min(answering, summing)
}

/** Who writes the summary: the model that is named for it, then those of the agent. */
async function modelsFor(session: Session): Promise<readonly Model[]> {
  const { shared, spec } = session
  const { compactionModel } = settingsOf(session)
  const own = await shared.modelsOf(spec)
  return compactionModel === undefined
    ? own
    : [...(await shared.modelsOf({ ...spec, models: [compactionModel] })), ...own]
}

/** For the threshold, the model's setting wins over the agent's; for the summary model, the agent's wins. */
function settingsOf({ shared: { options }, spec }: Session) {
  const model = options.team.models[spec.models[0] ?? '']
  return {
    compactAt: model?.compactAt ?? spec.compactAt ?? options.compactAt ?? 0.9,
    compactionModel: spec.compactionModel ?? model?.compactionModel,
  }
}

/** What the next request will weigh: what the provider counted last, and what came since. */
function pressure(session: Session): number {
  const since = session.messages.findLastIndex(({ role }) => role === 'assistant')
  if (session.lastInputTokens === 0) return estimateTokens(session.messages)
  return session.lastInputTokens + session.lastOutputTokens + estimateTokens(session.messages.slice(since + 1))
}

/** As providers advise for English. */
export const charactersPerToken = 4

/** What providers count for a picture of usual size. */
const attachmentCharacters = 1_500 * charactersPerToken

/** Tokens of some messages, roughly, with a little for the frame. */
export function estimateTokens(messages: readonly Message[]): number {
  let characters = 0
  for (const message of messages) {
    characters += message.content.length + 16
    if ('attachments' in message) characters += (message.attachments?.length ?? 0) * attachmentCharacters
    if (message.role === 'assistant' && message.tool_calls) characters += JSON.stringify(message.tool_calls).length
  }
  return Math.ceil(characters / charactersPerToken)
}
