import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratch } from '../../../hookline/test/support/scratch.ts'
import { type Boundary, type Durable, openSessionStore, type SessionRecord } from '../../src/index.ts'
import { durableContract, type Keeping } from './contract.ts'

durableContract(
  'the session log',
  async () => {
    const store = openSessionStore({ directory: scratch() })
    return { open: store.open, records: store.read }
  },
  { replays: false },
)

durableContract('a store that replays', async () => remembering(scratch()), { replays: true })

/** The least that a server would bring: every step and record is a line of a file. */
function remembering(directory: string): Keeping {
  const fileOf = (id: string) => join(directory, `${id}.jsonl`)
  const linesOf = (id: string): { key: string; value?: unknown; record?: SessionRecord }[] =>
    existsSync(fileOf(id))
      ? readFileSync(fileOf(id), 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
      : []
  return {
    async open(id): Promise<Durable> {
      const lines = linesOf(id)
      const steps = new Map(lines.filter(({ record }) => !record).map(({ key, value }) => [key, value]))
      const kept = new Set(lines.filter(({ record }) => record).map(({ key }) => key))
      const write = (line: object) => appendFileSync(fileOf(id), `${JSON.stringify(line)}\n`)
      return {
        append(record, key = '') {
          if (kept.has(key)) return
          kept.add(key)
          write({ key, record })
        },
        async step<T>({ key }: Boundary, run: () => Promise<T>) {
          if (steps.has(key)) return steps.get(key) as T
          const value = JSON.parse(JSON.stringify({ value: await run() })).value as T
          steps.set(key, value)
          write({ key, value })
          return value
        },
        flush: async () => {},
        close: async () => {},
      }
    },
    records: async (id) => linesOf(id).flatMap(({ record }) => (record ? [record] : [])),
  }
}
