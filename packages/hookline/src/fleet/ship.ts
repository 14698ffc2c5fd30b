import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { isRecord } from '../core/index.ts'
import { endOfJournal, type JournalPosition, type JournalRun, readJournalFrom } from '../journal/index.ts'
import type { MachineClient } from './client.ts'
import { joinGroup } from './enrolment.ts'
import { fleetFiles, writeWhole } from './place.ts'

/** Sends the journal of this machine to its server, line by line as it was written, and remembers what the server has acknowledged. */
export interface Shipper {
  /** Everything that is there now; resolves when the server has it. */
  catchUp(): Promise<void>
  readonly state: ShipState
  /** What has begun is ended first. */
  close(): Promise<void>
}

export interface ShipState {
  /** Lines that the server has acknowledged since it was opened. */
  sent: number
  /** Lines that are still here alone. */
  unsent: number
  /** Why the last attempt failed. */
  trouble?: string
}

export interface ShipOptions {
  machine: MachineClient
  journal: string
  /** Where it is written down how far it is. */
  directory: string
  /** Under which name, where there is more than one journal. */
  kept?: string
  log?(line: string): void
  /** How often it looks; absent: only when told to. */
  everyMs?: number
}

/** The server knows by it that the machine is there, though nothing happens on it. */
const signOfLifeMs = 5 * 60_000
const firstPauseMs = 500
const longestPauseMs = 60_000
const path = '/api/machines/me/journal'
const pack = promisify(gzip)

/**
 * There is no buffer that could overflow: the journal is the buffer, and a position in it is all that is kept. Where the server does not answer or
 * has enough for now (429), it waits and tries again; what was sent and not acknowledged is sent again, and the server takes it once.
 */
export function openShipper(options: ShipOptions): Shipper {
  const { machine, journal, directory, kept = fleetFiles.shipped, log = () => {}, everyMs } = options
  const file = join(directory, kept)
  const closing = new AbortController()
  const state: ShipState = { sent: 0, unsent: 0 }
  let position = readPosition(file)
  /** Of the log that is being read: up to here, the server has it already. */
  let known: { log: string; seq: number } | undefined
  let lastContact = 0
  let step: Promise<void> = Promise.resolve()

  const catchUp = (): Promise<void> => {
    step = step.catch(() => {}).then(sendNew)
    return step
  }
  const following = everyMs === undefined ? undefined : follow(everyMs)

  async function follow(pauseMs: number): Promise<void> {
    let pause = firstPauseMs
    while (!closing.signal.aborted) {
      try {
        await catchUp()
        if (state.trouble !== undefined) log('the journal is sent again')
        delete state.trouble
        pause = firstPauseMs
        await sleep(pauseMs)
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        if (state.trouble !== why) log(`the journal is not sent: ${why}`)
        state.trouble = why
        // Not all machines of a fleet at the same moment.
        const wanted = error instanceof TryLater ? error.afterMs : 0
        await sleep(Math.max(wanted, pause) * (0.75 + Math.random() / 2))
        pause = Math.min(longestPauseMs, pause * 2)
      }
    }
  }

  const sleep = (ms: number) => delay(ms, undefined, { signal: closing.signal }).catch(() => {})

  async function sendNew(): Promise<void> {
    for (let isDone = false; !isDone && !closing.signal.aborted; ) {
      isDone = true
      const isWhole = position === undefined
      for await (const run of readJournalFrom(journal, position)) {
        if (closing.signal.aborted) return
        if (await send(run, isWhole)) continue
        // The server has less than this machine thought: once more from where it is.
        position = undefined
        isDone = false
        break
      }
    }
    if (Date.now() - lastContact > signOfLifeMs && position) await say(position.log)
  }

  /** False: the server wants what lies further back. `isWhole`: all that is here is being read, and what is missing before a line is gone. */
  async function send(run: JournalRun, isWhole: boolean): Promise<boolean> {
    const { log: own } = run.position
    if (known?.log !== own) known = { log: own, seq: await acknowledged(own) }
    for (;;) {
      const rest = from(run, known.seq)
      if (rest.lines.length === 0) break
      const first = rest.lines[0]!
      const isBehind = first.seq > known.seq
      if (isBehind && !isWhole) return false
      const answer = await post(own, rest, isBehind)
      state.sent += Math.max(0, Math.min(answer.seq, run.position.seq) - first.seq)
      const isStuck = answer.seq === known.seq
      known.seq = answer.seq
      if (answer.taken) break
      if (isStuck && !isBehind) throw new Error('The server and this machine do not agree where the journal goes on.')
    }
    position = run.position
    writeWhole(file, JSON.stringify(position), 0o600)
    state.unsent = unsentFrom(run.position)
    return true
  }

  function unsentFrom({ log, seq }: JournalPosition): number {
    const end = endOfJournal(journal)
    return end?.log === log ? Math.max(0, end.seq - seq) : 0
  }

  async function acknowledged(own: string): Promise<number> {
    const { seq } = await asked(await machine.fetch(`${path}?log=${own}`))
    return seq
  }

  async function post(own: string, run: JournalRun, gap: boolean): Promise<Answer> {
    const first = run.lines[0]!.seq
    const about = new URLSearchParams({
      ...{ log: own, seq: String(first), unsent: String(unsentFrom(run.position)), time: String(Date.now()) },
      ...(gap && { gap: 'true' }),
    })
    const response = await machine.fetch(`${path}?${about}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
      body: new Uint8Array(await pack(run.bytes, { level: 3 })),
    })
    return asked(response)
  }

  async function say(own: string): Promise<void> {
    const about = new URLSearchParams({ log: own, time: String(Date.now()) })
    await asked(await machine.fetch(`${path}?${about}`))
  }

  async function asked(response: Response): Promise<Answer> {
    if (response.status === 429 || response.status === 503) {
      await response.body?.cancel()
      throw new TryLater(response)
    }
    const answer: unknown = await response.json().catch(() => undefined)
    const seq = isRecord(answer) ? answer['seq'] : undefined
    if ((response.ok || response.status === 409) && Number.isSafeInteger(seq)) {
      lastContact = Date.now()
      const group = isRecord(answer) ? answer['group'] : undefined
      if (typeof group === 'string') joinGroup(machine.directory, group)
      return { seq: seq as number, taken: response.ok }
    }
    throw new Error(`The server answered with ${response.status}.`)
  }

  return {
    catchUp,
    state,
    async close() {
      closing.abort()
      await following
      await step.catch(() => {})
    },
  }
}

interface Answer {
  /** The next line that the server wants. */
  seq: number
  taken: boolean
}

class TryLater extends Error {
  readonly afterMs: number
  constructor(response: Response) {
    super('The server has enough for now.')
    this.afterMs = Math.min(longestPauseMs, Number(response.headers.get('retry-after') ?? 1) * 1000 || 1000)
  }
}

/** Of lines that were read together, those from this one on. */
function from(run: JournalRun, seq: number): JournalRun {
  const skipped = run.lines.findIndex((line) => line.seq >= seq)
  if (skipped === 0) return run
  if (skipped < 0) return { ...run, lines: [], bytes: Buffer.alloc(0) }
  const lines = run.lines.slice(skipped)
  return { ...run, lines, bytes: run.bytes.subarray(lines[0]!.offset - run.lines[0]!.offset) }
}

function readPosition(file: string): JournalPosition | undefined {
  try {
    const { log, part, offset, seq, head } = JSON.parse(readFileSync(file, 'utf8')) as JournalPosition
    return { log, part, offset, seq, head }
  } catch {
    // Nothing was sent yet, or it is lost: the server says how far it is.
    return undefined
  }
}
