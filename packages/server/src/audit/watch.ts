import { groupedBy } from '../grouped.ts'
import { lastNumber, one, type Sql } from '../store/index.ts'
import type { AlertKind, Alerts, Finding } from './alerts.ts'
import { auditOf, type MachineAudit, quietMs, skewMs } from './fleet.ts'

export interface Watch {
  /** Looks now; by itself it does so every few seconds. Of several servers, one looks. */
  look(): Promise<void>
  close(): Promise<void>
}

export interface WatchOptions {
  sql: Sql
  alerts: Alerts
  /** The rules that hold here and in the fleet, by their ids. */
  rules(): Promise<readonly string[]>
  /** The policy that should be in force everywhere, and since when; undefined: this server publishes none. */
  published?(): { version: number; since: number } | undefined
  /** What is older is forgotten; absent: nothing is. */
  keepDays?: number | undefined
  log(line: string): void
  now?(): number
  everyMs?: number
}

const dayMs = 86_400_000
/** A machine on which nothing happened for so long may have no agent, or agents that nobody guards. */
const noEventsMs = 7 * dayMs
/** Rules that have not matched for so long, though there was something to match. */
const unmatchedMs = 30 * dayMs
const rulesMs = 10 * 60_000
const markMs = 3_600_000
/** Only the newest of what broke is looked for: the rest has been raised. */
const mostRows = 1_000

export function openWatch({
  sql,
  alerts,
  rules,
  published = () => undefined,
  keepDays,
  log,
  now = () => Date.now(),
  everyMs = 10_000,
}: WatchOptions): Watch {
  let step: Promise<void> = Promise.resolve()
  let held: { at: number; rules: readonly string[] } | undefined
  const look = () => {
    step = step.then(lookOnce).catch((error: unknown) => log(`The watch could not look: ${String(error)}`))
    return step
  }
  const timer = setInterval(() => void look(), everyMs).unref()

  async function lookOnce(): Promise<void> {
    if (!(await isOurs())) return
    const all = await auditOf(sql, now())
    const machines = all.filter(({ revoked }) => !revoked)
    const names = new Map(all.map(({ id, name }) => [id, name]))
    const named = (machine: string | null) => names.get(machine ?? '') ?? machine ?? 'this server'
    const findings: Record<AlertKind, () => Promise<Finding[]> | Finding[]> = {
      'failed-open': () => failedOpen(named),
      tampering: () => tampering(named),
      gap: () => gaps(named),
      quiet: () =>
        only(
          machines,
          ({ state }) => state === 'quiet' || state === 'never',
          ({ heard }) =>
            `nothing was heard of it for ${quietMs / 60_000} minutes${heard === null ? ', and it has never sent anything' : `, since ${heard}`}`,
        ),
      'no-events': () =>
        only(
          machines,
          (machine) => isIdle(machine),
          ({ last_event }) => `the last thing that happened on it was at ${last_event}`,
        ),
      unmatched,
      drift: () => drifted(machines, published(), now()),
      skew: () =>
        only(
          machines,
          ({ skew_ms }) => Math.abs(skew_ms) > skewMs,
          ({ skew_ms }) => `its clock is ${Math.round(Math.abs(skew_ms) / 1000)} s ${skew_ms > 0 ? 'ahead' : 'behind'}`,
        ),
    }
    for (const [kind, find] of Object.entries(findings)) await alerts.found(kind as AlertKind, await find())
    await forgetOld()
  }

  /** Every server tries; who moves the hand of the clock first is it. */
  async function isOurs(): Promise<boolean> {
    await sql.run("insert into counters (name, value) values ('watched', 0) on conflict (name) do nothing")
    const taken = await sql.run("update counters set value = $1 where name = 'watched' and value <= $2", [
      ...[now(), now() - everyMs / 2],
    ])
    return taken > 0
  }

  const isIdle = ({ heard, last_event }: MachineAudit) =>
    heard !== null && last_event !== null && now() - Date.parse(last_event) > noEventsMs

  async function failedOpen(named: Named): Promise<Finding[]> {
    await sql.run("insert into counters (name, value) values ('failed-open', 0) on conflict (name) do nothing")
    const from = await one<{ value: number }>(sql, "select value from counters where name = 'failed-open'")
    const last = await lastNumber(sql)
    const rows = await sql.all<{ machine: string | null; count: number }>(
      'select machine, count(*) as count from entries where failed_open = 1 and id > $1 and id <= $2 and synthetic = 0 group by machine',
      [from!.value, last],
    )
    await sql.run("update counters set value = $1 where name = 'failed-open'", [last])
    return rows.map(({ machine, count }) => ({
      about: machine ?? 'this server',
      detail: `${named(machine)}: a guard failed, and ${count === 1 ? 'a call was' : `${count} calls were`} let through`,
      count,
    }))
  }

  async function tampering(named: Named): Promise<Finding[]> {
    const text = `select machine, log, broken_seq as seq, broken_detail as detail from machine_logs where broken_detail is not null
      union all select 'this server', log, broken_seq, broken_detail from journals where broken_detail is not null`
    const rows = await sql.all<{ machine: string; log: string; seq: number; detail: string }>(text)
    return rows.map(({ machine, log: name, seq, detail }) => ({
      about: `${machine} ${name}`,
      detail: `${named(machine)}: line ${seq} of the journal ${name}: ${detail}`,
    }))
  }

  async function gaps(named: Named): Promise<Finding[]> {
    const rows = await sql.all<{ machine: string; log: string; seq: number; missing: number }>(
      'select machine, log, seq, missing from machine_gaps order by time desc limit $1',
      [mostRows],
    )
    return rows.map(({ machine, log: name, seq, missing }) => ({
      about: `${machine} ${name} ${seq}`,
      detail: `${named(machine)}: ${missing === 1 ? 'a line is' : `${missing} lines are`} missing before line ${seq} of the journal ${name}`,
    }))
  }

  async function unmatched(): Promise<Finding[]> {
    const since = now() - unmatchedMs
    const settled = await settledOf(await heldNow(), since)
    const oldest = await one<{ time: number | null }>(sql, 'select min(time) as time from entries')
    // Too early to say.
    if (oldest?.time == null || oldest.time > since) return []
    const matched = await sql.all<{ rule: string }>('select distinct rule from rule_matches where time >= $1', [since])
    const known = new Set(matched.map(({ rule }) => rule))
    return settled
      .filter((rule) => !known.has(rule))
      .map((rule) => ({
        about: rule,
        detail: `it has not matched for ${unmatchedMs / dayMs} days: it may be misspelt, or not needed`,
      }))
  }

  /** They are read from files, and change seldom. */
  async function heldNow(): Promise<readonly string[]> {
    if (held === undefined || now() - held.at >= rulesMs) held = { at: now(), rules: [...new Set(await rules())] }
    return held.rules
  }

  /** Those that have held for so long: a new one had no time to match. One that was away is new. */
  async function settledOf(held: readonly string[], since: number): Promise<string[]> {
    const rows = await sql.all<{ name: string; value: number }>(
      "select name, value from counters where name like 'rule:%'",
    )
    const first = new Map(rows.map(({ name, value }) => [name.slice('rule:'.length), value]))
    for (const rule of held.filter((each) => !first.has(each)))
      await sql.run('insert into counters (name, value) values ($1, $2) on conflict (name) do nothing', [
        ...[`rule:${rule}`, now()],
      ])
    for (const rule of first.keys())
      if (!held.includes(rule)) await sql.run('delete from counters where name = $1', [`rule:${rule}`])
    return held.filter((rule) => (first.get(rule) ?? now()) <= since)
  }

  async function forgetOld(): Promise<void> {
    const newest = await one<{ time: number | null }>(sql, 'select max(time) as time from marks')
    if (now() - (newest?.time ?? 0) < markMs) return
    await sql.run('insert into marks (time, last) values ($1, $2) on conflict (time) do nothing', [
      now(),
      await lastNumber(sql),
    ])
    if (keepDays === undefined) return
    const cut = await one<{ time: number; last: number }>(
      sql,
      'select time, last from marks where time <= $1 order by time desc limit 1',
      [now() - keepDays * dayMs],
    )
    if (!cut) return
    await sql.forgetUpTo(cut.last)
    await sql.run('delete from marks where time < $1', [cut.time])
    log(`Forgot what arrived before ${new Date(cut.time).toISOString()}.`)
  }

  return {
    look,
    async close() {
      clearInterval(timer)
      await step
    },
  }
}

