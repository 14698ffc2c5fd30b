import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Sql } from './sql.ts'

/** This server among those that use the store. */
export interface Presence {
  readonly id: string
  close(): Promise<void>
}

const beatMs = 5_000
/** Who was not heard of for so long is gone. */
const goneMs = 30_000

/** Says every few seconds that this server is there. Servers of one file are processes of one machine: who has ended is known at once. */
export async function openPresence(sql: Sql): Promise<Presence> {
  const id = `${process.pid}-${randomUUID()}`
  const now = sql.dialect.clock
  const arrive = `insert into servers (id, name, started, seen) values ($1, $2, ${now}, ${now})`
  const forgetGone = () => sql.run(`delete from servers where seen < ${now} - $1`, [goneMs])
  await forgetGone()
  if (!sql.shared) await forgetEnded(sql)
  await sql.run(arrive, [id, hostname()])
  const beat = async () => {
    const known = await sql.run(`update servers set seen = ${now} where id = $1`, [id])
    // Somebody thought it gone: the machine slept.
    if (known === 0) await sql.run(arrive, [id, hostname()])
    await forgetGone()
  }
  const timer = setInterval(() => void beat().catch(() => {}), beatMs).unref()
  return {
    id,
    async close() {
      clearInterval(timer)
      await sql.run('delete from servers where id = $1', [id]).catch(() => {})
    },
  }
}

async function forgetEnded(sql: Sql): Promise<void> {
  for (const { id } of await sql.all<{ id: string }>('select id from servers'))
    if (!isRunning(Number.parseInt(id, 10))) await sql.run('delete from servers where id = $1', [id])
}

/** Another process than this one, which has begun anew. */
function isRunning(pid: number): boolean {
  if (!(pid > 0) || pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Of what belongs to a server: what belongs to one that is gone. */
export const leftBehind = "coalesce(server, '') not in (select id from servers)"
