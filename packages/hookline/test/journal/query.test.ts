import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  type Entry,
  type EntryInput,
  followJournal,
  openJournal,
  partsOf,
  queryJournal,
} from '../../src/journal/index.ts'
import fc from '../support/property.ts'
import { collect, entry, newFile, plain, writeJournal } from './support.ts'

const outcomes = ['allow', 'ask', 'deny', 'halt', 'no-opinion'] as const
const tools = ['shell', 'edit', 'we"ird\u2028'] as const

const arbitraryEntry = fc.record({
  outcome: fc.constantFrom(...outcomes),
  tool_name: fc.constantFrom(...tools),
  session_id: fc.constantFrom('s1', 's2'),
  hooks: fc.array(
    fc.record({
      id: fc.constantFrom('a', 'b'),
      stage: fc.constant(0),
      asked: fc.boolean(),
      failure: fc.option(fc.constant({ kind: 'exit' as const, detail: '"id":"b"' }), { nil: undefined }),
    }),
    { maxLength: 3 },
  ),
  second: fc.integer({ min: 0, max: 120 }),
  size: fc.constantFrom(0, 10, 100_000),
})

async function journalOf(given: readonly (typeof arbitraryEntry extends fc.Arbitrary<infer T> ? T : never)[]) {
  const file = newFile()
  const journal = await openJournal({ file, durability: 'none', record: 'all', maxBytes: 300_000, ...plain })
  for (const [number, { second, size, ...over }] of given.entries()) {
    const payload = { tool_input: { command: 'x'.repeat(size) } }
    await journal.append({ ...entry(second, { ...over, payload } as Partial<EntryInput>), dispatch: `d${number}` })
  }
  await journal.close()
  return partsOf(file)
}

const ids = (entries: readonly Entry[]) => entries.map(({ dispatch }) => dispatch)
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))

describe('filters', () => {
  it('take a part, and what a filter and its complements take is all', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryEntry, { maxLength: 12 }),
        fc.integer({ min: 0, max: 120 }),
        async (given, cut) => {
          const files = await journalOf(given)
          const all = ids(await collect(queryJournal(files)))
          expect(all).toHaveLength(given.length)
          const partitions = [
            outcomes.map((outcome) => ({ outcome })),
            tools.map((tool) => ({ tool })),
            [{ session: 's1' }, { session: ['s2', 'none'] }],
            [{ failed: true }, { failed: false }],
            [{ until: at(cut) }, { since: at(cut) }],
          ]
          for (const filters of partitions) {
            const taken = []
            for (const filter of filters) taken.push(...ids(await collect(queryJournal(files, filter))))
            expect(taken.toSorted()).toEqual(all.toSorted())
          }
          const expected = given.flatMap(({ hooks }, number) =>
            hooks.some(({ id, asked }) => asked && id === 'b') ? [`d${number}`] : [],
          )
          expect(ids(await collect(queryJournal(files, { hook: 'b' })))).toEqual(expected)
        },
      ),
      { numRuns: 25 },
    )
  })

  it('from the newest on is the same, the other way round', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryEntry, { maxLength: 30 }), async (given) => {
        const files = await journalOf(given)
        for (const filter of [{}, { tool: 'shell' }]) {
          const forward = ids(await collect(queryJournal(files, filter)))
          const backward = ids(await collect(queryJournal(files, filter, { newestFirst: true })))
          expect(backward.toReversed()).toEqual(forward)
        }
      }),
      { numRuns: 15 },
    )
  })

  it('one is found by its place, and a torn end is passed over', async () => {
    const file = newFile()
    await writeJournal(file, 30)
    appendFileSync(file, '{"seq":31,"prev":"')
    expect(ids(await collect(queryJournal(file, { seq: 7 })))).toEqual(['d7'])
    expect(ids(await collect(queryJournal(file, {}, { newestFirst: true })))[0]).toBe('d30')
  })
})

describe('following', () => {
  it('returns what is written from now on, through rotation', async () => {
    const file = newFile()
    await writeJournal(file, 3)
    const { next, stop } = await following(file)
    await writeJournal(file, 40, { maxBytes: 4000 })
    expect(ids(await next(40))).toEqual(Array.from({ length: 40 }, (_, number) => `d${number + 1}`))
    await stop()
  })

  it('waits for a file that is not there, and goes on when it is emptied, moved away or replaced', async () => {
    const file = newFile()
    const { next, stop } = await following(file)
    await writeJournal(file, 2)
    expect(ids(await next(2))).toEqual(['d1', 'd2'])
    truncateSync(file)
    await writeJournal(file, 1)
    expect(ids(await next(1))).toEqual(['d1'])
    renameSync(file, `${file}.away`)
    await writeJournal(file, 3)
    expect(ids(await next(3))).toEqual(['d1', 'd2', 'd3'])
    writeFileSync(file, '')
    await writeJournal(file, 1)
    expect(ids(await next(1))).toEqual(['d1'])
    await stop()
  })

  async function following(file: string) {
    const abort = new AbortController()
    const entries = await followJournal(file, { signal: abort.signal, pollMs: 5 })
    return {
      async next(count: number) {
        const received: Entry[] = []
        while (received.length < count) received.push((await entries.next()).value)
        return received
      },
      async stop() {
        abort.abort()
        expect(await entries.next()).toEqual({ done: true, value: undefined })
      },
    }
  }
})
