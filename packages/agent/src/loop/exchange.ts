import { isRecord } from 'hookline/internal'
import {
  type AssistantMessage,
  type Attachment,
  isToolCall,
  type Message,
  type Model,
  ModelError,
  type ModelRequest,
  type ToolCall,
  type Usage,
} from '../core/index.ts'
import { callModel, requestTokens, type Setback } from '../models/index.ts'
import { type Run, RunStop, raiseReply } from './run.ts'
import { add, keepAs, raise, type Session, show } from './session.ts'
import { keyAt, step } from './steps.ts'

interface Heard {
  message: AssistantMessage
  usage?: Usage
  cost?: number
  /** Who answered. */
  model: string
  /** Until when it goes first, because the one before it was limited. */
  firstUntil?: number
}

export interface Answer {
  message: AssistantMessage
  /** A hook ended the run after this answer. */
  halt?: string
}

/** A run, or what is left of one for the summary of a compaction. */
type Asking = Pick<Run, 'session' | 'signal' | 'iteration' | 'model'>

/** Asks hooks, then the model, then hooks. Also for the summary of a compaction: whatever is sent, they see. */
export async function exchange(run: Asking, request: ModelRequest, instead?: readonly Model[]): Promise<Answer> {
  const { session, signal } = run
  const models = instead ?? (await modelsFor(session, request))
  run.model = models[0]?.id ?? ''
  const before = await raise(
    session,
    'before_llm_call',
    {
      iteration: run.iteration,
      model_id: run.model,
      system: request.system,
      last_user_message: session.lastUserMessage,
      messages: request.messages as unknown[],
    },
    { signal },
  )
  if (before.halt) throw new RunStop('halted', before.halt.reason)
  if (before.decision && before.decision.ruling !== 'allow') throw new RunStop('hook_blocked', before.decision.reason)
  const messages = before.rewrite ? readMessages(before.payload['messages']) : request.messages
  const sent = {
    ...request,
    agent: session.spec.name,
    session: session.id,
    messages: [...messages, ...systemMessages(before.context ?? [])],
  }

  const answer = await hear(run, sent, models)
  if (signal.aborted) {
    await keepBeginning(run, request, answer.message)
    signal.throwIfAborted()
  }
  const after = await raiseAnswer(run, answer, signal)
  // Hooks that were cut off have not masked what they would have: such an answer is not kept.
  signal.throwIfAborted()
  const content = after.rewrite ? String(after.payload['response']) : answer.message.content
  return { message: { ...answer.message, content }, ...(after.halt ? { halt: after.halt.reason } : {}) }
}

/** The call of the model is one step: what it gives is plain, and what follows from it for the session follows here. */
async function hear(run: Asking, request: ModelRequest, models: readonly Model[]): Promise<Heard> {
  const { session, signal } = run
  let cutOff: Heard | undefined
  const heard = await step(session, 'model', request.purpose ?? 'model', async () => {
    try {
      const all = await listen(run, request, models)
      cutOff = signal.aborted ? all : undefined
      signal.throwIfAborted()
      return all
    } catch (error) {
      if (error instanceof ModelError) return { failed: { ...error, message: error.message } }
      throw error
    }
  }).catch((error: unknown) => {
    if (cutOff) return cutOff
    throw error
  })
  if ('failed' in heard) {
    const { kind, message, retryAfterMs, timedOut } = heard.failed
    throw new ModelError(kind, message, retryAfterMs, timedOut)
  }
  run.model = heard.model
  if (heard.firstUntil !== undefined)
    session.shared.resting.set(session.spec.name, { first: heard.model, until: heard.firstUntil })
  if (!signal.aborted) count(run, heard.usage, heard.cost)
  return heard
}

function raiseAnswer(run: Asking, { message, usage, cost }: Omit<Heard, 'model'>, signal: AbortSignal) {
  const { session } = run
  const answered = { response: message.content, last_user_message: session.lastUserMessage, model_id: run.model }
  const bill = { ...(usage ? { usage: { ...usage } } : {}), ...(cost === undefined ? {} : { cost }) }
  return raise(session, 'after_llm_call', { ...answered, ...bill }, { signal })
}

