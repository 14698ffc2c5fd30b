/** One message of a stream. `id` is where to resume from. */
export interface StreamMessage {
  id: string
  type: string
  data: unknown
}

export interface Following {
  /** Ends it. */
  signal?: AbortSignal | undefined
  /** Only what comes after this message; absent: from now on, or where the query says. */
  lastEventId?: string | undefined
}

interface Source extends Following {
  address: string
  headers: Readonly<Record<string, string>>
  send: typeof fetch
  refusalOf(response: Response): Promise<Error>
}

const pauseMs = 1_000

/**
 * What happens, as it happens, until it is left. A connection that breaks is opened again from the last message: without gap or
 * repetition. What the server refuses ends it.
 */
export async function* follow({
  address,
  headers,
  send,
  refusalOf,
  signal,
  lastEventId,
}: Source): AsyncGenerator<StreamMessage> {
  let last = lastEventId
  while (!signal?.aborted) {
    const leaving = new AbortController()
    const leave = () => leaving.abort()
    signal?.addEventListener('abort', leave, { once: true })
    try {
      const response = await send(address, {
        headers: { ...headers, ...(last !== undefined && { 'last-event-id': last }) },
        signal: leaving.signal,
      }).catch(() => undefined)
      if (response && !response.ok && response.status < 500) throw await refusalOf(response)
      if (response?.ok && response.body)
        for await (const message of messagesIn(response.body)) {
          last = message.id || last
          yield message
        }
    } finally {
      signal?.removeEventListener('abort', leave)
      leaving.abort()
    }
    if (!signal?.aborted) await pause(signal)
  }
}

/** A stream that breaks ends; whoever reads it opens another. */
async function* messagesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamMessage> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }))
    if (done) return
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = fieldIn(block, 'data')
      if (data !== undefined)
        yield { id: fieldIn(block, 'id') ?? '', type: fieldIn(block, 'event') ?? '', data: JSON.parse(data) }
    }
  }
}

const fieldIn = (block: string, name: string): string | undefined =>
  block
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2)

const pause = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, pauseMs)
    function done() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    signal?.addEventListener('abort', done, { once: true })
  })
