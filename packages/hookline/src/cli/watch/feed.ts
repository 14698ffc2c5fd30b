import { setTimeout as delay } from 'node:timers/promises'
import { connectDaemon, type DaemonConnection, type GivenAnswer, type PendingQuestion } from '../../daemon/index.ts'
import { type Entry, followJournal } from '../../journal/index.ts'
import { partsToRead } from '../journal-for.ts'
import { newestEntries } from '../log/filters.ts'

export interface FeedListener {
  /** `before`: it was written before anybody watched. */
  entry(entry: Entry, before: boolean): void
  asked(question: PendingQuestion): void
  settled(question: PendingQuestion, answer: GivenAnswer | undefined): void
  /** The connection to the daemon begins or ends; what waited in it is settled there. */
  connection(daemon: DaemonConnection | undefined): void
}

export interface FeedOptions {
  journal: string
  /** Whoever watches can answer: questions wait for them. */
  attached: boolean
  signal: AbortSignal
}

/** So much of what was before is shown. */
const mostBefore = 200

/** How often to look for a daemon while there is none. */
const lookMs = 250

/** Both at once: what was decided, from the journal; what waits, from the daemon, whenever there is one. */
export async function feed(listener: FeedListener, options: FeedOptions): Promise<void> {
  await Promise.all([followDecisions(listener, options), followQuestions(listener, options)])
}

async function followDecisions(listener: FeedListener, { journal, signal }: FeedOptions): Promise<void> {
  const midnight = new Date()
  midnight.setHours(0, 0, 0, 0)
  // Opened first, so that nothing falls in between; what comes twice is known by its dispatch.
  const following = await followJournal(journal, { filter: { synthetic: false }, signal })
  const before = { synthetic: false, since: midnight }
  for await (const entry of newestEntries(partsToRead(journal), before, mostBefore)) listener.entry(entry, true)
  for await (const entry of following) listener.entry(entry, false)
}

async function followQuestions(listener: FeedListener, { attached, signal }: FeedOptions): Promise<void> {
  let isConnected: boolean | undefined
  /** Once for each change: while there is no daemon, it is looked for again and again. */
  const changed = (connection: DaemonConnection | undefined) => {
    if (isConnected === (connection !== undefined)) return
    isConnected = connection !== undefined
    listener.connection(connection)
  }
  while (!signal.aborted) {
    const daemon = await connectDaemon({
      onNotice(notice) {
        if (notice.notice === 'asked') listener.asked(notice.question)
        if (notice.notice === 'settled') listener.settled(notice.question, notice.answer)
      },
    })
    const leave = () => daemon?.close()
    signal.addEventListener('abort', leave)
    try {
      const begun = await daemon?.request('subscribe', { attached })
      changed(begun ? daemon : undefined)
      for (const question of begun?.pending ?? []) listener.asked(question)
      await daemon?.ended
    } catch {
      daemon?.close()
    }
    signal.removeEventListener('abort', leave)
    if (daemon) changed(undefined)
    await delay(lookMs, undefined, { signal }).catch(() => {})
  }
}
