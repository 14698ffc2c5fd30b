import { DBOS } from '@dbos-inc/dbos-sdk'
import type { Durable } from '@hookline/agent'
import { afterAll, beforeAll } from 'vitest'
import { durableContract, type Keeping } from '../../agent/test/durable/contract.ts'
import { type Surviving, startWorker, type TurnWorker } from '../src/index.ts'
import { startPostgres, type TestPostgres } from './support/postgres.ts'

let postgres: TestPostgres
let worker: TurnWorker
/** By turn: who waits for what it is kept in. */
const opening = new Map<string, (surviving: Surviving) => void>()

beforeAll(async () => {
  postgres = await startPostgres()
  worker = await startWorker({
    database: await postgres.database(),
    atOnce: 1_000,
    // The contract is the agent: the turn lasts until the next process takes it over.
    async open(turn, surviving) {
      opening.get(turn.id)?.(surviving)
      const never = () => new Promise<never>(() => {})
      const agent = { prompt: never, goal: never, steer() {}, cancel() {}, settled: async () => {} }
      return { agent, leave: async () => {} }
    },
  })
})
afterAll(async () => {
  await worker.close({ graceMs: 0 })
  await postgres.stop()
})

let stores = 0

durableContract(
  'DBOS',
  async (): Promise<Keeping> => {
    const store = `store${++stores}`
    const begun = new Set<string>()
    const turnOf = (id: string) => `${store}.${id}`
    return {
      /** Whoever opens it again takes the turn over, as a worker does from a dead one. */
      async open(id): Promise<Durable> {
        const turn = turnOf(id)
        const opened = new Promise<Surviving>((resolve) => opening.set(turn, resolve))
        if (begun.has(id)) await DBOS.resumeWorkflows([turn], { queueName: 'hookline-turns' })
        else await worker.begin({ id: turn, session: turn, kind: 'prompt', text: '' })
        begun.add(id)
        return (await opened).open(id)
      },
      records: async (id) => {
        const running = turnOf(id)
        return (await worker.records(id, running)) as never
      },
    }
  },
  { replays: true, every: 11 },
)
