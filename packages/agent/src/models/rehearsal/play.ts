import { setTimeout as wait } from 'node:timers/promises'
import { type Model, ModelError, type ModelPart, type ModelRequest, type Usage } from '../../core/index.ts'
import { costOf } from '../prices.ts'
import { type CompiledTurn, checkRehearsal, fill, type Rehearsal } from './read.ts'
import { estimateTokens, type RequestView, tokensOf, viewOf } from './request.ts'
import type { Part, Script, ScriptedCall } from './script.ts'

export { rehearsalLanguageModel } from './language-model.ts'
export { type Rehearsal, readRehearsal } from './read.ts'
export { defaultScript, type Script, scriptSchema } from './script.ts'

/**
 * A model that plays a script. It has no clock and no chance of its own: the same script and the same requests give
 * the same parts. Turns are used up per session; a model of its own has them all again.
 */
export function playRehearsal(rehearsal: Rehearsal): Model {
  const { script } = rehearsal
  const id = `rehearsal/${script.name ?? 'script'}`
  const contextLimit = script.context_limit ?? 200_000
  const sessions = new Map<string, Session>()
  return {
    id,
    contextLimit,
    async *stream(request, signal) {
      const view = viewOf(request)
      const tokens = estimateTokens(request)
      if (contextLimit > 0 && tokens > contextLimit)
        throw new ModelError('overflow', `The request has ${tokens} tokens, and ${contextLimit} fit.`)
      const session = sessionOf(sessions, request.session ?? '')
      const { answer, groups } = choose(rehearsal, view, session)
      const values = { user: view.user, agent: view.agent, ...resultsIn(view), ...groups }
      const speed = { latency_ms: script.latency_ms, pace_ms: script.pace_ms }
      yield* answerParts(fill(answer, values), { id, script, speed, session, request, tokens, signal })
    },
  }
}

type Answer = NonNullable<Part['default']>

interface Session {
  played: Map<CompiledTurn, number>
  calls: number
}

/** More than this at once, and the one that began first begins again. */
const mostSessions = 10_000

function sessionOf(sessions: Map<string, Session>, id: string): Session {
  const known = sessions.get(id)
  if (known) return known
  const session: Session = { played: new Map(), calls: 0 }
  sessions.set(id, session)
  if (sessions.size > mostSessions) sessions.delete(sessions.keys().next().value!)
  return session
}

/** The first turn that is not used up and whose conditions hold; else the default. */
function choose(
  rehearsal: Rehearsal,
  view: RequestView,
  { played }: Session,
): { answer: Answer; groups: Record<string, string> } {
  const part = rehearsal.partOf(view.agent)
  for (const turn of part.turns) {
    const times = played.get(turn) ?? 0
    const groups = times < turn.limit ? turn.holds(view) : undefined
    if (!groups) continue
    played.set(turn, times + 1)
    const { when: _, repeat: __, ...answer } = turn.turn
    return { answer, groups }
  }
  if (view.purpose !== undefined) return { answer: { say: `In short: the user asked for "{{ user }}".` }, groups: {} }
  return { answer: part.default ?? noMoreTurns, groups: {} }
}

const noMoreTurns: Answer = { say: 'The script of this rehearsal has no turn for this. Add one, or a `default`.' }

const resultsIn = ({ results }: RequestView) => ({
  result: results.map(({ content }) => content).join('\n'),
  tool: results.at(-1)?.tool_name ?? '',
})

interface Stage {
  id: string
  script: Script
  speed: { latency_ms: number | undefined; pace_ms: number | undefined }
  session: Session
  request: ModelRequest
  tokens: number
  signal: AbortSignal
}

async function* answerParts(answer: Answer, stage: Stage): AsyncGenerator<ModelPart> {
  const { signal, speed } = stage
  await pause(answer.latency_ms ?? speed.latency_ms, signal)
  const pace = answer.pace_ms ?? speed.pace_ms
  for (const type of ['reasoning', 'text'] as const)
    for (const text of pieces((type === 'text' ? answer.say : answer.think) ?? '')) {
      if (signal.aborted) return
      yield { type, text }
      await pause(pace, signal)
    }
  if (signal.aborted) return
  if (answer.fail !== undefined) throw failureOf(answer.fail, stage.id)
  for (const call of callsIn(answer)) {
    yield { type: 'tool_call', id: nextId(stage), name: call.tool, ...inputOf(call) }
    if (signal.aborted) return
  }
  yield { type: 'finish', ...billOf(answer, stage) }
}

const callsIn = ({ call }: Answer): ScriptedCall[] => (call === undefined ? [] : Array.isArray(call) ? call : [call])

const inputOf = ({ input = {}, invalid }: ScriptedCall) =>
  invalid === undefined ? { input } : { input: {}, invalid: `These are no arguments: ${invalid}` }

/** Never one that the transcript has already, also in a session that was resumed. */
function nextId({ session, request }: Stage): string {
  const known = request.messages.reduce(
    (sum, message) => sum + (message.role === 'assistant' ? (message.tool_calls?.length ?? 0) : 0),
    0,
  )
  session.calls = Math.max(session.calls, known) + 1
  return `call_${session.calls}`
}

/** Text as it streams: pieces of a line's half that end at a space, which together are the text. */
const pieces = (text: string): string[] => text.match(/.{1,40}(?:\s|$)|.{1,40}/gsu) ?? []

function failureOf(fail: NonNullable<Answer['fail']>, id: string): ModelError {
  const { kind, message, retry_after_ms } =
    typeof fail === 'string' ? { kind: fail, message: undefined, retry_after_ms: undefined } : fail
  return new ModelError(kind, message ?? `The script makes ${id} fail (${kind}).`, retry_after_ms)
}

function billOf(answer: Answer, { script, tokens }: Stage): { usage?: Usage; cost?: number } {
  const usage = answer.usage === false ? undefined : answer.usage ? defined(answer.usage) : estimateOf(answer, tokens)
  const { price } = script
  const rates = price && { input: price.input, output: price.output, ...cacheRates(price) }
  const cost = answer.cost ?? (usage && (rates ? costOf(usage, rates) : 0))
  return { ...(usage ? { usage } : {}), ...(cost === undefined ? {} : { cost }) }
}

function estimateOf(answer: Answer, input_tokens: number): Usage {
  const calls = callsIn(answer).reduce((sum, call) => sum + JSON.stringify(call).length, 0)
  const reasoning = tokensOf(answer.think?.length ?? 0)
  return {
    input_tokens,
    output_tokens: tokensOf((answer.say?.length ?? 0) + calls) + reasoning,
    ...(reasoning > 0 ? { reasoning_tokens: reasoning } : {}),
  }
}

const cacheRates = ({ cache_read, cache_write }: NonNullable<Script['price']>) => ({
  ...(cache_read === undefined ? {} : { cacheRead: cache_read }),
  ...(cache_write === undefined ? {} : { cacheWrite: cache_write }),
})

const defined = (usage: object): Usage =>
  Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined))

/** No timer when there is nothing to wait for: a thousand sessions rehearse at once. */
async function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  if (ms) await wait(ms, undefined, { signal }).catch(() => {})
}

/** A model that plays this script. Throws when something is wrong with it, and lists all that is. */
export function rehearse(script: Omit<Script, 'rehearsal'>): Model {
  return playRehearsal(checkRehearsal({ rehearsal: 1, ...script }))
}
