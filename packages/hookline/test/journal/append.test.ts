import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type Entry,
  openJournal,
  partsOf,
  queryJournal,
  undecidedCalls,
  verifyJournal,
} from '../../src/journal/index.ts'
import { collect, entry, linesOf, newFile, openNoted, plain, recordsOf, writeJournal } from './support.ts'

describe('what is appended can be read back', () => {
  it('in order, each with its place', async () => {
    const { journal } = await openNoted({ file: newFile() })
    for (let number = 1; number <= 5; number++) journal.append(entry(number))
    expect(await collect(journal.entries())).toEqual(
      [1, 2, 3, 4, 5].map((number) => ({ seq: number, ...entry(number) })),
    )
    await journal.close()
  })

  it('in order, whether given whole or to be made later, and what cannot be made counts as lost', async () => {
    const file = newFile()
    const { journal } = await openNoted({ file, batchMs: 1 })
    for (let number = 1; number <= 200; number++) journal.append(number % 3 === 0 ? entry(number) : () => entry(number))
    journal.append(() => {
      throw new Error('no entry')
    })
    await journal.close()
    const kept = await collect(queryJournal(partsOf(file)))
    expect(kept.map(({ dispatch }) => dispatch)).toEqual(Array.from({ length: 200 }, (_, index) => `d${index + 1}`))
    expect(journal.state().lost).toBe(1)
  })

  it('from rotated files too, and after opening again', async () => {
    const file = newFile()
    await writeJournal(file, 10, { maxBytes: 2500 })
    const { journal } = await openNoted({ file, maxBytes: 2500 })
    journal.append(entry(11))
    const dispatches = (await collect(journal.entries())).map(({ dispatch }) => dispatch)
    expect(dispatches).toEqual(Array.from({ length: 11 }, (_, index) => `d${index + 1}`))
    expect(partsOf(file).length).toBeGreaterThan(2)
    await journal.close()
  })

  it('as it was when it was appended, whatever becomes of it', async () => {
    for (const file of [newFile(), undefined]) {
      const { journal } = await openNoted(file === undefined ? {} : { file })
      const payload = { tool_input: { command: 'before' } }
      journal.append(entry(1, { payload }))
      payload.tool_input.command = 'after'
      expect((await collect(journal.entries()))[0]?.payload).toEqual({ tool_input: { command: 'before' } })
      await journal.close()
    }
  })

  it('with integers too large for a double exact', async () => {
    const { journal } = await openNoted({ file: newFile() })
    journal.append(entry(1, { payload: { id: 9007199254740993n } }))
    expect((await collect(journal.entries()))[0]?.payload).toEqual({ id: 9007199254740993n })
    await journal.close()
  })

  it('within the batch time, without a flush', async () => {
    const file = newFile()
    const { journal } = await openNoted({ file, batchMs: 5 })
    journal.append(entry(1))
    await expect.poll(() => linesOf(file).length).toBe(2)
    await journal.close()
  })

  it('when append resolves, with full durability', async () => {
    const file = newFile()
    const { journal } = await openNoted({ file, durability: 'full' })
    await Promise.all([1, 2, 3].map((number) => journal.append(entry(number))))
    expect(linesOf(file).length).toBe(4)
    await journal.append(entry(4))
    expect(linesOf(file).length).toBe(5)
    await journal.close()
  })
})

