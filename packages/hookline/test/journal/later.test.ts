import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Note } from '../../src/core/index.ts'
import { openJournal, queryJournal, verifyJournal } from '../../src/journal/index.ts'
import { collect, entry, finished, linesOf, newFile, startWriter } from './support.ts'

/** As a process does that lives for one event. */
async function recordOnce(file: string, number: number, payload: unknown = {}): Promise<Note[]> {
  const notes: Note[] = []
  const journal = await openJournal({ file, opens: 'later', onNote: (note) => notes.push(note) })
  journal.append(() => entry(number, { payload }))
  await journal.close()
  return notes
}

describe('a journal that is opened later', () => {
  it('is written when it is closed, by many at once into one chain', async () => {
    const file = newFile()
    const numbers = Array.from({ length: 8 }, (_, at) => at + 1)
    const others = [startWriter(file, 20, { opens: 'later' }), startWriter(file, 20)].map(finished)
    expect(await Promise.all(numbers.map((number) => recordOnce(file, number)))).toEqual(numbers.map(() => []))
    for (const { exit, output } of await Promise.all(others)) expect({ exit, output }).toMatchObject({ exit: 0 })
    const found = await collect(queryJournal(file))
    expect(found.length).toBe(numbers.length + 40)
    expect((await verifyJournal(file)).status).toBe('intact')
  })

  it('has no secrets in it', async () => {
    const file = newFile()
    const token = `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'}`
    await recordOnce(file, 1, { command: `curl -H ${token}` })
    expect(readFileSync(file, 'utf8')).toContain('[REDACTED:github-token]')
    expect(readFileSync(file, 'utf8')).not.toContain(token)
  })

  it('says that its file cannot be written, and stops nobody', async () => {
    const file = newFile()
    mkdirSync(dirname(file), { recursive: true })
    symlinkSync('/dev/null', file)
    expect(await recordOnce(file, 1)).toMatchObject([{ code: 'journal-open' }])
  })

  it('does not wait for the end of a process that lives on', async () => {
    const file = newFile()
    const journal = await openJournal({ file, opens: 'later' })
    journal.append(entry(1))
    await expect.poll(() => linesOf(file).length, { timeout: 20_000 }).toBe(2)
    journal.append(entry(2))
    await journal.close()
    expect((await collect(queryJournal(file))).map(({ dispatch }) => dispatch)).toEqual(['d1', 'd2'])
  })

  it('whoever closes it waits for what another has begun to write', async () => {
    const file = newFile()
    const journal = await openJournal({ file, opens: 'later' })
    journal.append(entry(1))
    const flushing = journal.flush()
    await journal.close()
    expect(linesOf(file)).toHaveLength(2)
    await flushing
  })

  it('that could not be opened is tried again for the next entry', async () => {
    const file = newFile()
    mkdirSync(dirname(file), { recursive: true })
    symlinkSync('/dev/null', file)
    const journal = await openJournal({ file, opens: 'later', onFailure: 'block' })
    await expect(journal.append(entry(1))).rejects.toThrow(/symbolic link/)
    unlinkSync(file)
    await journal.append(entry(2))
    await journal.close()
    expect((await collect(queryJournal(file))).map(({ dispatch }) => dispatch)).toEqual(['d2'])
  })

  it('is written though a pipe lies where its lock would be', async () => {
    const file = newFile()
    mkdirSync(dirname(file), { recursive: true })
    execFileSync('mkfifo', [`${file}.lock`])
    expect(await recordOnce(file, 1)).toEqual([])
    expect(linesOf(file)).toHaveLength(2)
  })

  it('is opened for the verdict that must wait for it, and refuses what it cannot keep', async () => {
    const file = newFile()
    mkdirSync(dirname(file), { recursive: true })
    symlinkSync('/dev/null', file)
    const journal = await openJournal({ file, opens: 'later', onFailure: 'block' })
    await expect(journal.append(entry(1))).rejects.toThrow(/symbolic link/)
    await journal.close()
  })
})
