import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServer } from '@hookline/server'
import { openJournal } from 'hookline'
import { createJiti } from 'jiti'
import { entryFor } from './kit/entry.mjs'
import { atLeast, row } from './kit/row.mjs'

const machines = 4

/**
 * Journals of several machines, through HTTP, checked line by line, into a PostgreSQL that waits for its disk. Its floor writes the same lines, unchecked
 * and not indexed, in steps of the same size.
 */
export default async function ({ quick }) {
  const jiti = createJiti(import.meta.url)
  const { startPostgres } = await jiti.import('../packages/server/test/support/postgres.ts')
  const { enrol } = await jiti.import('../packages/hookline/src/fleet/index.ts')
  const { default: pg } = await jiti.import('pg')
  const entries = quick ? 10_000 : 25_000
  const root = mkdtempSync(join(tmpdir(), 'hookline-bench-'))
  const postgres = await startPostgres({ fsync: 'on', shared_buffers: '256MB' })
  const server = await startServer({ database: await postgres.database(), journal: join(root, 'own.jsonl'), cwd: root })
  try {
    const places = []
    for (let at = 0; at < machines; at++) {
      const directory = join(root, `machine-${at}`)
      await letIn(server, enrol, directory)
      const journal = join(directory, 'journal.jsonl')
      await fill(journal, entries)
      places.push({ directory, journal })
    }
    const before = process.cpuUsage()
    const { lines, seconds } = await shipAll(places)
    const used = process.cpuUsage(before)
    const cpu = (used.user + used.system) / 1000 / lines
    const floor = await plainRate(pg, await postgres.database(), lines)
    const perSecond = lines / seconds
    return [
      row({
        what: `audit: journals of ${machines} machines, checked and indexed, into PostgreSQL`,
        ours: `${Math.round(perSecond)} entries/s`,
        other: `the same lines as they are: ${Math.round(floor)}/s`,
        ratio: floor / perSecond,
        bar: atLeast(5_000, '/s'),
        value: perSecond,
        note: `${lines} lines, machines and PostgreSQL on this machine as well; ${cpu.toFixed(3)} ms of CPU of the server for each`,
      }),
    ]
  } finally {
    await server.close()
    await postgres.stop()
    rmSync(root, { recursive: true, force: true })
  }
}

async function letIn({ url, token }, enrol, directory) {
  const response = await fetch(`${url}/api/enrolments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  const { secret } = await response.json()
  await enrol(directory, { url, token: secret, name: 'bench' })
}

async function fill(file, count) {
  const journal = await openJournal({ file, maxBytes: 1024 * 1024 * 1024 })
  for (let at = 0; at < count; at++) journal.append(entryFor(at))
  await journal.close()
}

/** Machines are elsewhere: in a process of their own. */
async function shipAll(places) {
  const child = fork(fileURLToPath(new URL('kit/shippers.mjs', import.meta.url)))
  const said = once(child, 'message')
  child.send(places)
  const [result] = await said
  child.disconnect()
  return result
}

async function plainRate(pg, address, lines) {
  const client = new pg.Client(address)
  await client.connect()
  await client.query('create table plain (id bigint primary key, line text not null)')
  const line = JSON.stringify(entryFor(1))
  const started = performance.now()
  for (let at = 0; at < lines; at += 500) {
    const ids = Array.from({ length: 500 }, (_, place) => at + place)
    await client.query('insert into plain select * from unnest($1::bigint[], $2::text[])', [ids, ids.map(() => line)])
  }
  const seconds = (performance.now() - started) / 1000
  await client.end()
  return lines / seconds
}