describe('the file', () => {
  it('is readable for its owner only, in a directory of the same kind', async () => {
    const file = newFile()
    await writeJournal(file, 1)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
  })

  it('loses permissions that others had', async () => {
    const file = newFile()
    await writeJournal(file, 1)
    const loose = join(dirname(file), 'loose.jsonl')
    writeFileSync(loose, readFileSync(file), { mode: 0o644 })
    await writeJournal(loose, 1)
    expect(statSync(loose).mode & 0o777).toBe(0o600)
  })

  it('has one line per entry, whatever is in it', async () => {
    const file = newFile()
    const { journal } = await openNoted({ file })
    const hostile = 'a\n{"seq":2,"prev":"x"}\r\n\u001b[2J\u009b31m\u2028\u202e\ud800\0'
    journal.append(entry(1, { session_id: hostile, payload: { [hostile]: hostile } }))
    await journal.close()
    expect(linesOf(file).length).toBe(2)
    expect(readFileSync(file, 'utf8')).toMatch(/^[\x20-\x7e\n]*$/)
    expect(recordsOf(file)[1].session_id).toBe(hostile)
    expect(await verifyJournal(file)).toMatchObject({ status: 'intact' })
  })

  it('leaves no lock, and no handle, when closed', async () => {
    const file = newFile()
    await writeJournal(file, 3)
    expect(existsSync(`${file}.lock`)).toBe(false)
    const { journal } = await openNoted({ file })
    await journal.close()
    await journal.close()
    expect(() => journal.append(entry(1))).toThrow(expect.objectContaining({ code: 'closed' }))
  })
})

describe('refused', () => {
  const prepare = () => {
    const file = newFile()
    mkdirSync(dirname(file), { recursive: true })
    return file
  }

  it('a symbolic link, and what it points to is left alone', async () => {
    const file = prepare()
    const target = join(dirname(file), 'target')
    writeFileSync(target, 'precious')
    symlinkSync(target, file)
    await expect(openJournal({ file, ...plain })).rejects.toMatchObject({ code: 'journal-open' })
    expect(readFileSync(target, 'utf8')).toBe('precious')
  })

  it('a link that is planted while the journal is open: entries are lost, not diverted', async () => {
    const file = prepare()
    const { journal, codes } = await openNoted({ file })
    const target = join(dirname(file), 'target')
    writeFileSync(target, 'precious')
    renameSync(file, `${file}.gone`)
    symlinkSync(target, file)
    journal.append(entry(1))
    await journal.flush()
    expect(journal.state()).toMatchObject({ healthy: false, lost: 1 })
    expect(codes()).toContain('journal-failed')
    expect(readFileSync(target, 'utf8')).toBe('precious')
    await journal.close()
  })

  it('a directory, a pipe', async () => {
    const directory = prepare()
    mkdirSync(directory)
    const pipe = prepare()
    execFileSync('mkfifo', [pipe])
    for (const file of [directory, pipe]) {
      await expect(openJournal({ file, ...plain })).rejects.toMatchObject({ code: 'journal-open' })
    }
  })

  it('a file that is not a journal, and it is left alone', async () => {
    for (const text of ['some notes\n', 'no newline', '{"seq":0}\n']) {
      const file = prepare()
      writeFileSync(file, text)
      await expect(openJournal({ file, ...plain })).rejects.toMatchObject({ code: 'journal-open' })
      expect(readFileSync(file, 'utf8')).toBe(text)
    }
  })
})

