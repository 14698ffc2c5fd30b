import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { enrol } from '../../../hookline/src/fleet/index.ts'
import { startHookline } from '../../../hookline/test/support/cli.ts'
import { remove } from '../../../hookline/test/support/scratch.ts'
import { openStore } from '../../src/store/index.ts'
import { entry, write } from './journal.ts'
import { startPostgres } from './postgres.ts'

export interface AuditRounds {
  rounds: number
  /** Entries that the machine has written. */
  written: number
  /** Of those, not in the store; and in the store more than once. */
  lost: number
  doubled: number
  /** The chain of the machine, as the server has checked it. */
  broken: string | null
  missing: number
}

/**
 * A machine writes and sends, a server takes, a PostgreSQL keeps; one of the three is killed (`kill -9`) in the middle of it, in turn, round after round,
 * and comes back. At the end everything that was written must be there, once.
 */
export async function auditRounds(rounds: number, tell: (line: string) => void = () => {}): Promise<AuditRounds> {
  const root = mkdtempSync(join(tmpdir(), 'hookline-audit-'))
  const env = {
    ...{ HOME: join(root, 'home'), XDG_CONFIG_HOME: join(root, 'config'), XDG_STATE_HOME: join(root, 'state') },
    ...{ XDG_DATA_HOME: join(root, 'data'), NO_COLOR: '1', HOOKLINE_APPROVE_TOKEN: '' },
  }
  const postgres = await startPostgres()
  const database = await postgres.database()
  const journal = join(root, 'machine.jsonl')
  const fleet = join(root, 'data/hookline/fleet')
  let port = 0
  const serve = async () => {
    const running = startHookline(['serve', '--database', database, '--listen', `127.0.0.1:${port}`, '--json'], {
      cwd: root,
      env,
    })
    let said = ''
    running.child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    while (!said.includes('\n')) {
      if (running.child.exitCode !== null) throw new Error('The server has not started.')
      await delay(20)
    }
    const { url, token } = JSON.parse(said) as { url: string; token: string }
    port = Number(new URL(url).port)
    return { child: running.child, url, token }
  }
  const ship = () => startHookline(['ship', '--journal', journal], { cwd: root, env }).child
  const kill = (child: ReturnType<typeof ship>) =>
    new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve()
      child.once('exit', () => resolve())
      child.kill('SIGKILL')
    })

  let server = await serve()
  const offered = await fetch(`${server.url}/api/enrolments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  const { secret } = (await offered.json()) as { secret: string }
  await enrol(fleet, { url: server.url, token: secret, name: 'soak' })
  let shipper = ship()
  let written = 0
  try {
    for (let round = 0; round < rounds; round++) {
      const entries = Array.from({ length: 40 }, () => entry(`echo ${written++}`))
      const writing = write(journal, entries, { maxBytes: 64 * 1024 * 1024 })
      // Somewhere in the middle of taking it.
      await delay(Math.random() * 400)
      const victim = (['shipper', 'server', 'database'] as const)[round % 3]!
      if (victim === 'shipper') {
        await kill(shipper)
        shipper = ship()
      } else if (victim === 'server') {
        await kill(server.child)
        server = await serve()
      } else {
        await postgres.kill()
        await delay(Math.random() * 200)
        await postgres.start()
      }
      await writing
      tell(`round ${round + 1} of ${rounds}: killed the ${victim}, ${written} entries written`)
    }
    const sql = await openStore(database)
    const counted = async () => {
      const rows = await sql.all<{ subject: string; count: number }>(
        'select subject, count(*) as count from entries where machine is not null group by subject',
      )
      const doubled = rows.filter(({ count }) => count > 1).length
      const [log] = await sql.all<{ broken_detail: string | null; missing: number }>(
        'select broken_detail, missing from machine_logs',
      )
      return { lost: written - rows.length, doubled, broken: log?.broken_detail ?? null, missing: log?.missing ?? 0 }
    }
    try {
      const patience = Date.now() + 90_000
      let found = await counted()
      while (found.lost > 0 && Date.now() < patience) {
        await delay(200)
        found = await counted()
      }
      return { rounds, written, ...found }
    } finally {
      await sql.close()
    }
  } finally {
    await kill(shipper)
    await kill(server.child)
    await postgres.stop()
    remove(root)
  }
}
