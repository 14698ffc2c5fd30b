import { groupedBy } from '../grouped.ts'
import { type MachinePolicy, policyOf } from '../machines/index.ts'
import type { Sql } from '../store/index.ts'

/** One machine, and how its audit stands. */
export interface MachineAudit {
  id: string
  name: string
  group: string
  version: string
  revoked: boolean
  /** When it last sent something or said that there is nothing; null: never. */
  heard: string | null
  /** When the last thing happened on it, by its own clock. */
  last_event: string | null
  entries: number
  /** Lines that it has and this server has not. */
  unsent: number
  /** Lines that are lost for ever. */
  missing: number
  broken: { log: string; seq: number; detail: string } | null
  /** How far its clock is ahead, in milliseconds. */
  skew_ms: number
  /** Which policy is in force there, as it says itself. */
  policy: MachinePolicy | null
  /** The worst of what is wrong; `fine`: nothing. */
  state: MachineState
}

export const machineStates = ['fine', 'behind', 'skewed', 'quiet', 'never', 'gap', 'tampered', 'revoked'] as const
export type MachineState = (typeof machineStates)[number]

/** Machines say every five minutes that they are there. */
export const quietMs = 15 * 60_000
/** So far apart, times of two machines cannot be compared. */
export const skewMs = 60_000
/** A machine that has more to send than this for a moment is busy. */
const behindLines = 10_000

export async function auditOf(sql: Sql, now = Date.now()): Promise<MachineAudit[]> {
  const machines = await sql.all<MachineRow>(
    'select id, name, group_name, version, enrolled, revoked, policy, policy_state from machines order by name, id',
  )
  const logs = await sql.all<LogRow>(
    `select machine, log, entries, missing, broken_seq, broken_detail, last_time, received, unsent, skew from machine_logs
      order by received`,
  )
  const of = groupedBy(logs, ({ machine }) => machine)
  return machines.map((machine) => auditFrom(machine, of.get(machine.id) ?? [], now))
}

function auditFrom(machine: MachineRow, logs: LogRow[], now: number): MachineAudit {
  const { id, name, group_name: group, version, enrolled, revoked } = machine
  const newest = logs.at(-1)
  const broken = logs.find(({ broken_detail }) => broken_detail !== null)
  const sum = (field: 'entries' | 'missing' | 'unsent') => logs.reduce((all, log) => all + log[field], 0)
  const lastTime = Math.max(0, ...logs.map(({ last_time }) => last_time ?? 0))
  const audit = {
    ...{ id, name, group, version, revoked: revoked !== null },
    heard: newest ? new Date(newest.received).toISOString() : null,
    last_event: lastTime > 0 ? new Date(lastTime).toISOString() : null,
    ...{ entries: sum('entries'), unsent: sum('unsent'), missing: sum('missing') },
    broken: broken ? { log: broken.log, seq: broken.broken_seq ?? 0, detail: broken.broken_detail! } : null,
    skew_ms: newest?.skew ?? 0,
    policy: policyOf(machine),
  }
  return { ...audit, state: stateOf(audit, newest?.received ?? enrolled, now) }
}

function stateOf(audit: Omit<MachineAudit, 'state'>, heard: number, now: number): MachineState {
  if (audit.revoked) return 'revoked'
  if (audit.broken) return 'tampered'
  if (audit.missing > 0) return 'gap'
  if (now - heard > quietMs) return audit.heard === null ? 'never' : 'quiet'
  if (Math.abs(audit.skew_ms) > skewMs) return 'skewed'
  return audit.unsent > behindLines ? 'behind' : 'fine'
}

interface MachineRow {
  id: string
  name: string
  group_name: string
  version: string
  enrolled: number
  revoked: number | null
  policy: number | null
  policy_state: string | null
}

interface LogRow {
  machine: string
  log: string
  entries: number
  missing: number
  broken_seq: number | null
  broken_detail: string | null
  last_time: number | null
  received: number
  unsent: number
  skew: number
}
