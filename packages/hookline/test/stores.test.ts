import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createHooks,
  fileState,
  type JournalOptions,
  memoryJournal,
  memoryState,
  type StateStore,
} from '../src/index.ts'
import type { JournalStore } from '../src/journal/index.ts'
import { projectRoot } from './support/project.ts'
import { standInRedis } from './support/redis.ts'
import { remove, scratch } from './support/scratch.ts'

/** What guides show of stores in databases runs here: on PostgreSQL in this process, and on a stand-in for Redis. */
const modules = mkdtempSync(join(import.meta.dirname, 'stores-'))
const database = new PGlite()

interface Shown {
  postgresState(database: PGlite): StateStore
  postgresJournal(database: PGlite): JournalStore
  redisState(redis: object): StateStore
  redisJournal(redis: object): JournalStore
}
let shown: Shown

beforeAll(async () => {
  await database.exec(/```sql\n([\s\S]*?)```/.exec(pageOf('store-in-postgres'))![1]!)
  shown = { ...(await moduleOf('store-in-postgres')), ...(await moduleOf('store-in-redis')) } as Shown
})
afterAll(async () => {
  await database.close()
  remove(modules)
})

const states: [string, () => StateStore][] = [
  ['memoryState', () => memoryState()],
  ['fileState', () => fileState(scratch())],
  ['postgresState', () => shown.postgresState(database)],
  ['redisState', () => shown.redisState(standInRedis())],
]

describe.each(states)('%s', (name, open) => {
  const place = { session: `s-${name}`, scope: 'test', key: 'count' }

  it('keeps values by place, and forgets those that are removed', async () => {
    const store = open()
    expect(await store.read(place)).toBeUndefined()
    expect(await store.update(place, () => ({ list: [1, 'two'] }))).toEqual({ list: [1, 'two'] })
    expect(await store.read(place)).toEqual({ list: [1, 'two'] })
    expect(await store.read({ ...place, key: 'other' })).toBeUndefined()
    expect(await store.read({ ...place, session: 'another' })).toBeUndefined()
    await store.update(place, () => undefined)
    expect(await store.read(place)).toBeUndefined()
  })

  it('loses no change of many at once', async () => {
    const store = open()
    const counted = { ...place, key: 'many' }
    const once = () => store.update(counted, (count) => ((count as number | undefined) ?? 0) + 1)
    await Promise.all(Array.from({ length: 10 }, once))
    expect(await store.read(counted)).toBe(10)
  })

  it('forgets what nobody changed for as long as it asks for, and begins anew', async () => {
    const store = open()
    const brief = { ...place, key: 'brief', quietMs: 40 }
    const once = () => store.update(brief, (count) => ((count as number | undefined) ?? 0) + 1)
    expect(await once()).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 80))
    expect(await store.read(brief)).toBeUndefined()
    expect(await once()).toBe(1)
  })

  it('keeps an approval for another process, once', async () => {
    const hooks = await createHooks({ rules: [{ ask: { tool: 'refund' } }], state: open() })
    const call = { session_id: `a-${name}`, tool_name: 'refund', tool_use_id: 'c1', tool_input: { amount: 5 } }
    const asked = await hooks.judgeTool(call)
    expect(asked.outcome).toBe('asks')
    const token = await asked.keep()
    const answers = [await hooks.judgeTool(call, { approval: token }), await hooks.judgeTool(call, { approval: token })]
    expect(answers.map(({ outcome }) => outcome)).toEqual(['allowed', 'refused'])
    await hooks.close()
  })
})

const journals: [string, () => JournalOptions | JournalStore][] = [
  ['in memory', () => ({})],
  ['in a file', () => ({ file: join(scratch(), 'journal.jsonl') })],
  ['memoryJournal', () => memoryJournal()],
  ['postgresJournal', () => shown.postgresJournal(database)],
  ['redisJournal', () => shown.redisJournal(standInRedis())],
]

describe.each(journals)('a journal %s', (_name, journal) => {
  it('has every verdict, in order and without secrets', async () => {
    const hooks = await createHooks({ journal: journal() })
    hooks.on('pre_tool_use', () => ({ decision: { ruling: 'deny', reason: 'No.' } }))
    const key = ['ghp', '_', 'x7Kd92LmPq0RtVwYz3BnCfGh5JsA8eUi1oTk'].join('')
    for (const table of ['a', key, 'c\u0000'])
      await hooks.raise('pre_tool_use', { session_id: 's', tool_name: 'drop', tool_input: { table } })
    await hooks.journal.flush()
    const entries = []
    for await (const entry of hooks.journal.entries()) entries.push(entry)
    const tables = entries.map(({ payload }) => (payload as { tool_input: { table: string } }).tool_input.table)
    expect(tables[0]).toBe('a')
    expect(tables[1]).toMatch(/REDACTED/)
    expect(tables[2]).toBe('c\u0000')
    expect(entries.map(({ outcome }) => outcome)).toEqual(['deny', 'deny', 'deny'])
    await hooks.close()
  })
})

describe('a store that fails', () => {
  const broken: JournalStore = {
    append: () => Promise.reject(new Error('the table is gone')),
    async *entries() {},
  }
  const raise = async (journal: JournalOptions) => {
    const hooks = await createHooks({ journal })
    hooks.on('pre_tool_use', () => ({ decision: { ruling: 'allow', reason: '' } }))
    const verdict = await hooks.raise('pre_tool_use', { session_id: 's', tool_name: 'read', tool_input: {} })
    await hooks.journal.flush()
    const { healthy, lost } = hooks.journal.state()
    await hooks.close()
    return { ruling: verdict.decision?.ruling, healthy, lost }
  }

  it('refuses what it must record', async () => {
    expect(await raise({ store: broken, onFailure: 'block', onNote: () => {} })).toMatchObject({
      ruling: 'deny',
      lost: 1,
    })
  })

  it('else counts what is lost, with a note', async () => {
    const notes: string[] = []
    const seen = await raise({ store: broken, onNote: ({ code }) => void notes.push(code) })
    expect(seen).toEqual({ ruling: 'allow', healthy: false, lost: 1 })
    expect(notes).toEqual(['journal-failed'])
  })
})

function pageOf(guide: string): string {
  return readFileSync(join(projectRoot, 'docs/guides', `${guide}.md`), 'utf8')
}

/** The file that a guide shows, as a module. */
async function moduleOf(guide: string): Promise<Partial<Shown>> {
  const file = join(modules, `${guide}.ts`)
  writeFileSync(file, /```ts\n([\s\S]*?)```/.exec(pageOf(guide))![1]!)
  return import(file)
}
