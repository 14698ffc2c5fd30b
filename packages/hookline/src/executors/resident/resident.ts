import { HookFailure, type Note, note } from '../../core/index.ts'
import { type Ended, type LongProcess, type Start, startLong } from './process.ts'
import { intercept, type Message, ping, readLine, requestLine } from './protocol.ts'

/** One question to a resident hook, from the moment it is sent until it is settled. */
export interface Question {
  body: string
  outputLimit: number
  signal: AbortSignal
  hook: string
  note(note: Note): void
}

export interface Answer {
  stdout: string
  bytesIn: number
  bytesOut: number
}

export interface Resident {
  ask(question: Question): Promise<Answer>
  isIdle(): boolean
  close(): Promise<void>
}

interface Waiting extends Question {
  id: number
  line: string
  noisy: boolean
  settle(outcome: { answer: Answer } | { failure: HookFailure }): void
}

/** The process as it runs now; a new one takes its place when it ends. */
interface Running {
  process: LongProcess
  pending: Map<number, Waiting>
  answered: boolean
  /** When its last readable line came. */
  lastLineAt: number
  /** Whether it ever answered a ping. */
  pongs: boolean
  /** The id of the last ping. */
  ping?: number
  /** Asked whether it still lives: nothing new is sent to it until it says so. */
  suspect: boolean
  noiseBytes: number
  timer?: NodeJS.Timeout
}

/** After a call that went unanswered, how long the process has to say anything at all. */
const proofMs = 500
const idlePingMs = 60_000
const envelopeBytes = 1_024
const backOffMs = { first: 100, most: 5_000 }
const noiseLimit = 1024 * 1024

/**
 * A long-lived process behind one or more hooks: started at the first question, started again after a crash (the
 * longer it crashes without a single answer, the later), ended when it does not answer and cannot prove that it lives.
 */
