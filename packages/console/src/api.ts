/** What the server refuses, with what to do about it. */
export interface Problem {
  title: string
  status: number
  code: string
  remedy: string
  problems?: {
    code: string
    message: string
    remedy: string
    where?: { file: string; line?: number; column?: number }
  }[]
}

export class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.title)
  }
}

/**
 * What makes this page a person's, once they have shown it. Who is signed in is in a cookie that no script can read; browsers
 * send that to every port of this machine, and this to nobody.
 */
const proofName = 'hookline-proof'
export const keepProof = (key: string): void => sessionStorage.setItem(proofName, key)
export const dropProof = (): void => sessionStorage.removeItem(proofName)

function headers(): Record<string, string> {
  const proof = sessionStorage.getItem(proofName)
  return proof === null ? {} : { 'x-hookline-proof': proof }
}

export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: { ...headers(), ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => undefined)
  if (!response) throw new Refused(unreachable)
  const text = await response.text()
  if (response.ok) return JSON.parse(text) as T
  throw new Refused(problemIn(text, response.status))
}

export const get = <T>(path: string): Promise<T> => call<T>('GET', path)

const unreachable: Problem = {
  ...{ title: 'The server does not answer.', status: 0, code: 'unreachable' },
  remedy: 'Is `hookline serve` still running? This page goes on by itself as soon as it is.',
}

function problemIn(text: string, status: number): Problem {
  try {
    return JSON.parse(text) as Problem
  } catch {
    return { ...unreachable, status, title: `The server answered with ${status}.` }
  }
}

export interface StreamMessage {
  id: string
  type: string
  data: unknown
}

/**
 * What happens, as it happens, until it is left. What was missed while there was no connection comes first. Not with
 * EventSource, which cannot say who has shown to be a person.
 */
export async function follow(
  path: string,
  onMessage: (message: StreamMessage) => void,
  onLive: (live: boolean) => void = () => {},
  signal?: AbortSignal,
): Promise<void> {
  let last: string | undefined
  while (!signal?.aborted) {
    try {
      const response = await fetch(path, {
        headers: { ...headers(), ...(last !== undefined && { 'last-event-id': last }) },
        ...(signal && { signal }),
      })
      if (response.status === 401) onMessage({ id: '', type: 'signed-out', data: null })
      if (response.ok && response.body) {
        onLive(true)
        for await (const message of messagesIn(response.body)) {
          last = message.id || last
          onMessage(message)
        }
      }
    } catch {
      // It is tried again.
    }
    onLive(false)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

async function* messagesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamMessage> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const blocks = (rest + value).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const field = (name: string) =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2)
      const data = field('data')
      if (data !== undefined) yield { id: field('id') ?? '', type: field('event') ?? '', data: JSON.parse(data) }
    }
  }
}
