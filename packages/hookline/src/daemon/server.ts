import { renameSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { isRecord } from '../core/index.ts'
import { withFileLock } from '../platform/index.ts'
import { answerWords, type QuestionBroker } from './broker.ts'
import { type CallAnswer, decodeCall, encodeAnswer, type HostCall } from './call.ts'
import { connectDaemon } from './connect.ts'
import { type Connection, takeConnection } from './connection.ts'
import { encodeFrame, protocolVersion } from './frame.ts'
import { raisesHand } from './hand.ts'
import { makeSocketDirectory } from './places.ts'
import type { DaemonStatus, Notice, Request, RequestName, Requests } from './protocol.ts'

export interface DaemonOptions {
  socket: string
  /** Which build this is: a caller of another one is declined, and starts its own. */
  engine: string
  version: string
  /** Answers one call; or declines it, and the caller answers it by itself. `signal`: the caller has gone away. */
  answer(call: HostCall, signal: AbortSignal): Promise<CallAnswer | Declined>
  projects(): DaemonStatus['projects']
  /** Everything is read anew; gives back how many projects that concerns. */
  forget(): number
  /** Ends what answers. Called once, when no call runs any more. */
  close(): Promise<void>
  questions: QuestionBroker
  /** Why this process does not answer questions: it runs under an agent, or nobody can sit at it. Undefined: it may. */
  mayNotAnswer(pid: number): string | undefined
  /** Why this process does not end the daemon: it runs under an agent. Undefined: it may. */
  mayNotStop(pid: number): string | undefined
  idleMs: number
  log(line: string): void
}

export interface Declined {
  decline: string
}

export interface Daemon {
  /** Resolves when it has ended. */
  readonly ended: Promise<void>
  stop(why: string): void
}

/** More at once is answered by processes of their own. */
const mostCalls = 256
const heartbeatMs = 1_000
/** A daemon that has been told to end waits so long for its calls: longer than any host does. */
const longestEndMs = 65_000

/**
 * Listens where the clients of this user look. Undefined: another daemon of this build does so already. One of another
 * build, and one that does not answer, is replaced in one step: whoever connects gets the old one or the new one.
 */
export async function openDaemon(options: DaemonOptions): Promise<Daemon | undefined> {
  const { socket, engine, log } = options
  const directory = makeSocketDirectory(socket)
  const server = createServer({ pauseOnConnect: false })
  const own = join(directory, `${process.pid}.sock`)
  return withFileLock(`${socket}.lock`, async () => {
    const before = await statusAt(socket)
    if (before?.engine === engine) return undefined
    await listening(server, own)
    const identity = inodeOf(own)
    renameSync(own, socket)
    if (before) retire(before.pid, log)
    return serve(server, identity, options)
  })
}

/** Its socket has no name any more: a signal tells it to end its calls and go. */
function retire(pid: number, log: (line: string) => void): void {
  try {
    process.kill(pid, 'SIGTERM')
    log(`replaces process ${pid}`)
  } catch {
    // It has ended by itself.
  }
}

async function statusAt(socket: string): Promise<DaemonStatus | undefined> {
  const connection = await connectDaemon({ socket, patienceMs: 1_000 })
  try {
    return await connection?.request('status', {})
  } catch {
    return undefined
  } finally {
    connection?.close()
  }
}

function listening(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ path, backlog: 1024 }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function inodeOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && `${stats.dev}:${stats.ino}`
}

