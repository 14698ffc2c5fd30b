import { type Api, operations } from './api.ts'
import { type Following, follow, type StreamMessage } from './follow.ts'

/** A route by its name in the OpenAPI document. */
export type OperationName = keyof Api

/** What a route takes and gives: from the same table that the server answers by. */
export type Input<N extends OperationName> = Omit<Api[N], 'answer'>
export type Answer<N extends OperationName> = Api[N]['answer']

export interface ClientOptions {
  /** Where the server is: what `hookline serve` prints. */
  url: string
  /** What `hookline serve` prints beside it, or one that an administrator has made. */
  token: string
  /** Absent: the one of the platform. */
  fetch?: typeof fetch
}

export interface CallOptions {
  signal?: AbortSignal
  /** Of a change that may be sent twice: it is done once. */
  idempotencyKey?: string
}

type Empty = Record<never, never>
/** Whoever has nothing to say leaves it out. */
type Arguments<I, O> = Empty extends I ? [input?: I, options?: O] : [input: I, options?: O]

type StreamName = { [N in OperationName]: Answer<N> extends AsyncIterable<StreamMessage> ? N : never }[OperationName]

/** One method for each route. What is refused is thrown as a `Refused`; a stream is an iterator that resumes by itself. */
export type Client = {
  [N in OperationName]: N extends StreamName
    ? (...given: Arguments<Input<N>, Following>) => Answer<N>
    : (...given: Arguments<Input<N>, CallOptions>) => Promise<Answer<N>>
}

/** What the server refused, with what to do about it (docs/errors.md lists the codes). */
export class Refused extends Error {
  override name = 'Refused'
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly remedy: string,
    /** Where it is, and whatever else is wrong. */
    readonly problems: readonly Record<string, unknown>[] = [],
  ) {
    super(message)
  }
}

interface Given {
  params?: Record<string, string | number>
  query?: Record<string, string | number | boolean | undefined>
  body?: unknown
}

export function createClient({ url, token, fetch: send = fetch }: ClientOptions): Client {
  const headers = { authorization: `Bearer ${token}` }
  const addressOf = (path: string, { params = {}, query = {} }: Given): string => {
    const at = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')))
    const wanted = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    )
    return new URL(at + (wanted.length === 0 ? '' : `?${new URLSearchParams(wanted)}`), url).href
  }

  async function call(name: OperationName, given: Given, { signal, idempotencyKey }: CallOptions): Promise<unknown> {
    const { method, path, type } = operations[name]
    const response = await send(addressOf(path, given), {
      method,
      headers: {
        ...headers,
        ...(given.body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
      ...(signal && { signal }),
    })
    if (!response.ok) throw await refusalOf(response)
    return type === 'json' ? response.json() : response.text()
  }

  const methods = Object.keys(operations).map((each) => {
    const name = each as OperationName
    const { path, type } = operations[name]
    const method =
      type === 'stream'
        ? (given: Given = {}, { signal, lastEventId }: Following = {}) =>
            follow({ address: addressOf(path, given), headers, send, refusalOf, signal, lastEventId })
        : (given: Given = {}, options: CallOptions = {}) => call(name, given, options)
    return [name, method]
  })
  return Object.fromEntries(methods) as Client
}

async function refusalOf(response: Response): Promise<Refused> {
  const text = await response.text()
  try {
    const { title, code, remedy, problems } = JSON.parse(text) as Record<string, string> & { problems?: [] }
    return new Refused(
      response.status,
      code ?? '',
      title ?? `The server answered with ${response.status}.`,
      remedy ?? '',
      problems,
    )
  } catch {
    return new Refused(
      response.status,
      '',
      `The server answered with ${response.status}.`,
      'Is this a Hookline server?',
    )
  }
}
