import type { Socket } from 'node:net'
import { isRecord } from '../core/index.ts'
import { encodeFrame, frameReader } from './frame.ts'
import type { Request, Response } from './protocol.ts'

/** One program at the other end of the socket. */
export interface Connection {
  send(frame: Buffer): void
  /** Sends it, and that was all. */
  end(frame: Buffer): void
  destroy(): void
  /** Aborts when the other end has gone away, or everything was said. */
  readonly signal: AbortSignal
}

export interface Takers {
  call(body: Buffer, connection: Connection): Promise<void>
  request(asked: Request, connection: Connection): Promise<unknown>
  left(connection: Connection): void
}

/** A reader that does not read gets no more than this before it is cut off: a subscriber must not fill our memory. */
const mostUnread = 8 * 1024 * 1024

/** Nobody takes longer for the beginning: whoever does keeps a place that others need. */
const beginMs = 10_000

/**
 * One connection is for one call, or for messages; what comes after a call is nobody's.
 * Whatever is no frame of ours, and whatever goes wrong with one, ends the connection: the other end makes the best of it.
 */
export function takeConnection(stream: Socket, takers: Takers): void {
  const read = frameReader()
  const gone = new AbortController()
  const begin = setTimeout(() => stream.destroy(), beginMs)
  let isOfCall: boolean | undefined
  const connection: Connection = {
    send(frame) {
      if (stream.writableLength > mostUnread) stream.destroy()
      else if (stream.writable) stream.write(frame)
    },
    end: (frame) => void stream.end(frame),
    destroy: () => void stream.destroy(),
    signal: gone.signal,
  }
  stream.on('error', () => {})
  stream.on('close', () => {
    clearTimeout(begin)
    // With a reason of its own: making the usual error costs more than all the rest here.
    gone.abort('gone')
    takers.left(connection)
  })
  stream.on('data', (chunk) => {
    try {
      for (const { kind, body } of read(chunk)) {
        clearTimeout(begin)
        if (isOfCall === true || (isOfCall === false && kind === 'call')) return void stream.destroy()
        isOfCall = kind === 'call'
        if (kind === 'call') takers.call(body, connection).catch(() => stream.destroy())
        else if (kind === 'message') void respond(JSON.parse(body.toString('utf8')))
      }
    } catch {
      stream.destroy()
    }
  })

  async function respond(asked: unknown): Promise<void> {
    if (!isRecord(asked) || typeof asked['number'] !== 'number') return void stream.destroy()
    const { number } = asked
    const response: Response = await takers.request(asked as unknown as Request, connection).then(
      (value) => ({ number, ok: true, value }),
      (error: Error) => ({ number, ok: false, detail: error.message }),
    )
    connection.send(encodeFrame('message', Buffer.from(JSON.stringify(response))))
  }
}
