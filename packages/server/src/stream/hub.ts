import type { ServerResponse } from 'node:http'
import { type Change, lastNumber, Outrun, openGathered, type Sql, type Statement } from '../store/index.ts'
import { type Message, messagesBetween } from './messages.ts'

/** What one stream wants. */
export interface Wanted {
  /** Only what comes after this id; absent: from now on. */
  after?: string | undefined
  /** `decision`, `question.asked` …; `hook.*` stands for all that begin so. Absent: all but `hook.*`. */
  types?: readonly string[] | undefined
  session?: string | undefined
  /** Somebody sits there who can answer questions. */
  attended?: boolean | undefined
  /** Whether they may still listen: what let them in may have been taken back since. */
  allowed(): Promise<boolean>
}

/** Streams of what happens, each from the id it names, without gap or repetition. */
export interface Hub {
  /** Writes down an event of its own, and sends it. */
  publish(type: string, data: unknown, session?: string): Promise<void>
  /** With the one row that it is about, both or neither, whenever this process ends. False: somebody else has done it. */
  publishWith(change: Omit<Statement, 'must'>, type: string, data: unknown, session?: string): Promise<boolean>
  /** Gets every event of its own as it is published. */
  onEvent(listener: (type: string, data: unknown, session: string | undefined) => void): void
  /** There are events up to this number now. */
  notify(last: number): void
  open(outgoing: ServerResponse, wanted: Wanted): void
  readonly streams: number
  /** The number of the last event that is written. */
  readonly last: number
  /** Whether somebody sits at one of them who can answer. */
  readonly attended: boolean
  onAttended(listener: (attended: boolean) => void): void
  /** Ends the streams of whoever is no longer allowed; it happens by itself now and then. */
  recheck(): Promise<void>
  close(): void
}

/** So many of the last messages are kept ready: who follows closely costs no query. */
const mostKept = 5_000
/** A reader that does not read is cut off; it comes back with the last id it has. */
const mostUnread = 1024 * 1024
/** What comes close together goes out together; to many, less often: each time costs a write for each of them. */
const gatherMs = (streams: number): number => Math.min(250, Math.max(20, streams / 5))
const heartbeatMs = 15_000
/** For notices that got lost. */
const lookMs = 1_000
const againMs = 1_000
/** Read from the store at once. */
const pageSize = 1_000

interface Stream extends Wanted {
  outgoing: ServerResponse
  event: number
  part: number
  busy: boolean
}