/** What people call a machine. */
type Named = (machine: string | null) => string

function only(
  machines: readonly MachineAudit[],
  isSo: (machine: MachineAudit) => boolean,
  detail: (machine: MachineAudit) => string,
): Finding[] {
  return machines.filter(isSo).map((machine) => ({ about: machine.id, detail: `${machine.name}: ${detail(machine)}` }))
}

/** A machine that connects takes a new policy within seconds. */
const adoptMs = 5 * 60_000

/** Of another version than most machines of its group, or with another policy than the one that is published. */
function drifted(
  machines: readonly MachineAudit[],
  published: { version: number; since: number } | undefined,
  now: number,
): Finding[] {
  const groups = groupedBy(machines, ({ group }) => group)
  const wanted = published && now - published.since > adoptMs ? published.version : undefined
  return [...groups.values()].flatMap((group) => {
    const usual = mostCommon(group.map(({ version }) => version))
    const why = (machine: MachineAudit): string | undefined => {
      const other = otherPolicy(machine, wanted)
      if (other !== undefined) return other
      return machine.version === usual
        ? undefined
        : `it runs Hookline ${machine.version}, most of its group run ${usual}`
    }
    return only(
      group,
      (machine) => why(machine) !== undefined,
      (machine) => why(machine)!,
    )
  })
}

/** What a machine says of its policy, where it is not as it should be. One that is quiet says nothing: that is another alert. */
function otherPolicy({ policy, state }: MachineAudit, wanted: number | undefined): string | undefined {
  if (policy === null || state === 'quiet' || state === 'never') return undefined
  const { version, state: how } = policy
  if (how === 'broken') return 'its policy was changed or is gone, so nothing runs there until it is fetched again'
  if (how === 'refused') return `it has refused a newer policy, and goes on with ${version}`
  if (how === 'stale') return `its policy ${version} is stale: it does not reach what is published`
  if (wanted === undefined || version === wanted) return undefined
  return `${version === 0 ? 'no policy' : `policy ${version}`} is in force there, and ${wanted} is published`
}

function mostCommon(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort((one, other) => other[1] - one[1])[0]?.[0]
}
