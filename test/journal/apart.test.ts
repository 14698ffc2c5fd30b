import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Note } from '../../src/core/index.ts'
import { awaitPending, openJournal, queryJournal, verifyJournal } from '../../src/journal/index.ts'
import { collect, entry, newFile } from './support.ts'

/** As a process does that lives for one event. */
async function recordApart(file: string, number: number, payload: unknown = {}): Promise<Note[]> {
  const notes: Note[] = []
  const journal = await openJournal({ file, opens: 'apart', onNote: (note) => notes.push(note) })
  journal.append(() => entry(number, { payload }))
  await journal.close()
  return notes
}

describe('a journal that is written apart', () => {
  it('takes what many hand over at once into one chain, and whoever reads can wait for it', async () => {
    const file = newFile()
    await Promise.all([1, 2, 3, 4].map((number) => recordApart(file, number)))
    expect(await awaitPending(file)).toEqual([])
    const found = await collect(queryJournal(file))
    expect(found.map(({ dispatch }) => dispatch).toSorted()).toEqual(['d1', 'd2', 'd3', 'd4'])
    expect((await verifyJournal(file)).status).toBe('intact')
  })

  it('has no secrets in it', async () => {
    const file = newFile()
    const token = `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'}`
    await recordApart(file, 1, { command: `curl -H ${token}` })
    await awaitPending(file)
    expect(readFileSync(file, 'utf8')).toContain('[REDACTED:github-token]')
    expect(readFileSync(file, 'utf8')).not.toContain(token)
  })

  it('says at once that its file cannot be written, and stops nobody', async () => {
    const file = newFile()
    mkdirSync(dirname(file), { recursive: true })
    symlinkSync('/dev/null', file)
    expect(await recordApart(file, 1)).toMatchObject([{ code: 'journal-open' }])
  })

  it('tells of what was handed over and never written, and counts it as lost', async () => {
    const file = newFile()
    await recordApart(file, 1)
    await awaitPending(file)
    writeFileSync(`${file}.pending-dead`, '')
    const before = new Date(Date.now() - 120_000)
    utimesSync(`${file}.pending-dead`, before, before)
    expect(await awaitPending(file)).toMatchObject([{ detail: 'its writer was stopped' }])
    await recordApart(file, 2)
    expect(await awaitPending(file)).toEqual([])
    expect((await collect(queryJournal(file))).at(-1)).toMatchObject({ dispatch: 'd2', lost: 1 })
  })
})

it('a journal opened later is opened for the verdict that must wait for it, and refuses what it cannot keep', async () => {
  const file = newFile()
  mkdirSync(dirname(file), { recursive: true })
  symlinkSync('/dev/null', file)
  const journal = await openJournal({ file, opens: 'later', onFailure: 'block' })
  await expect(journal.append(entry(1))).rejects.toThrow(/symbolic link/)
  await journal.close()
})