export function createResident(start: Start, maxInFlight: number): Resident {
  const queue: Waiting[] = []
  let running: Running | undefined
  const leaving = new Set<Promise<void>>()
  let lastId = 0
  let futileStarts = 0
  let notBefore = 0
  let restart: NodeJS.Timeout | undefined
  let closed = false

  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        const abort = () => give(waiting, { failure: stopped }, true)
        const waiting: Waiting = {
          ...question,
          id,
          line: requestLine(id, intercept, question.body),
          noisy: false,
          settle(outcome) {
            question.signal.removeEventListener('abort', abort)
            if ('answer' in outcome) resolve(outcome.answer)
            else reject(outcome.failure)
          },
        }
        question.signal.addEventListener('abort', abort)
        queue.push(waiting)
        pump()
      }),
    isIdle: () => queue.length === 0 && (running?.pending.size ?? 0) === 0,
    async close() {
      closed = true
      clearTimeout(restart)
      for (const waiting of queue.splice(0)) waiting.settle({ failure: stopped })
      if (running) retire(running, stopped)
      await Promise.all(leaving)
    },
  }

  /** Sends what may be sent, to a process that is there and not in doubt. */
  function pump(): void {
    if (queue.length === 0 || closed) return
    const wait = notBefore - performance.now()
    if (running === undefined && wait > 0) {
      clearTimeout(restart)
      restart = setTimeout(pump, wait)
      return
    }
    running ??= open()
    while (!running.suspect && running.pending.size < maxInFlight) {
      const waiting = queue.shift()
      if (waiting === undefined) return
      clearTimeout(running.timer)
      running.pending.set(waiting.id, waiting)
      running.process.hold(true)
      running.process.write(waiting.line)
    }
  }

  function open(): Running {
    const opened: Running = {
      process: startLong(start, {
        line: (line) => receive(opened, line),
        growing: (bytes) => bound(opened, bytes),
        ended: (how) => lose(opened, how),
      }),
      pending: new Map(),
      answered: false,
      lastLineAt: Number.NEGATIVE_INFINITY,
      pongs: false,
      suspect: false,
      noiseBytes: 0,
    }
    return opened
  }

  function receive(from: Running, line: Buffer): void {
    const message = readLine(line)
    if (message.kind === 'noise') {
      noteNoise(from, message.text, line.length)
      return
    }
    from.lastLineAt = performance.now()
    from.noiseBytes = 0
    if (message.kind === 'reply') receiveReply(from, message, line.length)
    if (from.suspect) {
      from.suspect = false
      clearTimeout(from.timer)
      if (from.pending.size === 0) rest(from)
      pump()
    }
  }

  function receiveReply(from: Running, message: Message & { kind: 'reply' }, bytesOut: number): void {
    if (message.id === from.ping) from.pongs = true
    // A reply that nobody waits for any more came too late.
    const waiting = from.pending.get(message.id)
    if (waiting === undefined) return
    from.answered = true
    futileStarts = 0
    if ('failure' in message) give(waiting, message)
    else if (bytesOut > waiting.outputLimit + envelopeBytes) give(waiting, { failure: overLimit(waiting.outputLimit) })
    else {
      const { stdout } = message
      give(waiting, { answer: { stdout, bytesIn: Buffer.byteLength(waiting.line), bytesOut } })
    }
  }

  /** Replies are known by their id, so other output between them does no harm; it is noted, and it is bounded. */
  function noteNoise(from: Running, text: string, bytes: number): void {
    from.noiseBytes += bytes
    if (from.noiseBytes > noiseLimit) retire(from, overLimit(noiseLimit))
    for (const waiting of from.pending.values()) {
      if (waiting.noisy) continue
      waiting.noisy = true
      waiting.note(note('resident-noise', { text }, { hook: waiting.hook }))
    }
  }

  function bound(from: Running, bytes: number): void {
    const limits = [...from.pending.values()].map((waiting) => waiting.outputLimit)
    const limit = limits.length > 0 ? Math.max(...limits) : noiseLimit
    if (bytes > limit + envelopeBytes) retire(from, overLimit(limit))
  }

  function give(waiting: Waiting, outcome: Parameters<Waiting['settle']>[0], unanswered = false): void {
    const queued = queue.indexOf(waiting)
    if (queued !== -1) queue.splice(queued, 1)
    const from = running?.pending.delete(waiting.id) ? running : undefined
    waiting.settle(outcome)
    if (from === undefined) return
    if (from.pending.size === 0) rest(from)
    if (unanswered) doubt(from)
    pump()
  }

  /** With nothing to do, it does not keep the host alive; a ping now and then checks that it still lives. */
  function rest(idle: Running): void {
    idle.process.hold(false)
    clearTimeout(idle.timer)
    idle.timer = setTimeout(() => {
      const sentAt = sendPing(idle)
      idle.timer = setTimeout(() => {
        if (idle.pongs && idle.lastLineAt < sentAt) retire(idle, unresponsive)
        else rest(idle)
      }, proofMs * 10).unref()
    }, idlePingMs).unref()
  }

  /** It let a deadline pass. Unless it says something soon, to whomever, it is replaced. */
  function doubt(from: Running): void {
    if (from.suspect) return
    from.suspect = true
    const sentAt = sendPing(from)
    clearTimeout(from.timer)
    from.timer = setTimeout(() => {
      if (from.lastLineAt < sentAt) retire(from, unresponsive)
    }, proofMs)
  }

  function sendPing(to: Running): number {
    const id = ++lastId
    to.ping = id
    to.process.write(requestLine(id, ping))
    return performance.now()
  }

  /** Ends it now; every question it has not answered fails. */
  function retire(old: Running, failure: HookFailure): void {
    clearTimeout(old.timer)
    if (running === old) running = undefined
    old.process.hold(true)
    const gone = old.process.stop().then(() => void leaving.delete(gone))
    leaving.add(gone)
    failAll(old, failure)
    pump()
  }

  function lose(old: Running, { failure, exit, signal }: Ended): void {
    clearTimeout(old.timer)
    if (running === old) {
      running = undefined
      futileStarts = old.answered ? 0 : futileStarts + 1
      const pause = futileStarts === 0 ? 0 : Math.min(backOffMs.most, backOffMs.first * 2 ** (futileStarts - 1))
      notBefore = performance.now() + pause
    }
    const stderr = old.process.stderrEnd()
    const how = signal ? `was killed by ${signal}` : `ended with exit ${exit}`
    failAll(
      old,
      failure ??
        new HookFailure(
          signal ? 'signal' : 'exit',
          `The resident process ${how}.${stderr && ` It printed: ${stderr}`}`,
        ),
    )
    pump()
  }

  function failAll(old: Running, failure: HookFailure): void {
    for (const waiting of [...old.pending.values()]) {
      old.pending.delete(waiting.id)
      waiting.settle({ failure })
    }
  }
}

const stopped = new HookFailure('aborted', 'It was stopped.')
const unresponsive = new HookFailure('signal', 'The resident process stopped answering and was ended.')

const overLimit = (limit: number): HookFailure =>
  new HookFailure('output-limit', `It wrote more than ${limit} bytes for one reply.`, 'Print only the reply.')
