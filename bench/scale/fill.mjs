import { loadavg } from 'node:os'
import { createJiti } from 'jiti'
import { summarise } from '../kit/measure.mjs'

const dist = new URL('../../packages/hookline/dist/', import.meta.url)
/** What the store imports of hookline, the longest names first. */
const doors = [
  ['internal/server', 'internal-server.js'],
  ['internal/start', 'internal-start.js'],
  ['internal', 'internal.js'],
]

/** How often each query runs, and for how much. */
const times = 20
const page = { limit: 101 }
/** From one entry to the next. */
const apartMs = 25
/** The word `olden` is in no later entry. */
const oldUpTo = 900_000
/** So many entries in one statement. */
const step = 100_000

/**
 * Generated entries in the tables of the server, their room on the disk, and how long its queries take. The rows are written by PostgreSQL itself: how
 * fast machines can send is another question (bench/audit.mjs).
 */
export async function fill(entries) {
  const jiti = createJiti(import.meta.url, {
    alias: Object.fromEntries(doors.map(([name, file]) => [`hookline/${name}`, new URL(file, dist).pathname])),
  })
  const { startPostgres } = await jiti.import('../../packages/server/test/support/postgres.ts')
  const { openStore } = await jiti.import('../../packages/server/src/store/index.ts')
  const { findDecisions, statsOf } = await jiti.import('../../packages/server/src/decisions/index.ts')
  const postgres = await startPostgres({ shared_buffers: '512MB', maintenance_work_mem: '256MB' })
  const database = await postgres.database()
  const sql = await openStore(database)
  try {
    // The last of them happens now, 144,000 in an hour.
    const began = Date.now() - entries * apartMs
    for (let done = 0; done < entries; done += step) {
      const there = Math.min(done + step, entries)
      await generate(sql, there - done, began)
      if ((done / step) % 10 === 9 || there === entries) await report(there, began + there * apartMs)
    }
    await forget(Math.floor(entries / 2))
  } finally {
    await sql.close()
    await postgres.stop()
  }

  /** What is older than so many days goes, in whole parts where it can. */
  async function forget(last) {
    const started = performance.now()
    await sql.forgetUpTo(last)
    const [{ count }] = await sql.all('select count(*) as count from events')
    const [{ first }] = await sql.all('select min(id) as first from entries')
    const ms = Math.round(performance.now() - started)
    process.stdout.write(`${JSON.stringify({ forgotten: last, ms, first, events: count })}\n`)
  }

  async function report(count, now) {
    await sql.run('analyze')
    const [{ bytes }] = await sql.all('select pg_database_size(current_database()) as bytes')
    const day = new Date(now - 86_400_000).toISOString()
    // Each time for another session, machine and word.
    const queries = {
      newest: () => findDecisions(sql, {}, page),
      'a session': (at) => findDecisions(sql, { session: `session-${at * 97}` }, page),
      'a machine': (at) => findDecisions(sql, { machine: `machine-${at * 13}` }, page),
      blocked: () => findDecisions(sql, { outcome: 'deny' }, page),
      'a rare word': (at) => findDecisions(sql, { text: `needle${at * 4242}` }, page),
      'a common word': () => findDecisions(sql, { text: 'status' }, page),
      // In every seventh of the first 900,000, and in none of the newest.
      'a common word of old': () => findDecisions(sql, { text: 'olden' }, page),
      'a rare word of a day': (at) => findDecisions(sql, { text: `needle${at * 4242}`, since: day }, page),
      'an old page': (at) => findDecisions(sql, {}, { ...page, before: Math.floor((count / times) * (at + 1)) }),
      'one whole': (at) => sql.all('select line from lines where entry = $1', [Math.floor((count / times) * at) + 1]),
    }
    const counts = {
      'an hour counted': () => statsOf(sql, { since: now - 3_600_000, until: now }),
      'a day counted': () => statsOf(sql, { since: now - 86_400_000, until: now }),
    }
    const measured = {}
    for (const [name, query] of Object.entries(queries)) measured[name] = await timesOf(query, times)
    for (const [name, query] of Object.entries(counts)) measured[name] = await timesOf(query, 3)
    const loads = loadavg().map((each) => Number(each.toFixed(1)))
    process.stdout.write(
      `${JSON.stringify({ entries: count, bytesPerEntry: Math.round(bytes / count), loads, ...measured })}\n`,
    )
  }
}

/** In milliseconds; the first time is no part of it. */
async function timesOf(query, count) {
  await query(0)
  const all = []
  for (let at = 0; at < count; at++) {
    const started = performance.now()
    await query(at)
    all.push(performance.now() - started)
  }
  const { p50, p99 } = summarise(all)
  return `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}`
}

/** Of a thousand machines. */
async function generate(sql, count, began) {
  await sql.transaction(async (within) => {
    const [{ value: last }] = await within.all(
      "update counters set value = value + $1 where name = 'events' returning value",
      [count],
    )
    const first = last - count + 1
    await within.roomFor(first, last)
    const series = `generate_series(${first}::bigint, ${last}::bigint) as n`
    const time = `${began} + n * ${apartMs}`
    const subject =
      "(array['git status', 'npm test -- --run', 'ls -la src', 'rg TODO packages', 'git push --force origin main'])[1 + n % 5] || ' # ' || n"
    await within.run(
      `insert into entries (id, log, part, at_offset, bytes, seq, hash, time, event, outcome, session, host, project, tool, call, subject, mark, shown, remark, duration, synthetic, failed, failed_open, machine)
        select n, 'b3f5a1de-0000-4000-8000-' || lpad((n % 1000)::text, 12, '0'), 0, 0, 1000, n / 1000, encode(sha256(n::text::bytea), 'hex'), ${time}, 'pre_tool_use',
        case when n % 5 = 4 then 'deny' else 'no-opinion' end, 'session-' || n % 20000, 'claude-code', '/srv/shop', 'shell', 'call-' || n, ${subject},
        case when n % 5 = 4 then 'blocked' else 'quiet' end, 1, '', 2, 0, 0, 0, 'machine-' || n % 1000 from ${series}`,
    )
    await within.run(
      `insert into entry_text (rowid, body) select n, array_to_tsvector(string_to_array(lower(replace(${subject}, '# ', '')) || ' rules shell pre_tool_use shop claude-code needle' || n % 100000 || case when n % 7 = 0 and n < ${oldUpTo} then ' olden' else '' end, ' ')) from ${series}`,
    )
    await within.run(
      `insert into hook_runs (entry, hook, outcome, duration, ignored, shadow, time) select n, 'rules', 'no-opinion', 1.5, 0, 0, ${time} from ${series}`,
    )
    await within.run(
      `insert into rule_matches (entry, rule, outcome, shadow, time) select n, 'no-force', 'deny', 0, ${time} from ${series} where n % 5 = 4`,
    )
    // As long as a real line, and as hard to compress.
    await within.run(
      `insert into lines (entry, line) select n, (select string_agg(md5(n::text || k), '') from generate_series(1, 31) as k) from ${series}`,
    )
  })
}
