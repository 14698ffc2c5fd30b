import { connect, type Socket } from 'node:net'
import { isRecord } from '../core/index.ts'
import type { AnswerResult, GivenAnswer } from './broker.ts'
import { encodeFrame, frameReader } from './frame.ts'
import { withRaisedHand } from './hand.ts'
import { socketPath } from './places.ts'
import type { Notice, Request, RequestName, Requests, Response } from './protocol.ts'

/** A Node program's end of the socket. */
export interface DaemonConnection {
  /** Rejects when the daemon refuses, goes away, or does not answer in time. */
  request<N extends RequestName>(name: N, asks: Requests[N]['asks']): Promise<Requests[N]['gets']>
  /** The same for an answer to a question. That a person gives it is proved before; the daemon refuses it from under agents. */
  answer(question: string, given: GivenAnswer): Promise<AnswerResult>
  /** Not for agents and what they run: the daemon refuses those. */
  stop(): Promise<Requests['stop']['gets']>
  reload(): Promise<Requests['reload']['gets']>
  /** Resolves when the connection has ended, whoever ended it. */
  readonly ended: Promise<void>
  close(): void
}

export interface ConnectOptions {
  socket?: string
  onNotice?(notice: Notice): void
  /** How long a request may take. */
  patienceMs?: number
}

/** Undefined: no daemon runs. It is started by the first call of a host, never by this. */
export async function connectDaemon(options: ConnectOptions = {}): Promise<DaemonConnection | undefined> {
  const { socket: path = socketPath(), onNotice = () => {}, patienceMs = 5_000 } = options
  const socket = await opened(path)
  if (!socket) return undefined
  const waiting = new Map<number, (response: Response) => void>()
  const read = frameReader()
  let requests = 0
  const ended = new Promise<void>((resolve) => {
    socket.once('close', () => {
      for (const [number, settle] of waiting) settle({ number, ok: false, detail: 'The daemon has gone away.' })
      resolve()
    })
  })
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    try {
      for (const { kind, body } of read(chunk)) if (kind === 'message') take(JSON.parse(body.toString('utf8')))
    } catch {
      socket.destroy()
    }
  })

  function take(message: unknown): void {
    if (!isRecord(message)) return
    if (typeof message['number'] === 'number') waiting.get(message['number'])?.(message as unknown as Response)
    else onNotice(message as unknown as Notice)
  }

  const request: DaemonConnection['request'] = (name, asks) =>
    new Promise((resolve, reject) => {
      const number = ++requests
      const timer = setTimeout(
        () => settle({ number, ok: false, detail: 'The daemon does not answer.' }),
        patienceMs,
      ).unref()
      const settle = (response: Response) => {
        clearTimeout(timer)
        waiting.delete(number)
        if (response.ok) resolve(response.value as never)
        else reject(new Error(response.detail))
      }
      waiting.set(number, settle)
      const message = { ...asks, number, do: name } as Request
      socket.write(encodeFrame('message', Buffer.from(JSON.stringify(message))))
    })

  const { pid } = process
  const shown = <N extends 'stop' | 'reload'>(name: N): Promise<Requests[N]['gets']> =>
    withRaisedHand({ socket: path, about: `${name}\n${pid}` }, () => request(name, { pid } as Requests[N]['asks']))

  return {
    request,
    answer: (question, given) =>
      withRaisedHand({ socket: path, about: `${question}\n${given.answer}` }, () =>
        request('answer', { question, given, pid: process.pid }),
      ),
    stop: () => shown('stop'),
    reload: () => shown('reload'),
    ended,
    close: () => void socket.destroy(),
  }
}

function opened(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => resolve(undefined))
  })
}
