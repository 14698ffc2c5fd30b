import { dataDirectory } from 'hookline/internal'
import { openBundles } from '../bundles/index.ts'
import { channelOf, openChannels } from '../channels/index.ts'
import { filesFor, openPresence, openStore } from '../store/index.ts'
import { openHub } from '../stream/index.ts'
import { openDurableSessions } from './sessions.ts'

export interface WorkerProcess {
  /** The address of a PostgreSQL. */
  database: string
  /** Where hooks record what happens. */
  journal: string
  atOnce?: number
  answerWithinMs?: number
  log(line: string): void
}

/** A process that runs turns of sessions, and nothing else: what a server has, without its pages and questions. */
export async function startWorkerProcess({ database, journal, log, ...options }: WorkerProcess) {
  const sql = await openStore(database)
  const presence = await openPresence(sql)
  const hub = await openHub(sql)
  const { configsFor } = openBundles(filesFor(database, dataDirectory()))
  const channels = openChannels(sql)
  const sessions = await openDurableSessions({
    ...{ sql, hub, server: presence.id, journal, configsFor, channelFor: channelOf(channels), log, database },
    ...options,
  })
  return {
    id: sessions.worker.id,
    get working() {
      return sessions.worker.working
    },
    async close(): Promise<void> {
      await sessions.close()
      channels.close()
      hub.close()
      await presence.close()
      await sql.close()
    },
  }
}
