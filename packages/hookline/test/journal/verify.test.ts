import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Checkpoint, openJournal, type VerifyOptions, verifyJournal } from '../../src/journal/index.ts'
import { makeDigest, writeLine } from '../../src/journal/line.ts'
import fc from '../support/property.ts'
import { entry, linesOf, newFile, openNoted, plain, recordsOf, writeJournal } from './support.ts'

/** A journal of a genesis and ten entries, so that entry k is line k, counted from 0. */
const count = 10
let original: string
let checkpoint: Checkpoint

beforeAll(async () => {
  const file = newFile()
  const journal = await openJournal({ file, durability: 'none', ...plain })
  for (let number = 1; number <= count; number++) journal.append(entry(number))
  await journal.flush()
  checkpoint = journal.checkpoint()
  await journal.close()
  original = readFileSync(file, 'utf8')
})

const lines = () => original.trimEnd().split('\n')

async function verifyText(text: string | Buffer, options?: VerifyOptions) {
  const file = newFile().replace('/state/', '/')
  writeFileSync(file, text)
  return verifyJournal(file, options)
}
const verifyLines = (changed: readonly string[], options?: VerifyOptions) =>
  verifyText(`${changed.join('\n')}\n`, options)

/** A line with another content and a hash that fits it, as somebody without a key can make it. */
function reseal(line: string, change: (content: string) => string, key?: string): string {
  const { seq, prev, hash: _, ...rest } = JSON.parse(line)
  return writeLine(seq, prev, change(JSON.stringify(rest)), makeDigest(key)).line
}

describe('an untouched journal', () => {
  it('is intact, and reports its length and head', async () => {
    const result = await verifyText(original)
    expect(result).toMatchObject({ status: 'intact', entries: count + 1, from: 0, head: checkpoint.head, lost: 0 })
    expect(result.log).toBe(checkpoint.log)
    expect(result.at).toBeUndefined()
  })

  it('is intact against its own checkpoint, and against an older one after growing', async () => {
    expect(await verifyText(original, { checkpoint })).toMatchObject({ status: 'intact' })
    const older = { log: checkpoint.log, count: 4, head: JSON.parse(lines()[3]!).hash }
    expect(await verifyText(original, { checkpoint: older })).toMatchObject({ status: 'intact' })
  })

  it('can be checked by hand: the hash is SHA-256 over the bytes before it', () => {
    for (const line of lines()) {
      const content = line.slice(0, line.lastIndexOf(',"hash":'))
      expect(makeDigest()(content)).toBe(JSON.parse(line).hash)
    }
  })

  it('stays intact when the clock went backwards: seq gives the order', async () => {
    const file = newFile()
    const { journal } = await openNoted({ file })
    for (const number of [5, 4, 3]) journal.append(entry(number))
    await journal.close()
    expect(recordsOf(file).map(({ seq }) => seq)).toEqual([0, 1, 2, 3])
    expect(await verifyJournal(file)).toMatchObject({ status: 'intact', entries: 4 })
  })
})

describe('a changed journal is tampered at the entry that was changed', () => {
  const cases: Record<string, { change: (all: string[]) => string[]; at: number }> = {
    'a changed byte': { change: (all) => all.with(4, all[4]!.replace('"ls"', '"lx"')), at: 4 },
    'an edit with its own hash made anew is found at the next': {
      change: (all) =>
        all.with(
          4,
          reseal(all[4]!, (content) => content.replace('"ls"', '"rm"')),
        ),
      at: 5,
    },
    'a removed entry': { change: (all) => all.toSpliced(4, 1), at: 4 },
    'swapped entries': { change: (all) => all.with(4, all[5]!).with(5, all[4]!), at: 4 },
    'a repeated entry': { change: (all) => all.toSpliced(5, 0, all[4]!), at: 5 },
    'an inserted forgery': {
      change: (all) =>
        all.toSpliced(5, 0, writeLine(5, JSON.parse(all[4]!).hash, '{"kind":"dispatch"}', makeDigest()).line),
      at: 6,
    },
    'an empty line': { change: (all) => all.toSpliced(5, 0, ''), at: 5 },
    'an unfinished line in the middle': { change: (all) => all.with(4, all[4]!.slice(0, 100)), at: 4 },
    'the same JSON with keys in another order': {
      change: (all) => {
        const { hash, prev, ...rest } = JSON.parse(all[4]!)
        return all.with(4, JSON.stringify({ ...rest, prev, hash }))
      },
      at: 4,
    },
    'the same JSON with another escape': { change: (all) => all.with(4, all[4]!.replace('"ls"', '"\\u006cs"')), at: 4 },
    'the same number written otherwise': { change: (all) => all.with(4, all[4]!.replace('1.5', '1.50')), at: 4 },
    'a space after a line': { change: (all) => all.with(4, `${all[4]} `), at: 4 },
    'Windows line ends': { change: (all) => all.map((line) => `${line}\r`), at: 0 },
    'an upper-case hash': {
      change: (all) =>
        all.with(
          4,
          all[4]!.replace(/"hash":"\w+"/, (hash) => hash.replace(/[a-f]/g, (l) => l.toUpperCase())),
        ),
      at: 4,
    },
    'a removed beginning': { change: (all) => all.slice(3), at: 0 },
  }
  for (const [name, { change, at }] of Object.entries(cases)) {
    it(name, async () => {
      expect(await verifyLines(change(lines()))).toMatchObject({ status: 'tampered', at, entries: at })
    })
  }

  it('a line longer than any that is written', async () => {
    expect(await verifyText(`${original}${'x'.repeat(3_000_000)}\n`)).toMatchObject({
      status: 'tampered',
      at: count + 1,
    })
  })
})