/** How long hooks may look at an answer that the user has cut off. */
const lookMs = 5_000

/**
 * What the model said before the user stopped it is kept, once the hooks have seen it that see every answer. If they
 * take too long or fail, it is not.
 */
async function keepBeginning(run: Asking, { purpose }: ModelRequest, message: AssistantMessage): Promise<void> {
  const { session } = run
  const { run: current } = session
  // Summaries are no part of the conversation.
  if (message.content === '' || purpose !== undefined || !current) return
  const signal = AbortSignal.timeout(lookMs)
  const after = await raiseAnswer(run, { message }, signal)
  const answered = after.rewrite ? String(after.payload['response']) : message.content
  const reply = await raiseReply(current, answered, signal)
  if (signal.aborted) return
  const content = reply.rewrite ? String(reply.payload['response']) : answered
  add(session, { role: 'assistant', content, agent: session.spec.name })
}

/** docker-agent's default. */
const usualCooldownMs = 60_000

/** The models to try, in order. One that took over after a rate limit comes first for a while. */
async function modelsFor({ shared, spec }: Session, { messages }: ModelRequest): Promise<readonly Model[]> {
  const models = (await shared.modelsOf(spec)).map((model) => model.route?.(messages) ?? model)
  const resting = shared.resting.get(spec.name)
  if (!resting || resting.until <= Date.now()) return models
  const at = Math.max(
    0,
    models.findIndex(({ id }) => id === resting.first),
  )
  return [...models.slice(at), ...models.slice(0, at)]
}