function serve(server: Server, identity: string | undefined, options: DaemonOptions): Daemon {
  const { socket, engine, version, questions, idleMs, log } = options
  const since = new Date()
  const calls = { served: 0, declined: 0, failed: 0 }
  const running = new Map<Connection, number>()
  const subscribers = new Set<Connection>()
  let active = Date.now()
  let stopping = false
  let finish = () => {}
  const ended = new Promise<void>((resolve) => {
    finish = resolve
  })

  const unlisten = questions.onChange((change) => {
    const { kind, ...rest } = change
    publish({ notice: kind, ...rest } as Notice)
  })
  const beat = setInterval(heartbeat, heartbeatMs)
  const watch = setInterval(look, Math.min(10_000, Math.max(200, idleMs / 4)))
  server.on('connection', (stream) =>
    takeConnection(stream, { call, request, left: (each) => subscribers.delete(each) }),
  )
  server.on('error', (error) => log(`error: ${error.message}`))
  log(`started, process ${process.pid}, engine ${engine}`)

  async function call(body: Buffer, connection: Connection): Promise<void> {
    active = Date.now()
    const started = performance.now()
    if (running.size >= mostCalls) return decline(connection, 'full')
    const asked = decodeCall(body)
    if (asked.engine !== engine) return decline(connection, 'engine')
    running.set(connection, Date.now())
    try {
      const answer = await options.answer(asked, connection.signal)
      if ('decline' in answer) return decline(connection, answer.decline)
      connection.end(encodeFrame('answer', encodeAnswer(answer)))
      calls.served++
      if (subscribers.size > 0) publish({ notice: 'called', call: servedCall(asked, answer, started) })
    } catch (error) {
      calls.failed++
      log(`error: ${(error as Error)?.stack ?? String(error)}`)
      decline(connection, 'error')
    } finally {
      running.delete(connection)
      active = Date.now()
      if (stopping && running.size === 0) void end()
    }
  }

  function decline(connection: Connection, why: string): void {
    calls.declined++
    connection.end(encodeFrame('decline', Buffer.from(why)))
  }

  const handlers: { [N in RequestName]: (asked: Requests[N]['asks'], from: Connection) => Requests[N]['gets'] } = {
    status: () => status(),
    subscribe({ attached }, from) {
      subscribers.add(from)
      if (attached) from.signal.addEventListener('abort', questions.attach(), { once: true })
      return { pending: questions.pending }
    },
    pending: () => ({ pending: questions.pending, attended: questions.attended }),
    answer({ question, given, pid }) {
      const refusal = refusalOf(question, given, pid)
      if (refusal !== undefined) throw new Error(refusal)
      return questions.answer(question, given)
    },
    reload({ pid }) {
      refuseAgents('reload', pid)
      return { projects: options.forget() }
    },
    stop({ pid }) {
      refuseAgents('stop', pid)
      setImmediate(stop, 'somebody said so')
      return { calls: running.size }
    },
  }

  function refuseAgents(wish: 'stop' | 'reload', pid: unknown): void {
    const isShown = Number.isSafeInteger(pid) && raisesHand(pid as number, { socket, about: `${wish}\n${pid}` })
    const refusal = isShown ? options.mayNotStop(pid as number) : 'It does not show which process wants it.'
    if (refusal !== undefined) throw new Error(refusal)
  }

  function refusalOf(question: unknown, given: unknown, pid: unknown): string | undefined {
    const word = isRecord(given) ? answerWords.find((each) => each === given['answer']) : undefined
    if (typeof question !== 'string' || word === undefined) return 'That is no answer to a question.'
    if (!Number.isSafeInteger(pid) || !raisesHand(pid as number, { socket, about: `${question}\n${word}` }))
      return 'It does not show which process answers.'
    return options.mayNotAnswer(pid as number)
  }

  async function request(asked: Request, from: Connection): Promise<unknown> {
    active = Date.now()
    if (!Object.hasOwn(handlers, asked.do)) throw new Error('There is no such request.')
    return handlers[asked.do](asked as never, from)
  }

  const status = (): DaemonStatus => ({
    ...{ pid: process.pid, engine, version, protocol: protocolVersion, since: since.toISOString() },
    idleMs: Date.now() - active,
    rssBytes: process.memoryUsage.rss(),
    calls: { ...calls, running: running.size },
    projects: options.projects(),
    pending: questions.pending.length,
    attended: questions.attended,
  })

  function publish(notice: Notice): void {
    const frame = encodeFrame('message', Buffer.from(JSON.stringify(notice)))
    for (const each of subscribers) each.send(frame)
  }

  /** Whoever waits for long knows by it that somebody is at work. */
  function heartbeat(): void {
    const now = Date.now()
    for (const [connection, began] of running)
      if (now - began >= heartbeatMs / 2) connection.send(encodeFrame('working'))
  }

  /** A daemon that nobody needs, or whose socket somebody has replaced or removed, ends. */
  function look(): void {
    const isIdle = running.size === 0 && subscribers.size === 0 && Date.now() - active >= idleMs
    if (inodeOf(socket) !== identity) stop('its socket is another one now')
    else if (isIdle) stop('idle')
  }

  function stop(why: string): void {
    if (stopping) return
    stopping = true
    log(`ends: ${why}`)
    if (inodeOf(socket) === identity) rmSync(socket, { force: true })
    server.close()
    clearInterval(watch)
    if (running.size === 0) void end()
    else setTimeout(end, longestEndMs).unref()
  }

  let ending: Promise<void> | undefined
  function end(): Promise<void> {
    ending ??= (async () => {
      clearInterval(beat)
      unlisten()
      questions.close()
      for (const each of subscribers) each.destroy()
      await options.close()
      log('ended')
      finish()
    })()
    return ending
  }

  return { ended, stop }
}

const servedCall = ({ host, event, cwd }: HostCall, { exit }: CallAnswer, started: number) => ({
  ...{ time: new Date().toISOString(), host, event, cwd, exit },
  ms: Math.round((performance.now() - started) * 10) / 10,
})
