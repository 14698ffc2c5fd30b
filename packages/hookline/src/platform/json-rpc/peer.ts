import { randomUUID } from 'node:crypto'
import { code, failure, type Id, isResponse, type Link, type Message, type Request } from './message.ts'

/** One side of the relay: requests go out, and their responses come back to who waits for them. */
export interface Peer {
  /** Sends a request as it is, and gives back the response. Rejects when the signal aborts or nothing can be sent. */
  request(message: Request, signal?: AbortSignal): Promise<Message>
  /** The same for a request of our own. */
  ask(method: string, params: Record<string, unknown>, signal?: AbortSignal): Promise<Message>
  /** Hands a response to who waits for it; false when nobody does. */
  deliver(message: Message): boolean
  /** Whoever waits gets an error: nothing more will come. */
  end(reason: string): void
}

export function makePeer(link: Link): Peer {
  const waiting = new Map<Id, (response: Message) => void>()

  const request: Peer['request'] = (message, signal) =>
    new Promise((resolve, reject) => {
      const forget = () => {
        waiting.delete(message.id)
        signal?.removeEventListener('abort', aborted)
      }
      const aborted = () => {
        forget()
        reject(signal?.reason)
      }
      if (signal?.aborted) return reject(signal.reason)
      // Whoever waits under this id would never hear of it again.
      if (waiting.has(message.id)) return reject(new Error('a request with this id is running'))
      signal?.addEventListener('abort', aborted)
      waiting.set(message.id, (response) => {
        forget()
        resolve(response)
      })
      link.send(message).catch((error) => {
        forget()
        reject(error)
      })
    })

  return {
    request,
    ask: (method, params, signal) =>
      request({ jsonrpc: '2.0', id: `hookline-${randomUUID()}`, method, params }, signal),
    deliver(message) {
      const taken = isResponse(message) ? waiting.get(message.id) : undefined
      taken?.(message)
      return taken !== undefined
    },
    end(reason) {
      for (const [id, taken] of [...waiting]) taken(failure(id, { code: code.failed, message: reason }))
    },
  }
}
