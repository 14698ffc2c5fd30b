import { randomUUID } from 'node:crypto'
import { one, type Sql } from '../store/index.ts'
import type { Hub } from '../stream/index.ts'

/**
 * What somebody should look at. A `fact` stays true, and is raised once for ever; a `state` ends by itself when it is over; what `happens` ends when it
 * has not happened again for a while, and is raised anew the next time.
 */
export const alertKinds = {
  'failed-open': { as: 'happens', severity: 8, title: 'A guard failed, and calls were let through' },
  tampering: { as: 'fact', severity: 10, title: 'A journal is not as it was written' },
  gap: { as: 'fact', severity: 7, title: 'A part of a journal is missing' },
  quiet: { as: 'state', severity: 6, title: 'A machine has gone quiet' },
  'no-events': { as: 'state', severity: 4, title: 'A machine is there, and nothing is guarded on it' },
  unmatched: { as: 'state', severity: 3, title: 'A rule has never matched' },
  drift: { as: 'state', severity: 5, title: 'A machine differs from the rest' },
  skew: { as: 'state', severity: 3, title: 'The clock of a machine is wrong' },
} as const
export type AlertKind = keyof typeof alertKinds
type As = (typeof alertKinds)[AlertKind]['as']

export interface Alert {
  id: string
  kind: AlertKind
  title: string
  severity: number
  /** The machine, journal or rule that it is about. */
  about: string
  detail: string
  raised: string
  last: string
  count: number
  ended: string | null
}

export interface Finding {
  about: string
  detail: string
  /** How often it happened. */
  count?: number
}

export interface Alerts {
  /** All of this kind that there is now. What was there before and is not any more, ends where it is a state. */
  found(kind: AlertKind, findings: readonly Finding[]): Promise<void>
  list(options: { open: boolean; limit: number }): Promise<Alert[]>
  /** Somebody has looked at it. */
  end(id: string): Promise<boolean>
}

/** What happens, and has not happened again for so long, is over. */
const overMs = 3_600_000

/** An alert that is raised or ended is an event like others: streams show it, and outlets send it. */
export function openAlerts(sql: Sql, hub: Hub, now = () => Date.now()): Alerts {
  async function raise(kind: AlertKind, { about, detail, count = 1 }: Finding): Promise<Row> {
    const row: Row = { id: randomUUID(), kind, about, detail, raised: now(), last: now(), count, ended: null }
    await sql.run(
      'insert into alerts (id, kind, about, detail, raised, last, count) values ($1, $2, $3, $4, $5, $5, $6)',
      [row.id, kind, about, detail, row.raised, count],
    )
    await hub.publish('alert.raised', asAlert(row))
    return row
  }

  /** A state that is as it was costs nothing: thousands of machines may be quiet at once, and are looked at every few seconds. */
  async function goesOn(before: Row, as: As, { detail, count = 1 }: Finding): Promise<void> {
    if (as === 'fact' || (as === 'state' && before.detail === detail)) return
    await sql.run('update alerts set last = $1, count = count + $2, detail = $3 where id = $4', [
      ...[now(), as === 'happens' ? count : 0, detail, before.id],
    ])
  }

  async function over(row: Row): Promise<void> {
    const changed = await sql.run('update alerts set ended = $1 where id = $2 and ended is null', [now(), row.id])
    if (changed > 0) await hub.publish('alert.ended', asAlert({ ...row, ended: now() }))
  }

  return {
    async found(kind, findings) {
      const { as } = alertKinds[kind]
      // A fact that somebody has looked at is not raised again.
      const which = as === 'fact' ? '' : 'and ended is null'
      const rows = await sql.all<Row>(`select * from alerts where kind = $1 ${which}`, [kind])
      const known = new Map(rows.map((row) => [row.about, row]))
      for (const each of findings) {
        const before = known.get(each.about)
        if (before) await goesOn(before, as, each)
        else known.set(each.about, await raise(kind, each))
      }
      if (as === 'fact') return
      const held = new Set(findings.map(({ about }) => about))
      for (const row of rows) if (!held.has(row.about) && (as === 'state' || row.last < now() - overMs)) await over(row)
    },
    async list({ open, limit }) {
      const where = open ? 'where ended is null' : ''
      const rows = await sql.all<Row>(`select * from alerts ${where} order by raised desc limit $1`, [limit])
      return rows.map(asAlert)
    },
    async end(id) {
      const row = await one<Row>(sql, 'select * from alerts where id = $1', [id])
      if (row) await over(row)
      return row !== undefined
    },
  }
}

interface Row {
  id: string
  kind: string
  about: string
  detail: string
  raised: number
  last: number
  count: number
  ended: number | null
}

function asAlert({ kind, raised, last, ended, ...row }: Row): Alert {
  const { title, severity } = alertKinds[kind as AlertKind]
  const iso = (time: number) => new Date(time).toISOString()
  return {
    ...row,
    ...{ kind: kind as AlertKind, title, severity, raised: iso(raised), last: iso(last) },
    ended: ended === null ? null : iso(ended),
  }
}
