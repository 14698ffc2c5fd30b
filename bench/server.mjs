import { fork } from 'node:child_process'
import { Agent, get } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openJournal } from 'hookline/internal'
import { interleave, summarise } from './kit/measure.mjs'
import { atMost, below, number, ratioRow, row, time } from './kit/row.mjs'
import { entryNumber, fill, place, serve } from './kit/served.mjs'
import { bareSpawn } from './kit/spawn.mjs'

const Database = createRequire(new URL('../packages/server/package.json', import.meta.url))('libsql')
const columns =
  'e.id, e.seq, e.time, e.event, e.outcome, e.mark, e.subject, e.remark, e.reason, e.host, e.agent, e.session, e.project, e.tool, e.call, e.duration, e.synthetic, e.failed, e.failed_open'

/** The server as a process of its own, on a journal that is large. */
export default async function ({ quick }) {
  const at = place()
  try {
    const start = await starts(at, quick)
    const entries = quick ? 50_000 : 1_000_000
    const real = Math.min(entries, 20_000)
    await fill(at.journal, real)
    const first = await serve(at)
    await first.indexed(real)
    await first.end()
    multiply(join(at.root, 'index.db'), entries / real)
    const server = await serve(at)
    try {
      return [start, await reads(at, server, quick), await searches(server, entries), await streams(at, server, quick)]
    } finally {
      await server.end()
    }
  } finally {
    at.remove()
  }
}

/** The rows of the index so many times, under new numbers: as if the journal had been so long. */
function multiply(file, times) {
  const database = new Database(file)
  database.exec('pragma synchronous = off')
  const { most } = database.prepare('select max(id) as most from entries').get()
  const names = database
    .prepare('select * from entries limit 0')
    .columns()
    .flatMap(({ name }) => (name === 'id' ? [] : [name]))
  for (let copy = 1; copy < times; copy++) {
    const by = copy * most
    database.exec(`begin;
      insert into entries (id, ${names}) select id + ${by}, ${names} from entries where id <= ${most};
      insert into entry_text (rowid, body) select id + ${by}, subject || ' ' || coalesce(reason, '') || ' ' || remark || ' copy-${copy} ' ||
        tool || ' ' || event || ' ' || project || ' ' || host || ' ' || session from entries where id <= ${most} and tool is not null;
      commit;`)
  }
  database.exec("update counters set value = (select max(id) from entries) where name = 'events'")
  database.close()
}

async function starts(at, quick) {
  let count = 0
  const { ours, other } = await interleave(
    {
      ours: async () => {
        const server = await serve(at, `start-${count++}.db`)
        await server.json('/api/decisions')
        await server.kill()
      },
      other: () => bareSpawn(process.execPath, ['-e', '0'], ''),
    },
    { rounds: quick ? 5 : 15 },
  )
  return ratioRow({ what: '`hookline serve`: until it answers', ours, other, name: 'bare Node', bar: atMost(6) })
}

/** 500 requests a second, whether or not those before have been answered; beside them the same query on the same file. */
async function reads(at, { url, token }, quick) {
  const database = new Database(join(at.root, 'index.db'), { readonly: true })
  const statement = database.prepare(`select ${columns} from entries e where e.shown = 1 order by e.id desc limit 101`)
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const once = (query = '') =>
    new Promise((resolve, reject) => {
      const started = performance.now()
      get(`${url}/api/decisions${query}`, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
        response.resume()
        response.on('end', () =>
          response.statusCode === 200
            ? resolve(performance.now() - started)
            : reject(new Error(`${response.statusCode}`)),
        )
      }).on('error', reject)
    })
  const query = () => {
    const started = performance.now()
    statement.all()
    return performance.now() - started
  }
  for (let round = 0; round < 300; round++) query(await once())
  const [times, floor] = [[], []]
  const seconds = quick ? 3 : 10
  const begun = performance.now()
  for (let sent = 0; sent < 500 * seconds; ) {
    const due = Math.floor(((performance.now() - begun) / 1000) * 500)
    for (; sent <= due && sent < 500 * seconds; sent++) times.push(once())
    // In turn with them, so that whatever else the machine does falls on both.
    if (sent % 5 === 0) floor.push(query())
    await pause(1)
  }
  const [ours, other] = [summarise(await Promise.all(times)), summarise(floor)]
  database.close()
  const took = (performance.now() - begun) / 1000
  // What is asked for again while nothing is written is not read again: beside it, pages that nobody has asked for.
  const pages = []
  for (let before = 1_000; before < 1_500; before++) pages.push(await once(`?before=${before}`))
  return ratioRow({
    ...{ what: '`GET /api/decisions` at 500 a second', ours, other, name: 'the query alone', bar: atMost(2) },
    note: `${number((500 * seconds) / took)} a second, the same list; p99 ${number(ours.p99)} ms; another page each time, one by one: ${number(summarise(pages).p50)} ms`,
  })
}

async function searches(server, entries) {
  const words = [
    'force',
    'npm test',
    'branch-70',
    'cargo release',
    'session-77',
    'nothing-of-that-name',
    'git origin',
    'off limits',
    'project-3 docker',
    'step-12345',
  ]
  const times = []
  for (let round = 0; round < 10; round++)
    for (const each of words) {
      const started = performance.now()
      await server.json(`/api/decisions?text=${encodeURIComponent(each)}`)
      times.push(performance.now() - started)
    }
  const sorted = times.toSorted((one, other) => one - other)
  const p95 = sorted[Math.floor(sorted.length * 0.95)]
  return row({
    ...{
      what: `Search in ${entries.toLocaleString('en')} entries`,
      ours: time(summarise(times)),
      bar: below(300, ' ms'),
      value: p95,
    },
    note: `p95 ${number(p95)} ms, slowest ${number(sorted.at(-1))} ms`,
  })
}

/** What agents do, 200 times a second, to everybody who listens. */
async function streams(at, server, quick) {
  const [count, seconds, perSecond] = [1_000, quick ? 3 : 10, 200]
  const expected = seconds * perSecond
  const { url, token } = server
  const child = fork(fileURLToPath(new URL('kit/listeners.mjs', import.meta.url)), [
    JSON.stringify({ url, token, count, expected }),
  ])
  const heard = (name) =>
    new Promise((resolve, reject) => {
      child.on('message', (message) => {
        if (message.error) reject(new Error(message.error))
        if (name in message) resolve(message)
      })
      child.on('exit', () => reject(new Error('the listeners ended')))
    })
  const done = heard('done')
  await heard('open')
  const journal = await openJournal({
    file: at.journal,
    record: 'all',
    redact: (value) => value,
    maxBytes: 8 * 1024 ** 3,
  })
  const begun = performance.now()
  for (let written = 0; written < expected; ) {
    const due = Math.min(expected, Math.floor(((performance.now() - begun) / 1000) * perSecond))
    for (; written < due; written++) void journal.append(entryNumber(written))
    await journal.flush()
    await pause(5)
  }
  const memory = (await server.memory()) / 1024 ** 2
  const { wrong, p50, p99, most } = await done
  await journal.close()
  child.kill()
  return row({
    what: `${count.toLocaleString('en')} streams, ${perSecond} events a second`,
    ours: `p50 ${p50} ms, p99 ${p99} ms`,
    bar: { text: 'in order, p99 < 1 s, ≤ 250 MB', holds: () => wrong === 0 && p99 < 1_000 && memory <= 250 },
    note: `${wrong} out of order or twice, none missing; latest ${most} ms; ${number(memory)} MB`,
  })
}