describe('what a chain alone cannot tell', () => {
  it('entries cut off at the end are truncated against a checkpoint, and unnoticed without one', async () => {
    const cut = lines().slice(0, -3)
    expect(await verifyLines(cut)).toMatchObject({ status: 'intact', entries: count - 2 })
    expect(await verifyLines(cut, { checkpoint })).toMatchObject({ status: 'truncated', at: count - 2 })
  })

  it('a file that was emptied is truncated', async () => {
    expect(await verifyText('')).toMatchObject({ status: 'truncated', entries: 0 })
  })

  it('a file that is gone is missing', async () => {
    expect(await verifyJournal(newFile())).toMatchObject({ status: 'missing', entries: 0 })
  })

  it('a journal written anew is tampered against a checkpoint', async () => {
    const log = lines()
    let prev = JSON.parse(log[0]!).hash
    const forged = log.slice(1).map((line, index) => {
      const { seq: _seq, prev: _prev, hash: _hash, ...rest } = JSON.parse(line)
      const made = writeLine(index + 1, prev, JSON.stringify({ ...rest, outcome: 'allow' }), makeDigest())
      prev = made.hash
      return made.line
    })
    expect(await verifyLines([log[0]!, ...forged])).toMatchObject({ status: 'intact' })
    expect(await verifyLines([log[0]!, ...forged], { checkpoint })).toMatchObject({ status: 'tampered', at: count })
  })

  it('another journal in its place is tampered against a checkpoint', async () => {
    const other = newFile()
    await writeJournal(other, 20)
    expect(await verifyJournal(other, { checkpoint })).toMatchObject({ status: 'tampered', at: 0 })
  })
})

describe('with a key', () => {
  const key = 'a key the agent cannot read'

  it('only the same key verifies', async () => {
    const file = newFile()
    await writeJournal(file, 5, { key })
    expect(await verifyJournal(file, { key })).toMatchObject({ status: 'intact', entries: 6 })
    expect(await verifyJournal(file, { key: Buffer.from(key) })).toMatchObject({ status: 'intact' })
    expect(await verifyJournal(file, { key: 'another' })).toMatchObject({ status: 'tampered' })
    expect((await verifyJournal(file)).detail).toContain('key')
  })

  it('a journal written anew without it is tampered', async () => {
    expect(await verifyText(original, { key })).toMatchObject({ status: 'tampered', at: 0 })
  })

  it('a line sealed without it is tampered', async () => {
    const file = newFile()
    await writeJournal(file, 5, { key })
    const all = linesOf(file)
    writeFileSync(
      file,
      `${all
        .with(
          3,
          reseal(all[3]!, (content) => content),
        )
        .join('\n')}\n`,
    )
    expect(await verifyJournal(file, { key })).toMatchObject({ status: 'tampered', at: 3 })
  })

  it('opening with another key is refused, and changes nothing', async () => {
    const file = newFile()
    await writeJournal(file, 5, { key })
    const before = readFileSync(file, 'utf8')
    for (const other of [{ key: 'another' }, {}]) {
      await expect(openJournal({ file, ...plain, ...other })).rejects.toMatchObject({ code: 'journal-open' })
    }
    expect(readFileSync(file, 'utf8')).toBe(before)
  })
})

