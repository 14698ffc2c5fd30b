import {
  type Connections,
  describeThrown,
  findProvider,
  guardedFetch,
  HookFailure,
  type Question,
} from 'hookline/internal'
import type { JSONSchema7 } from 'json-schema'
import { openModel } from './open.ts'

/** The text of the answer. Retries what is worth retrying (429, 5xx, a lost connection) while the deadline lasts. */
export async function askModel(question: Question, connections: Connections): Promise<string> {
  const {
    provider,
    model,
    instructions,
    prompt,
    decides,
    outputLimit,
    signal,
    baseURL,
    apiKey,
    allowLocal,
    ...settings
  } = question
  const { generateText, Output, jsonSchema, NoObjectGeneratedError } = await import('ai')
  const endpoint = {
    fetch: guardedFetch({ connections, allowLocal, limit: bodyRoom(outputLimit) }),
    ...optional({ baseURL, apiKey }),
  }
  const structured = decides && baseURL === undefined && findProvider(provider)?.structured === true
  try {
    const answer = await generateText({
      model: await openModel(provider, model, endpoint),
      instructions,
      prompt,
      ...settings,
      ...(structured ? { output: Output.object({ schema: jsonSchema(decisionSchema) }) } : {}),
      maxRetries: 2,
      abortSignal: signal,
    })
    return checkedText(answer.text, answer.finishReason, outputLimit)
  } catch (error) {
    if (signal.aborted) throw new HookFailure('aborted', 'the deadline came before the model had answered')
    // The shape was not kept; the text may still hold what the tolerant reader finds.
    if (NoObjectGeneratedError.isInstance(error) && error.text)
      return checkedText(error.text, error.finishReason, outputLimit)
    throw asFailure(error, question)
  }
}

const decisionSchema: JSONSchema7 = {
  type: 'object',
  properties: { decision: { type: 'string', enum: ['allow', 'ask', 'deny'] }, reason: { type: 'string' } },
  required: ['decision', 'reason'],
  additionalProperties: false,
}

function checkedText(text: string, finish: string | undefined, limit: number): string {
  if (finish === 'content-filter') throw new HookFailure('invalid-output', 'the model refused to answer')
  if (text.trim() === '') throw new HookFailure('invalid-output', 'the model gave an empty answer')
  if (Buffer.byteLength(text) > limit) throw tooLong(limit)
  return text
}

const tooLong = (limit: number) => new HookFailure('output-limit', `the model answered more than ${limit} bytes`)

/** JSON around a text of the limit's size, with room for escapes and for what providers add. */
const bodyRoom = (limit: number) => limit * 6 + 64 * 1024

function asFailure(error: unknown, { provider, model, apiKey }: Question): HookFailure {
  const chain = causes(error)
  const named = chain.find((cause) => cause instanceof HookFailure)
  if (named) return named
  const refused = chain.find((cause) => typeof (cause as { statusCode?: unknown }).statusCode === 'number')
  const status = (refused as { statusCode?: number } | undefined)?.statusCode
  if (status !== undefined)
    return new HookFailure('http', hide(`${provider}/${model} answered ${status}: ${describeThrown(refused)}`, apiKey))
  return new HookFailure('http', hide(`${provider}/${model} could not be called: ${describeThrown(error)}`, apiKey))
}

/** An error, the last attempt behind it, and what each was caused by. */
function causes(error: unknown): object[] {
  const found: object[] = []
  let next = error
  while (typeof next === 'object' && next !== null && found.length < 8) {
    found.push(next)
    const { lastError, cause } = next as { lastError?: unknown; cause?: unknown }
    next = lastError ?? cause
  }
  return found
}

const hide = (text: string, secret: string | undefined) => (secret ? text.replaceAll(secret, '***') : text)

function optional<T extends Record<string, unknown>>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