export async function openHub(sql: Sql): Promise<Hub> {
  const given = await lastNumber(sql)
  /** Up to here messages are in `kept`; from `keptFrom` on, all of them are. */
  let made = given
  let keptFrom = given
  let known = given
  let kept: Message[] = []
  const streams = new Set<Stream>()
  const listeners = new Set<(attended: boolean) => void>()
  const readers = new Set<Parameters<Hub['onEvent']>[0]>()
  let timer: NodeJS.Timeout | undefined
  let [isSending, isBehind] = [false, false]
  const beat = setInterval(() => {
    for (const { outgoing } of streams) outgoing.write(': \n\n')
    void recheck()
  }, heartbeatMs).unref()

  async function recheck(): Promise<void> {
    for (const stream of [...streams]) if (!(await stream.allowed().catch(() => false))) stream.outgoing.destroy()
  }

  const isAttended = () => [...streams].some(({ attended }) => attended)
  let wasAttended = false
  const tellAttended = () => {
    if (isAttended() === wasAttended) return
    wasAttended = !wasAttended
    for (const each of listeners) each(wasAttended)
  }

  /** Another server has written something; after a break, nobody knows what. */
  sql.onAnnounced((what) => {
    const last = /^events (\d+)$/.exec(what)?.[1]
    if (last !== undefined) notify(Number(last))
    else if (what === '') lastNumber(sql).then(notify, () => {})
  })

  const looking = sql.shared ? setInterval(() => void look(), lookMs).unref() : undefined
  async function look(): Promise<void> {
    const last = streams.size > 0 ? await lastNumber(sql).catch(() => 0) : 0
    if (last > known) notify(last)
  }

  const write = openGathered(sql)

  async function publishAfter(
    changes: readonly Change[],
    type: string,
    data: unknown,
    session: string | undefined,
  ): Promise<void> {
    const row = [0, Date.now(), type, JSON.stringify(data), session ?? null]
    const last = await write(1, (from) => [...changes, { table: 'events', columns, rows: [row], numbers: 1, from }])
    notify(last)
    for (const each of readers) each(type, data, session)
  }

  function notify(last: number): void {
    known = Math.max(known, last)
    timer ??= setTimeout(() => void flush(), gatherMs(streams.size))
  }

  /** One after the other, however long the store takes: what two of them read would be sent twice. */
  async function flush(): Promise<void> {
    timer = undefined
    isBehind = true
    if (isSending) return
    isSending = true
    try {
      while (isBehind) {
        isBehind = false
        await sendNew()
      }
    } catch {
      // The store is out of reach: what is there is sent when it is back.
      timer ??= setTimeout(() => void flush(), againMs)
    } finally {
      isSending = false
    }
  }

  async function sendNew(): Promise<void> {
    if (streams.size === 0) return
    const last = known
    if (last > made) {
      // Nobody was there for a while: what lies between is read by who asks for it.
      if (last - made > mostKept) {
        kept = []
        made = keptFrom = last - mostKept
      }
      kept.push(...(await messagesBetween(sql, made, last)))
      made = last
      if (kept.length > mostKept) {
        const cut = kept[kept.length - mostKept]!.event
        kept = kept.filter(({ event }) => event > cut)
        keptFrom = cut
      }
    }
    const texts = new Map<string, Buffer>()
    for (const stream of streams)
      if (!stream.busy)
        void pump(stream, texts).catch(() => {
          // It comes back with the last id it has.
          stream.outgoing.destroy()
        })
  }

  /** Sends what this stream has not had yet. */
  async function pump(stream: Stream, texts: Map<string, Buffer>): Promise<void> {
    stream.busy = true
    try {
      while (stream.event < keptFrom || (stream.event === keptFrom && Number.isFinite(stream.part))) {
        const to = Math.min(stream.event + pageSize, keptFrom)
        const page = await messagesBetween(sql, stream.event - (Number.isFinite(stream.part) ? 1 : 0), to)
        if (!send(stream, Buffer.from(textOf(stream, page)))) return
        stream.event = to
        stream.part = Number.POSITIVE_INFINITY
      }
      // Streams that want the same from the same place get the same bytes.
      const key = `${stream.event} ${stream.part} ${stream.session ?? ''} ${stream.types?.join() ?? ''}`
      const text = texts.get(key) ?? Buffer.from(textOf(stream, kept))
      texts.set(key, text)
      if (!send(stream, text)) return
      if (made > stream.event) Object.assign(stream, { event: made, part: Number.POSITIVE_INFINITY })
    } finally {
      stream.busy = false
    }
  }

  /** It has an event that this server has not heard of yet: from another that died since; or there never was one. */
  async function placed(stream: Stream): Promise<void> {
    try {
      const last = await lastNumber(sql)
      stream.event = Math.min(stream.event, last)
      stream.busy = false
      notify(last)
    } catch {
      stream.outgoing.destroy()
    }
  }

  function send(stream: Stream, text: Buffer): boolean {
    if (!streams.has(stream)) return false
    if (text.length > 0) stream.outgoing.write(text)
    if (stream.outgoing.writableLength <= mostUnread) return true
    stream.outgoing.destroy()
    return false
  }

  return {
    publish: (type, data, session) => publishAfter([], type, data, session),
    async publishWith(change, type, data, session) {
      try {
        await publishAfter([{ ...change, must: 1 }], type, data, session)
        return true
      } catch (error) {
        if (error instanceof Outrun) return false
        throw error
      }
    },
    onEvent: (listener) => void readers.add(listener),
    notify,
    open(outgoing, wanted) {
      const [event, part] = (wanted.after ?? String(known)).split('.').map(Number) as [number, number | undefined]
      const stream: Stream = { ...wanted, outgoing, event, part: part ?? 0, busy: event > known }
      // Of a decision itself, all that its hooks did may still be missing; of what is older than now, nothing is.
      if (wanted.after === undefined) stream.part = Number.POSITIVE_INFINITY
      outgoing.on('error', () => {})
      outgoing.once('close', () => {
        streams.delete(stream)
        tellAttended()
      })
      outgoing.write('retry: 1000\n\n')
      streams.add(stream)
      tellAttended()
      if (stream.busy) void placed(stream)
      else notify(known)
    },
    get streams() {
      return streams.size
    },
    get last() {
      return known
    },
    get attended() {
      return isAttended()
    },
    onAttended: (listener) => void listeners.add(listener),
    recheck,
    close() {
      clearInterval(beat)
      clearInterval(looking)
      clearTimeout(timer)
      for (const { outgoing } of [...streams]) outgoing.end()
      streams.clear()
    },
  }
}

const columns = ['id', 'time', 'type', 'data', 'session']

function textOf({ event, part, session, types }: Stream, messages: readonly Message[]): string {
  let text = ''
  for (const each of messages) {
    const isNew = each.event > event || (each.event === event && each.part > part)
    if (isNew && isWanted(each, types) && (session === undefined || each.session === session)) text += each.text
  }
  return text
}

function isWanted({ type }: Message, types: readonly string[] | undefined): boolean {
  if (!types) return !type.startsWith('hook.')
  return types.some((wanted) => (wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted))
}