describe('properties', () => {
  const runs = { numRuns: 150 }
  const lineIndex = fc.integer({ min: 0, max: count })

  it('any changed byte is found, at its line', async () => {
    const bytes = Buffer.from(original)
    const check = async (at: number, mask: number) => {
      const changed = Buffer.from(bytes)
      changed[at] = changed[at]! ^ mask
      const result = await verifyText(changed)
      const line = bytes.subarray(0, at).toString().split('\n').length - 1
      expect(result).toMatchObject({ status: 'tampered', at: line })
    }
    await fc.assert(fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), check), {
      ...runs,
      examples: [
        [bytes.length - 1, 1],
        [0, 1],
      ],
    })
  })

  it('any removed, repeated, moved or swapped line is found', async () => {
    const check = async (kind: string, from: number, to: number) => {
      const all = lines()
      const line = all[from]!
      const changes: Record<string, () => string[]> = {
        remove: () => all.toSpliced(from, 1),
        repeat: () => all.toSpliced(to, 0, line),
        move: () => all.toSpliced(from, 1).toSpliced(to, 0, line),
        swap: () => all.with(from, all[to]!).with(to, line),
      }
      const changed = changes[kind]!()
      fc.pre(changed.join() !== all.join())
      const result = await verifyLines(changed, { checkpoint })
      expect(['tampered', 'truncated']).toContain(result.status)
    }
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('remove', 'repeat', 'move', 'swap'), lineIndex, lineIndex, check),
      runs,
    )
  })

  it('a prefix is intact at line ends and torn elsewhere, and truncated against the checkpoint', async () => {
    const bytes = Buffer.from(original)
    const check = async (length: number) => {
      const prefix = bytes.subarray(0, length)
      const isWhole = prefix.at(-1) === 0x0a
      const alone = await verifyText(prefix)
      if (prefix.includes(0x0a)) expect(alone.status).toBe(isWhole ? 'intact' : 'torn')
      expect((await verifyText(prefix, { checkpoint })).status).toBe(length === bytes.length ? 'intact' : 'truncated')
    }
    await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: bytes.length }), check), { numRuns: 40 })
  })
})

describe('rotation', () => {
  const small = { maxBytes: 3000, keep: 100 }

  it('goes on in a new file that names the head and length of the one before', async () => {
    const file = newFile()
    await writeJournal(file, 20, small)
    const [first, second] = [recordsOf(`${file}.0`), recordsOf(`${file}.1`)]
    const last = first.at(-1)
    expect(second[0]).toMatchObject({
      kind: 'genesis',
      seq: last.seq + 1,
      prev: last.hash,
      log: first[0].log,
      previous: { cause: 'rotated', entries: last.seq + 1, head: last.hash, file: 'journal.jsonl.0' },
    })
  })

  it('all files together are one log; a later file alone is intact too', async () => {
    const file = newFile()
    await writeJournal(file, 20, small)
    const whole = await verifyJournal(file, { across: true })
    expect(whole).toMatchObject({ status: 'intact', from: 0 })
    const alone = await verifyJournal(file)
    expect(alone.status).toBe('intact')
    expect(alone.from + alone.entries).toBe(whole.entries)
  })

  it('a change in an older file, and an older file that is missing, are found', async () => {
    const file = newFile()
    await writeJournal(file, 20, small)
    const kept = readFileSync(`${file}.1`, 'utf8')
    writeFileSync(`${file}.1`, kept.replace('"ls"', '"lx"'))
    const changed = await verifyJournal(file, { across: true })
    expect(changed).toMatchObject({ status: 'tampered', file: `${file}.1` })
    writeFileSync(`${file}.1`, 'gone')
    expect(await verifyJournal(file, { across: true })).toMatchObject({ status: 'tampered' })
  })

  it('only as many files are kept as are wanted, and what is left still verifies', async () => {
    const file = newFile()
    await writeJournal(file, 40, { maxBytes: 3000, keep: 2 })
    const result = await verifyJournal(file, { across: true })
    expect(result.status).toBe('intact')
    expect(result.from).toBeGreaterThan(0)
  })

  it('a checkpoint holds over rotation', async () => {
    const file = newFile()
    const { journal: rotating } = await openNoted({ file, ...small })
    for (let number = 1; number <= 8; number++) rotating.append(entry(number))
    await rotating.flush()
    const early = rotating.checkpoint()
    for (let number = 9; number <= 30; number++) rotating.append(entry(number))
    await rotating.close()
    expect(await verifyJournal(file, { across: true, checkpoint: early })).toMatchObject({ status: 'intact' })
    const forged = { ...early, head: early.head.replace(/^./, (c) => (c === '0' ? '1' : '0')) }
    expect(await verifyJournal(file, { across: true, checkpoint: forged })).toMatchObject({ status: 'tampered' })
  })
})

it('verifying a long journal takes a fixed amount of memory', async () => {
  const file = newFile()
  const payload = { text: 'x'.repeat(20_000) }
  const { journal } = await openNoted({ file })
  for (let number = 1; number <= 1500; number++) journal.append(entry(number, { payload }))
  await journal.close()
  const before = process.memoryUsage().arrayBuffers
  expect(statSync(file).size).toBeGreaterThan(30_000_000)
  expect(await verifyJournal(file)).toMatchObject({ status: 'intact', entries: 1501 })
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8_000_000)
})