async function listen(run: Asking, request: ModelRequest, models: readonly Model[]): Promise<Heard> {
  const { session, signal } = run
  let { model } = run
  let content = ''
  let reasoning = ''
  const calls: ToolCall[] = []
  let usage: Usage | undefined
  let cost: number | undefined
  /** The answer restarts: drops what came so far, and warns those who have seen it. */
  const forget = ({ error, restarts }: Setback, then: string) => {
    if (restarts) {
      content = ''
      reasoning = ''
      calls.length = 0
    }
    const again = restarts ? ' Its answer so far is dropped.' : ''
    show(session, { type: 'notice', level: 'warning', text: `${error.message}${again} ${then}` })
  }
  const { retries, cooldownMs = usualCooldownMs } = session.spec
  let limited = false
  const parts = callModel(models, request, {
    signal,
    ...(retries === undefined ? {} : { retries }),
    async onFallback({ primary, fallback, ...setback }) {
      model = fallback
      limited ||= setback.error.kind === 'rate-limit'
      forget(setback, `Trying ${fallback} instead of ${primary}.`)
      await raise(
        session,
        'model_fallback',
        { primary, fallback, error: setback.error.message },
        { signal, inStep: true },
      )
    },
    onRetry({ model, delayMs, ...setback }) {
      forget(setback, `Trying ${model} again in ${(delayMs / 1000).toFixed(1)} s.`)
    },
  })
  for await (const part of parts) {
    if (part.type === 'text') content += part.text
    if (part.type === 'reasoning') reasoning += part.text
    // Summaries are not part of the conversation, so they are not shown.
    if (request.purpose === undefined && (part.type === 'text' || part.type === 'reasoning')) show(session, part)
    if (part.type === 'tool_call') {
      const { type: _type, ...call } = part
      calls.push(call)
    }
    if (part.type === 'finish') ({ usage, cost } = part)
  }
  const message: AssistantMessage = {
    role: 'assistant',
    content,
    agent: session.spec.name,
    ...(reasoning === '' ? {} : { reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  return {
    message,
    model,
    ...(usage ? { usage } : {}),
    ...(cost === undefined ? {} : { cost }),
    ...(limited ? { firstUntil: Date.now() + cooldownMs } : {}),
  }
}

export const systemMessages = (texts: readonly string[]): Message[] =>
  texts.map((content) => ({ role: 'system', content }))

/** Counts for the session, and for those on whose behalf it works: what a team spends is what its members spend. */
function count({ session, model }: Asking, usage: Usage | undefined, cost: number | undefined): void {
  const bill = { model, ...(usage ? { usage } : {}), ...(cost === undefined ? {} : { cost }) }
  const { budgets } = session.shared
  const { name: agent } = session.spec
  const of = session.parent ? { session: session.id } : {}
  budgets.charge(agent, bill)
  const key = keyAt(session.place, 'usage')
  for (let payer: Session | undefined = session; payer; payer = payer.parent) {
    addTo(payer.totals, bill)
    payer.totals.calls += 1
    if (payer.run) addTo(payer.run.spent, bill)
    if (payer === session) keepAs(payer, { type: 'usage', ...bill, agent }, key)
    else keepAs(payer, { type: 'usage', ...bill, agent, ...of }, `${session.id}/${key}`)
  }
  session.lastInputTokens = requestTokens(usage ?? {})
  session.lastOutputTokens = usage?.output_tokens ?? 0
  show(session, { type: 'usage', ...bill })
  if (cost === undefined && budgets.countsCost(agent)) warnUnpriced(session, model)
  if (budgets.uses.length > 0) show(session, { type: 'budget_usage', budgets: budgets.uses })
}

const unpriced = new WeakMap<object, Set<string>>()

/** Once for each model: a budget that reads low because nobody knows the price must not look like one that holds. */
function warnUnpriced(session: Session, model: string): void {
  const known = unpriced.get(session.shared) ?? new Set()
  unpriced.set(session.shared, known)
  if (known.has(model)) return
  known.add(model)
  const text = `Nobody knows what ${model} costs, so \`max_cost\` does not count it. Name its price: \`cost\` of the model.`
  show(session, { type: 'notice', level: 'warning', text })
}

function addTo(
  spent: { usage: Usage; cost: number | undefined },
  { usage = {}, cost }: Pick<Heard, 'usage' | 'cost'>,
): void {
  for (const [key, tokens] of Object.entries(usage) as [keyof Usage, number][])
    spent.usage[key] = (spent.usage[key] ?? 0) + tokens
  if (cost !== undefined) spent.cost = (spent.cost ?? 0) + cost
}

/** Messages that a hook rewrote, read strictly: what cannot be understood must not be sent in another form than meant. */
export function readMessages(value: unknown): Message[] {
  if (!Array.isArray(value))
    throw new Error('A hook rewrote the messages to the model into something that is not a list.')
  return value.map((item, index) => {
    const message = isRecord(item) ? readOne(item) : undefined
    if (message) return message
    throw new Error(
      `A hook rewrote the messages to the model, and message ${index + 1} cannot be read: it needs a \`role\` (system, user, assistant or tool) and a text \`content\`.`,
    )
  })
}

function readOne(item: Record<string, unknown>): Message | undefined {
  const { role, content, tool_call_id: id, tool_name: name, tool_calls: calls } = item
  if (typeof content !== 'string') return undefined
  if (role === 'system') return { role, content }
  const attachments = readAttachments(item['attachments'])
  if (role === 'user') return { role, content, ...attachments }
  if (role === 'tool' && typeof id === 'string')
    return {
      role,
      content,
      tool_call_id: id,
      tool_name: typeof name === 'string' ? name : '',
      ...(item['error'] === true ? { error: true } : {}),
      ...attachments,
    }
  if (role !== 'assistant') return undefined
  if (calls !== undefined && !(Array.isArray(calls) && calls.every(isToolCall))) return undefined
  return { role, content, ...(calls === undefined ? {} : { tool_calls: calls as ToolCall[] }) }
}

/** Pictures and files stay with a message, unless the hook took them out of it. */
function readAttachments(value: unknown): { attachments?: Attachment[] } {
  const read = Array.isArray(value) ? value.filter(isAttachment) : []
  return read.length > 0 ? { attachments: read } : {}
}

const isAttachment = (value: unknown): value is Attachment =>
  isRecord(value) && ['name', 'media_type', 'data'].every((key) => typeof value[key] === 'string')
