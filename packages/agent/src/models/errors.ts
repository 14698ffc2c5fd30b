import { note } from 'hookline/internal'
import { ModelError, type ModelErrorKind } from '../core/index.ts'

/** Which model an error is about, and what must not appear in it. */
export interface FailedCall {
  id: string
  keyVariable: string | undefined
  secrets: readonly string[]
}

/** An error of a provider's package, as one of the kinds the loop knows, without secrets. */
export function modelError(thrown: unknown, call: FailedCall): ModelError {
  if (thrown instanceof ModelError) return thrown
  const failure = read(thrown)
  const kind = kindOf(failure)
  const words = isFormless.test(failure.message) ? formless : hide(clip(failure.message), call.secrets)
  return new ModelError(
    kind,
    sentence(kind, words, call),
    kind === 'rate-limit' || kind === 'unavailable' ? retryAfter(failure) : undefined,
  )
}

/** What a check of the answer says is of use to nobody who cannot change the server. */
const isFormless = /type validation failed|json parsing failed/i
const formless = 'its answer does not have the form that its API promises.'

function sentence(kind: ModelErrorKind, words: string, { id, keyVariable = 'the key' }: FailedCall): string {
  if (kind !== 'auth') return `${id}: ${words}`
  const { message, remedy } = note('model-key-refused', { model: id, detail: words, variable: keyVariable })
  return `${message} ${remedy}`
}

interface Failure {
  message: string
  /** Everything the provider sent about it, in lower case, to search in. */
  details: string
  status: number | undefined
  headers: Readonly<Record<string, string>>
}

/** The packages' errors, by their fields: an answer with a status, an event in a stream, or a lost connection. */
function read(thrown: unknown): Failure {
  const chain = causes(thrown)
  const answered = chain.find((each) => typeof each['statusCode'] === 'number' || typeof each['type'] === 'string')
  const { message, statusCode, responseBody, responseHeaders, type, code, data } = answered ?? chain[0] ?? {}
  const words = answered
    ? String(message)
    : chain
        .map((each) => each['message'])
        .filter(Boolean)
        .join(': ')
  const codes = chain.map((each) => each['code']).filter((each) => typeof each === 'string')
  return {
    message: words || String(thrown),
    details: [words, responseBody, type, code, data === undefined ? '' : JSON.stringify(data), ...codes]
      .join(' ')
      .toLowerCase(),
    status: typeof statusCode === 'number' ? statusCode : undefined,
    headers: (responseHeaders ?? {}) as Record<string, string>,
  }
}

function causes(thrown: unknown): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = []
  for (let next = thrown; typeof next === 'object' && next !== null && found.length < 8; ) {
    const { cause, lastError } = next as { cause?: unknown; lastError?: unknown }
    found.push(next as Record<string, unknown>)
    next = lastError ?? cause
  }
  return found
}

/**
 * How providers say that a request is too long: OpenAI, Anthropic, Google, Mistral, xAI, Groq and Cerebras, OpenRouter
 * and vLLM, llama.cpp, LM Studio, Bedrock, Together. From their documents and error messages, 2026.
 */
const overflows = [
  'context_length_exceeded',
  'maximum context length',
  'exceeds the context window',
  'exceed context limit',
  'prompt is too long',
  'request_too_large',
  'input token count',
  'too large for model with',
  'maximum prompt length',
  'reduce the length of the messages',
  'exceeds the available context size',
  'greater than the context length',
  'input is too long',
  'tokens + `max_new_tokens` must be',
]

/** Errors in the middle of a stream have no status; these words identify their kind. */
const streamed: readonly [string, ModelErrorKind][] = [
  ['rate_limit', 'rate-limit'],
  ['resource_exhausted', 'rate-limit'],
  ['overloaded', 'unavailable'],
  ['authentication_error', 'auth'],
  ['permission_error', 'auth'],
  ['invalid_request', 'invalid'],
  ['content_filter', 'refused'],
]

function kindOf({ status, details }: Failure): ModelErrorKind {
  if (status === 413 || (status !== 429 && overflows.some((words) => details.includes(words)))) return 'overflow'
  // An empty account is no rate limit: waiting does not fill it.
  if (status === 401 || status === 402 || status === 403 || details.includes('insufficient_quota')) return 'auth'
  if (status === 400 && (details.includes('api key not valid') || details.includes('api_key_invalid'))) return 'auth'
  if (status === 429) return 'rate-limit'
  if (status === undefined) return streamed.find(([words]) => details.includes(words))?.[1] ?? 'unavailable'
  // Below 400: the answer began well, and could not be read to its end.
  return status < 400 || status >= 500 || status === 408 || status === 409 || status === 425 ? 'unavailable' : 'invalid'
}

/** In milliseconds; in a header, or with Google in the body. */
function retryAfter({ headers, details }: Failure): number | undefined {
  const inMs = Number(headers['retry-after-ms'])
  if (inMs > 0) return inMs
  const header = headers['retry-after'] ?? /"retrydelay":\s*"([\d.]+)s"/.exec(details)?.[1]
  if (header === undefined) return undefined
  const ms = Number.isFinite(Number(header)) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return ms > 0 ? Math.ceil(ms) : undefined
}

const clip = (text: string) => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 500 ? `${line.slice(0, 499)}…` : line
}

export const hide = (text: string, secrets: readonly string[]) =>
  secrets.reduce((hidden, secret) => (secret.length < 4 ? hidden : hidden.replaceAll(secret, '***')), text)
