import { createHash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHooks, openJournal, verifyJournal } from 'hookline'
import { payload } from './kit/event.mjs'
import { interleave } from './kit/measure.mjs'
import { atLeast, perSecond, rate, row } from './kit/row.mjs'

/** Entries as a real dispatch leaves them; the floors do to the same bytes what no journal can do without. */
export default async function ({ quick }) {
  const directory = mkdtempSync(join(tmpdir(), 'hookline-bench-'))
  const entries = quick ? 10_000 : 50_000
  const rounds = quick ? 3 : 5
  const input = await realEntry()
  let made = 0
  try {
    const file = join(directory, 'journal.jsonl')
    await writeEntries(file)
    const text = readFileSync(file, 'utf8')
    const lines = text.split('\n').length - 1
    const writing = await interleave(
      {
        ours: () => writeEntries(join(directory, `${made++}.jsonl`)),
        other: () => hashAndWrite(text, join(directory, `${made++}.jsonl`)),
      },
      { rounds, warmUp: 1 },
    )
    const reading = await interleave(
      {
        ours: async () => {
          const { status, entries: intact } = await verifyJournal(file)
          if (status !== 'intact' || intact !== lines)
            throw new Error(`verify reported ${status} of ${intact}/${lines}`)
        },
        other: () => readAndHash(file),
      },
      { rounds, warmUp: 1 },
    )
    const perEntry = ({ p50, min }) => ({ p50: p50 / entries, min: min / entries })
    const rowOf = (what, { ours, other }, floor, bar) =>
      row({
        what,
        ours: perSecond(perEntry(ours), ' entries'),
        other: `${floor}: ${perSecond(perEntry(other))}`,
        ratio: ours.p50 / other.p50,
        bar: atLeast(bar, '/s'),
        value: rate(perEntry(ours).p50),
        note: `${Math.round(text.length / lines)} bytes an entry`,
      })
    return [
      rowOf('journal, `durability: batch`, secrets removed, chained', writing, 'hash, write, sync', 50_000),
      rowOf('verify a journal', reading, 'read, hash', 200_000),
    ]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }

  async function writeEntries(file) {
    const journal = await openJournal({ file, durability: 'batch' })
    for (let count = 0; count < entries; count++) journal.append(input)
    await journal.close()
  }
}

async function realEntry() {
  const run = () => ({ decision: { ruling: 'deny', reason: 'Run the tests one by one.' } })
  const hooks = await createHooks({ hooks: [{ id: 'one', event: 'pre_tool_use', run }] })
  await hooks.raise('pre_tool_use', payload)
  for await (const { seq: _place, ...entry } of hooks.journal.entries()) {
    await hooks.close()
    return entry
  }
}

/** Each line hashed, all written in blocks, synced once. */
function hashAndWrite(text, file) {
  const descriptor = openSync(file, 'w')
  let block = ''
  for (const line of text.split('\n')) {
    block += `${line}${createHash('sha256').update(line).digest('hex')}\n`
    if (block.length < 512 * 1024) continue
    writeSync(descriptor, block)
    block = ''
  }
  writeSync(descriptor, block)
  fdatasyncSync(descriptor)
  closeSync(descriptor)
}

async function readAndHash(file) {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) hash.update(chunk)
  return hash.digest('hex')
}