describe('what is kept of an entry', () => {
  it('goes through the redactor, and never around it', async () => {
    const file = newFile()
    const received: Entry[] = []
    const redact = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll('hunter2', '[REDACTED]'))
    const { journal } = await openNoted({ file, redact })
    journal.subscribe((entry) => received.push(entry))
    journal.append(entry(1, { decision: { ruling: 'deny', reason: 'hunter2' }, payload: { password: 'hunter2' } }))
    await journal.close()
    expect(readFileSync(file, 'utf8')).not.toContain('hunter2')
    expect(JSON.stringify(received)).not.toContain('hunter2')
    expect(recordsOf(file)[1].payload).toEqual({ password: '[REDACTED]' })
  })

  it('without a redactor given, the secrets guard is one', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`
    for (const file of [newFile(), undefined]) {
      const journal = await openJournal({ ...(file !== undefined && { file }), durability: 'none' })
      journal.append(entry(1, { payload: { tool_input: { command: `curl -H "Authorization: Bearer ${secret}"` } } }))
      expect(JSON.stringify(await collect(journal.entries()))).not.toContain(secret)
      if (file !== undefined) expect(readFileSync(file, 'utf8')).not.toContain(secret)
      await journal.close()
    }
  })

  it('when redaction fails, only that it happened', async () => {
    const file = newFile()
    const redact = () => {
      throw new Error('hunter2')
    }
    const { journal } = await openNoted({ file, redact })
    journal.append(entry(1, { payload: { password: 'hunter2' } }))
    await journal.close()
    expect(readFileSync(file, 'utf8')).not.toContain('hunter2')
    expect(recordsOf(file)[1]).toMatchObject({ event: 'pre_tool_use', dispatch: 'd1' })
  })

  it('what cannot be serialised does not throw', async () => {
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    for (const file of [newFile(), undefined]) {
      const { journal } = await openNoted(file === undefined ? {} : { file })
      journal.append(entry(1, { payload: circular }))
      expect(await collect(journal.entries())).toMatchObject([{ dispatch: 'd1' }])
      await journal.close()
    }
  })

  it('a huge field is clipped to its beginning, its length and its hash, and the line stays short', async () => {
    const file = newFile()
    const { journal } = await openNoted({ file })
    journal.append(entry(1, { payload: { tool_input: { content: 'x'.repeat(10_000_000), path: 'a.txt' } } }))
    journal.append(entry(2, { payload: Array.from({ length: 5000 }, () => 'ä'.repeat(1000)) }))
    journal.append(
      entry(3, { payload: Object.fromEntries(Array.from({ length: 50_000 }, (_, key) => [`k${key}`, key])) }),
    )
    await journal.close()
    for (const line of linesOf(file)) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(256 * 1024)
    const { tool_input } = recordsOf(file)[1].payload
    expect(tool_input).toMatchObject({ path: 'a.txt', content: { clipped: true, length: 10_000_000 } })
    expect(tool_input.content.sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(recordsOf(file)[3]).toMatchObject({ dispatch: 'd3', payload: { clipped: true } })
    expect(await verifyJournal(file)).toMatchObject({ status: 'intact', entries: 4 })
  })

  it('the payload can be left out, or only its digest kept, which a key makes unguessable', async () => {
    const payload = { tool_input: { command: 'ls' } }
    const kept = async (options: object) => {
      const file = newFile()
      const { journal } = await openNoted({ file, ...options })
      journal.append(entry(1, { payload }))
      await journal.close()
      return recordsOf(file)[1].payload
    }
    expect(await kept({ payload: 'none' })).toBeUndefined()
    const [bare, keyed] = [await kept({ payload: 'digest' }), await kept({ payload: 'digest', key: 'k' })]
    expect(keyed).toEqual({ digest: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(keyed).not.toEqual(bare)
  })

  it('only eventful dispatches, unless all are wanted', async () => {
    for (const file of [newFile(), undefined]) {
      for (const [record, expected] of [
        ['asked', 1],
        ['all', 2],
      ] as const) {
        const { journal } = await openNoted({ ...(file !== undefined && { file: `${file}-${record}` }), record })
        journal.append(entry(1, { hooks: [{ id: 'a', stage: 0, asked: false }] }))
        journal.append(entry(2))
        expect((await collect(journal.entries())).length).toBe(expected)
        await journal.close()
      }
    }
  })
})

describe('subscribers', () => {
  it('get each entry with its place, in order, until they stop', async () => {
    for (const file of [newFile(), undefined]) {
      const { journal } = await openNoted(file === undefined ? {} : { file })
      const received: Entry[] = []
      const stop = journal.subscribe((entry) => received.push(entry))
      journal.append(entry(1))
      journal.append(entry(2))
      await journal.flush()
      stop()
      journal.append(entry(3))
      await journal.flush()
      expect(received.map(({ dispatch }) => dispatch)).toEqual(['d1', 'd2'])
      expect(received[1]!.seq! - received[0]!.seq!).toBe(1)
      await journal.close()
    }
  })

  it('that throw, or append themselves, harm nobody', async () => {
    const { journal } = await openNoted({ file: newFile() })
    const received: string[] = []
    journal.subscribe(() => {
      throw new Error('broken subscriber')
    })
    journal.subscribe(({ dispatch }) => {
      received.push(dispatch)
      if (dispatch === 'd1') journal.append(entry(2))
    })
    const warned = new Promise((resolve) => process.once('warning', resolve))
    journal.append(entry(1))
    await journal.flush()
    await journal.flush()
    expect(received).toEqual(['d1', 'd2'])
    expect(await warned).toMatchObject({ message: 'broken subscriber' })
    await journal.close()
  })
})

describe('in memory', () => {
  it('only the last entries are kept', async () => {
    const { journal } = await openNoted({ capacity: 1000 })
    for (let number = 1; number <= 1500; number++) journal.append(entry(number))
    const kept = await collect(journal.entries())
    expect(kept.length).toBe(1000)
    expect(kept[0]).toMatchObject({ dispatch: 'd501', seq: 500 })
    expect(kept.at(-1)).toMatchObject({ dispatch: 'd1500' })
    expect(journal.checkpoint().count).toBe(1500)
  })
})

describe('queries', () => {
  const entries = [
    entry(1, { session_id: 'one', outcome: 'deny', decision: { ruling: 'deny', reason: 'no' } }),
    entry(2, { session_id: 'two', event: 'stop', synthetic: true }),
    entry(3, {
      session_id: 'one',
      hooks: [
        { id: 'other', stage: 0, asked: true },
        { id: 'guard', stage: 0, asked: false },
      ],
    }),
    entry(4, { session_id: 'two', tool_name: 'edit' }),
  ]
  const cases = [
    [{}, ['d1', 'd2', 'd3', 'd4']],
    [{ session: 'one' }, ['d1', 'd3']],
    [{ event: 'stop' }, ['d2']],
    [{ hook: 'other' }, ['d3']],
    [{ hook: 'guard', session: 'one' }, ['d1']],
    [{ decision: 'deny' }, ['d1']],
    [{ outcome: 'no-opinion', synthetic: false }, ['d3', 'd4']],
    [{ tool: 'edit' }, ['d4']],
    [{ since: entries[1]!.time, until: new Date(entries[3]!.time) }, ['d2', 'd3']],
  ] as const

  it('select by session, event, hook, decision, outcome, tool and time', async () => {
    const file = newFile()
    const { journal } = await openNoted({ file })
    for (const one of entries) journal.append(one)
    await journal.close()
    for (const [filter, expected] of cases) {
      const found = await collect(queryJournal(file, filter))
      expect(
        found.map(({ dispatch }) => dispatch),
        JSON.stringify(filter),
      ).toEqual(expected)
    }
    expect((await collect(queryJournal([file, file]))).length).toBe(8)
  })

  it('pass over lines that are not entries', async () => {
    const file = newFile()
    await writeJournal(file, 2)
    writeFileSync(file, `garbage\n${readFileSync(file, 'utf8')}{"torn`)
    expect((await collect(queryJournal(file))).length).toBe(2)
  })

  it('find tool calls that ran without a decision, or against one', async () => {
    const file = newFile()
    const { journal } = await openNoted({ file, record: 'all' })
    const ran = { event: 'post_tool_use' } as const
    const calls = ['decided', 'denied', 'unknown']
    journal.append(entry(1, { tool_use_id: 'decided' }))
    journal.append(entry(2, { tool_use_id: 'denied', outcome: 'deny' }))
    for (const tool_use_id of calls) journal.append(entry(3, { ...ran, tool_use_id }))
    await journal.close()
    expect((await collect(undecidedCalls(file))).map(({ tool_use_id }) => tool_use_id)).toEqual(['denied', 'unknown'])
  })
})
