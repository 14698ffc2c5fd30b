import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { writeOnce } from '../../src/journal/file.ts'
import { type Entry, openJournal, queryJournal, verifyJournal } from '../../src/journal/index.ts'
import {
  collect,
  entry,
  finished,
  linesOf,
  newFile,
  openNoted,
  plain,
  recordsOf,
  startWriter,
  writeJournal,
} from './support.ts'

const beside = (file: string, mark: string) =>
  readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.${mark}`))

describe('a torn end', () => {
  it('is distinguished from tampering, set aside on opening, and recorded', async () => {
    const file = newFile()
    await writeJournal(file, 3)
    const whole = readFileSync(file)
    appendFileSync(
      file,
      linesOf(file)[3]!
        .replace('"seq":3', '"seq":4')
        .replace(/"prev":"\w+"/, `"prev":"${recordsOf(file)[3].hash}"`)
        .slice(0, 150),
    )
    expect(await verifyJournal(file)).toMatchObject({ status: 'torn', at: 4, entries: 4 })

    const { journal, codes } = await openNoted({ file })
    journal.append(entry(4))
    await journal.close()
    expect(codes()).toEqual(['journal-torn'])
    const [torn] = beside(file, 'torn-')
    expect(readFileSync(join(dirname(file), torn!)).length).toBe(150)
    expect(readFileSync(file).subarray(0, whole.length)).toEqual(whole)
    expect(recordsOf(file)[4]).toMatchObject({ kind: 'recovery', torn: { bytes: 150, file: torn } })
    expect(await verifyJournal(file)).toMatchObject({ status: 'intact', entries: 6, recoveries: 1 })
  })

  it('is recovered wherever the last write was cut: earlier entries stay, and the chain goes on', async () => {
    const file = newFile()
    await writeJournal(file, 2)
    const whole = readFileSync(file)
    const lastLine = whole.lastIndexOf('\n', whole.length - 2) + 1
    const cuts = [
      1,
      2,
      8,
      30,
      90,
      120,
      whole.length - lastLine - 76,
      whole.length - lastLine - 2,
      whole.length - lastLine - 1,
    ]
    for (const cut of cuts) {
      const copy = join(dirname(file), `cut-${cut}.jsonl`)
      writeFileSync(copy, whole.subarray(0, lastLine + cut))
      await writeJournal(copy, 1, { onNote: () => {} })
      expect(await verifyJournal(copy), `cut at ${cut}`).toMatchObject({ status: 'intact', entries: 4, recoveries: 1 })
    }
  })

  it('of zeros, as a power cut leaves them, and a torn first line, are recovered too', async () => {
    const file = newFile()
    await writeJournal(file, 2)
    const whole = readFileSync(file)
    const torn = {
      zeros: Buffer.concat([whole, Buffer.alloc(4096)]),
      first: whole.subarray(0, 60),
      none: Buffer.alloc(512),
    }
    for (const [name, bytes] of Object.entries(torn)) {
      const copy = join(dirname(file), `${name}.jsonl`)
      writeFileSync(copy, bytes)
      expect((await verifyJournal(copy)).status, name).not.toMatch(/intact|tampered/)
      await writeJournal(copy, 1, { onNote: () => {} })
      expect(await verifyJournal(copy), name).toMatchObject({ status: 'intact', recoveries: 1 })
    }
  })

  it('with a newline is no torn end: the file is kept as evidence, and a new log begins', async () => {
    const file = newFile()
    await writeJournal(file, 3)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"ls"(?![\s\S]*"ls")/, '"rm"'))
    const { journal, codes } = await openNoted({ file })
    journal.append(entry(1))
    await journal.close()
    expect(codes()).toEqual(['journal-cut'])
    const [damaged] = beside(file, 'damaged-')
    expect(await verifyJournal(join(dirname(file), damaged!))).toMatchObject({ status: 'tampered', at: 3 })
    expect(recordsOf(file)[0]).toMatchObject({ seq: 0, previous: { cause: 'damaged', file: damaged } })
    expect(await verifyJournal(file)).toMatchObject({ status: 'intact', entries: 2 })
  })
})

describe('a killed process', () => {
  it('leaves a journal that opens and verifies, whenever it is killed', async () => {
    const file = newFile()
    const size = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0
    for (const written of [0, 1_000, 60_000]) {
      const before = size()
      const writer = startWriter(file, 1_000_000, { durability: 'none', batchMs: 1 })
      const ended = finished(writer)
      await new Promise((resolve) => writer.stdout?.once('data', resolve))
      while (size() < before + written) await new Promise((resolve) => setTimeout(resolve, 1))
      writer.kill('SIGKILL')
      expect((await ended).signal).toBe('SIGKILL')
      const { status } = await verifyJournal(file)
      expect(['intact', 'torn']).toContain(status)
    }
    await writeJournal(file, 1, { onNote: () => {} })
    const result = await verifyJournal(file)
    expect(result.status).toBe('intact')
    expect(result.entries).toBeGreaterThan(20)
  })

  it('that held the lock does not stop others', async () => {
    const file = newFile()
    await writeJournal(file, 1)
    const gone = startWriter(newFile(), 0)
    await finished(gone)
    writeFileSync(`${file}.lock`, `${gone.pid} ${hostname()} x`)
    await writeJournal(file, 1)
    expect(existsSync(`${file}.lock`)).toBe(false)
    expect(await verifyJournal(file)).toMatchObject({ status: 'intact', entries: 3 })
  })

  it('that was killed before it could put its name on the lock does not stop others', async () => {
    const file = newFile()
    await writeJournal(file, 1)
    writeFileSync(`${file}.lock`, '')
    await writeJournal(file, 1)
    expect(existsSync(`${file}.lock`)).toBe(false)
    expect(await verifyJournal(file)).toMatchObject({ status: 'intact', entries: 3 })
  })

  it('that ends without closing has written everything', async () => {
    const file = newFile()
    const writer = startWriter(file, 50, { batchMs: 60_000, leaveOpen: true } as object)
    expect((await finished(writer)).exit).toBe(0)
    expect(await verifyJournal(file)).toMatchObject({ status: 'intact', entries: 51 })
  })
})

describe('several processes', () => {
  it('append to one file without losing, mixing or forking anything, through rotation too', async () => {
    const file = newFile()
    const options = { durability: 'none', batchMs: 1, maxBytes: 200_000, keep: 100 } as const
    const writers = Array.from({ length: 6 }, () => startWriter(file, 300, options))
    const ends = await Promise.all(writers.map(finished))
    for (const { exit, output } of ends)
      expect({ exit, output }).toEqual({ exit: 0, output: expect.stringContaining('"lost":0') })
    const result = await verifyJournal(file, { across: true })
    expect(result).toMatchObject({ status: 'intact', from: 0, lost: 0 })
    const { journal } = await openNoted({ file })
    const dispatches = (await collect(journal.entries())).map(({ dispatch }) => dispatch)
    await journal.close()
    expect(new Set(dispatches).size).toBe(6 * 300)
    expect(dispatches.length).toBe(6 * 300)
    for (const { pid } of writers) {
      const own = dispatches.filter((dispatch) => dispatch.startsWith(`${pid}-`))
      expect(own).toEqual(Array.from({ length: 300 }, (_, index) => `${pid}-${index + 1}`))
    }
  })

  it.each<[count: number, how: string, each: number, options: object]>([
    [64, 'that write once and end, as hosts start them', 5, { opens: 'later' }],
    [16, 'that keep the journal open', 20, { batchMs: 1 }],
    [16, 'that end without closing it', 20, { batchMs: 60_000, leaveOpen: true }],
    [16, 'that wait for the disk', 20, { durability: 'full', onFailure: 'block' }],
  ])('%i processes %s lose no entry', async (count, _how, each, options) => {
    const file = newFile()
    const writers = Array.from({ length: count }, () => startWriter(file, each, options))
    for (const { exit, output } of await Promise.all(writers.map(finished))) {
      expect({ exit, output }).toEqual({ exit: 0, output: expect.stringContaining('"lost":0') })
    }
    expect(await verifyJournal(file)).toMatchObject({
      status: 'intact',
      lost: 0,
      recoveries: 0,
      entries: 1 + count * each,
    })
    const written = (await collect(queryJournal(file))).map(({ dispatch }) => dispatch)
    const expected = writers.flatMap(({ pid }) => Array.from({ length: each }, (_, at) => `${pid}-${at + 1}`))
    expect(written.toSorted()).toEqual(expected.toSorted())
    expect(readdirSync(dirname(file)).toSorted()).toEqual([basename(file), `${basename(file)}.lost`])
  })

  it('two journals in one process share a file as well', async () => {
    const file = newFile()
    const [one, two] = [await openNoted({ file }), await openNoted({ file })]
    for (let number = 1; number <= 20; number++) {
      for (const { journal } of [one, two]) journal.append(entry(number))
      await Promise.all([one.journal.flush(), two.journal.flush()])
    }
    await Promise.all([one.journal.close(), two.journal.close()])
    expect([...one.notes, ...two.notes]).toEqual([])
    expect(await verifyJournal(file)).toMatchObject({ status: 'intact', entries: 41 })
  })
})

describe('a disk that fails', () => {
  const isRoot = process.getuid?.() === 0
  const mounts: string[] = []
  afterAll(() => {
    for (const mount of mounts) execFileSync('umount', [mount])
  })
  const mountSmall = (): string | undefined => {
    const directory = dirname(newFile())
    mkdirSync(directory, { recursive: true })
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory], { stdio: 'ignore' })
    } catch {
      return undefined
    }
    mounts.push(directory)
    return directory
  }

  it.runIf(isRoot && process.platform === 'linux')(
    'full: entries are lost and counted, earlier ones stay intact, and it recovers',
    async (test) => {
      const directory = mountSmall()
      if (directory === undefined) return test.skip()
      const file = join(directory, 'journal.jsonl')
      const received: Entry[] = []
      const { journal, codes } = await openNoted({ file })
      journal.subscribe((entry) => received.push(entry))
      journal.append(entry(1))
      await journal.flush()
      writeFileSync(join(directory, 'ballast'), Buffer.alloc(48 * 1024))
      for (let number = 2; number <= 6; number++) {
        journal.append(entry(number, { payload: 'x'.repeat(20_000) }))
        await journal.flush()
      }
      expect(journal.state()).toMatchObject({ healthy: false, lost: 5, lastError: expect.stringContaining('ENOSPC') })
      expect(codes()).toEqual(['journal-failed'])
      expect(await verifyJournal(file)).toMatchObject({ status: 'intact', entries: 2 })

      unlinkSync(join(directory, 'ballast'))
      journal.append(entry(7))
      await journal.flush()
      expect(journal.state()).toMatchObject({ healthy: true, lost: 5 })
      expect(recordsOf(file).at(-1)).toMatchObject({ dispatch: 'd7', lost: 5 })
      expect(await verifyJournal(file)).toMatchObject({ status: 'intact', entries: 3, lost: 5 })
      expect(received.map(({ dispatch, seq }) => [dispatch, seq])).toEqual([
        ['d1', 1],
        ...[2, 3, 4, 5, 6].map((n) => [`d${n}`, undefined]),
        ['d7', 2],
      ])
      await journal.close()
    },
  )

  it.runIf(isRoot && process.platform === 'linux')(
    'full: what processes lost that have ended is counted by the next that can write',
    async (test) => {
      const directory = mountSmall()
      if (directory === undefined) return test.skip()
      const file = join(directory, 'journal.jsonl')
      const once = (number: number, payload = '') => writeOnce({ file, ...plain }, [entry(number, { payload })])
      await once(1)
      writeFileSync(join(directory, 'ballast'), Buffer.alloc(48 * 1024))
      for (const number of [2, 3, 4]) await expect(once(number, 'x'.repeat(20_000))).rejects.toThrow(/ENOSPC/)
      unlinkSync(join(directory, 'ballast'))
      await once(5)
      await once(6)
      expect(recordsOf(file).map(({ dispatch, lost }) => [dispatch, lost])).toEqual([
        [undefined, undefined],
        ['d1', undefined],
        ['d5', 3],
        ['d6', undefined],
      ])
    },
  )

  it('a limit on the file cuts a write short: what was written of it is taken back', async () => {
    const file = newFile()
    const ended = await finished(startWriter(file, 300, { durability: 'none', batchMs: 1 }, 'ulimit -f 100; exec "$@"'))
    expect(ended).toMatchObject({ exit: 0, output: /"healthy":false,"lost":[1-9]/ })
    const result = await verifyJournal(file)
    expect(result.status).toBe('intact')
    expect(result.entries).toBeGreaterThan(10)
  })

  const unwritable = () => {
    if (isRoot) return '/proc/hookline-journal/journal.jsonl'
    const directory = dirname(newFile())
    mkdirSync(directory, { recursive: true })
    chmodSync(directory, 0o500)
    return join(directory, 'journal.jsonl')
  }

  it('that cannot be written is a note and a count when the policy is to continue', async () => {
    const { journal, codes } = await openNoted({ file: unwritable() })
    expect(codes()).toEqual(['journal-failed'])
    expect(journal.append(entry(1))).toBeUndefined()
    await journal.flush()
    expect(journal.state()).toMatchObject({ healthy: false, lost: 1 })
    await journal.close()
  })

  it('stops the opening, and each append, when the policy is to block', async () => {
    await expect(openJournal({ file: unwritable(), onFailure: 'block', ...plain })).rejects.toMatchObject({
      code: 'journal-open',
    })
    const file = newFile()
    const { journal } = await openNoted({ file, onFailure: 'block' })
    await journal.append(entry(1))
    renameSync(dirname(file), `${dirname(file)}-gone`)
    writeFileSync(dirname(file), 'a file where the directory was')
    await expect(journal.append(entry(2))).rejects.toMatchObject({ code: 'journal-failed' })
    unlinkSync(dirname(file))
    renameSync(`${dirname(file)}-gone`, dirname(file))
    await journal.append(entry(3))
    await journal.close()
    expect(recordsOf(file).map(({ dispatch, lost }) => [dispatch, lost])).toEqual([
      [undefined, undefined],
      ['d1', undefined],
      ['d3', 1],
    ])
  })
})

describe('other programs that move the file', () => {
  it('by renaming: a new file goes on from the old one, which stays intact', async () => {
    const file = newFile()
    const { journal, codes } = await openNoted({ file })
    journal.append(entry(1))
    await journal.flush()
    renameSync(file, `${file}.1`)
    journal.append(entry(2))
    await journal.close()
    expect(codes()).toEqual(['journal-cut'])
    expect(recordsOf(file)[0]).toMatchObject({ seq: 2, previous: { cause: 'moved', entries: 2 } })
    expect(await verifyJournal(file, { across: true })).toMatchObject({ status: 'intact', entries: 4, from: 0 })
  })

  it('by copying and emptying it: recorded, and copy and file are one log', async () => {
    const file = newFile()
    const { journal, codes } = await openNoted({ file })
    journal.append(entry(1))
    await journal.flush()
    copyFileSync(file, `${file}.1`)
    truncateSync(file, 0)
    journal.append(entry(2))
    await journal.close()
    expect(codes()).toEqual(['journal-cut'])
    expect(recordsOf(file)[0]).toMatchObject({ previous: { cause: 'truncated', entries: 2 } })
    expect(await verifyJournal(file, { across: true })).toMatchObject({ status: 'intact', entries: 4 })
  })

  it('by removing the directory: it is made again', async () => {
    const file = newFile()
    const { journal } = await openNoted({ file })
    renameSync(dirname(file), `${dirname(file)}-gone`)
    journal.append(entry(1))
    await journal.close()
    expect(await verifyJournal(file)).toMatchObject({ status: 'intact', entries: 2 })
  })

  it('or that cut entries off while it is open: it is noted, and verify finds the place', async () => {
    const file = newFile()
    const { journal, codes } = await openNoted({ file })
    for (let number = 1; number <= 5; number++) journal.append(entry(number))
    await journal.flush()
    truncateSync(file, Buffer.byteLength(`${linesOf(file).slice(0, 3).join('\n')}\n`))
    journal.append(entry(6))
    await journal.close()
    expect(codes()).toEqual(['journal-cut'])
    expect(await verifyJournal(file)).toMatchObject({ status: 'tampered', at: 3 })
  })

  it('or a crash between renaming the full file and beginning the next: it goes on', async () => {
    const file = newFile()
    await writeJournal(file, 3)
    renameSync(file, `${file}.0`)
    await writeJournal(file, 1)
    expect(await verifyJournal(file, { across: true })).toMatchObject({ status: 'intact', from: 0, entries: 6 })
  })
})
