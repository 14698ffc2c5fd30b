import { randomBytes } from 'node:crypto'
import type { JWK } from 'jose'
import type { Who } from '../access/index.ts'
import { digestOf } from '../digest.ts'
import { refuse } from '../http/problem.ts'
import { one, type Sql } from '../store/index.ts'
import { openPasses } from './passes.ts'

/** A machine of the fleet, as people see it. */
export interface Machine {
  id: string
  name: string
  group: string
  /** Of Hookline, when the machine last called. */
  version: string
  enrolled: string
  seen: string | null
  revoked: string | null
  /** Which policy is in force there, as it says itself; null: it has not said. */
  policy: MachinePolicy | null
}

/** `refused`: a newer one was not taken there; `broken`: what lies there cannot be relied on, and nothing runs. */
export const policyStates = ['fine', 'refused', 'stale', 'broken', 'none'] as const
export interface MachinePolicy {
  version: number
  state: (typeof policyStates)[number]
}

/** What lets machines in: a secret that is shown once, for a group, so many times, until then. */
export interface Enrolment {
  id: string
  group: string
  left: number
  created: string
  expires: string
}

export interface Machines {
  offer(wanted: { group: string; uses: number; hours: number }): Promise<{ enrolment: Enrolment; secret: string }>
  offers(): Promise<Enrolment[]>
  withdraw(id: string): Promise<boolean>
  /** `proof` is signed with the machine's new key, and carries its public half. */
  enrol(given: { secret: string; proof: string; name: string; version: string }, origins: Origins): Promise<Machine>
  /** A pass of minutes, for whoever proves to have the machine's key. */
  passFor(proof: string, origins: Origins): Promise<{ token: string; expires_in: number }>
  /** By what a request carries. A machine that was revoked a moment ago is nobody. */
  byPass(token: string, policy?: string | null): Promise<Who | undefined>
  find(id: string): Promise<Machine | undefined>
  all(): Promise<Machine[]>
  move(id: string, group: string): Promise<boolean>
  revoke(id: string): Promise<boolean>
}

/** The addresses of this server: what is signed for another one counts nothing here. */
type Origins = ReadonlySet<string>

interface Row {
  id: string
  name: string
  group_name: string
  public_key: string
  version: string
  enrolled: number
  seen: number | null
  revoked: number | null
  enrolment: string
  policy?: number | null
  policy_state?: string | null
}

/** How often it is written down that a machine was seen: to the minute is enough, and spares the disk. */
const seenMs = 60_000

export async function openMachines(sql: Sql, now = () => Date.now()): Promise<Machines> {
  const passes = await openPasses(sql, now)
  const rowOf = (id: string) => one<Row>(sql, 'select * from machines where id = $1', [id])

  async function sawIt({ id, seen, version }: Row, told = version): Promise<void> {
    if (now() - (seen ?? 0) < seenMs && told === version) return
    await sql.run('update machines set seen = $1, version = $2 where id = $3', [now(), told, id])
  }

  async function heardOf({ id, policy, policy_state }: Row, told: MachinePolicy | undefined): Promise<void> {
    if (!told || (told.version === policy && told.state === policy_state)) return
    await sql.run('update machines set policy = $1, policy_state = $2 where id = $3', [told.version, told.state, id])
  }

  return {
    async offer({ group, uses, hours }) {
      const [id, secret] = [randomBytes(6).toString('hex'), `hle_${randomBytes(32).toString('base64url')}`]
      const [created, expires] = [now(), now() + Math.round(hours * 3_600_000)]
      await sql.run(
        'insert into enrolments (id, digest, group_name, left_uses, created, expires) values ($1, $2, $3, $4, $5, $6)',
        [id, digestOf(secret), group, uses, created, expires],
      )
      return { enrolment: { id, group, left: uses, created: iso(created), expires: iso(expires) }, secret }
    },
    async offers() {
      const rows = await sql.all<{
        id: string
        group_name: string
        left_uses: number
        created: number
        expires: number
      }>('select id, group_name, left_uses, created, expires from enrolments order by created')
      return rows.map(({ group_name, left_uses, created, expires, id }) => ({
        ...{ id, group: group_name, left: left_uses, created: iso(created), expires: iso(expires) },
      }))
    },
    withdraw: async (id) => (await sql.run('delete from enrolments where id = $1', [id])) > 0,
    async enrol({ secret, proof, name, version }, origins) {
      const key = await passes.keyIn(proof, origins)
      const refused = () => refuse(401, 'enrolment-refused', {})
      if (!key) throw refused()
      const digest = digestOf(secret)
      const offer = await one<{ id: string; group_name: string }>(
        sql,
        'select id, group_name from enrolments where digest = $1',
        [digest],
      )
      const known = await one<Row>(sql, 'select * from machines where public_key = $1', [key])
      // The answer of the first time got lost on its way.
      if (known && offer && known.enrolment === offer.id && known.revoked === null) return shown(known)
      if (known || !offer) throw refused()
      const taken = await sql.run(
        'update enrolments set left_uses = left_uses - 1 where digest = $1 and left_uses > 0 and expires > $2',
        [digest, now()],
      )
      if (taken === 0) throw refused()
      const row: Row = {
        ...{ id: `m_${randomBytes(8).toString('hex')}`, name, group_name: offer.group_name, public_key: key, version },
        ...{ enrolled: now(), seen: now(), revoked: null, enrolment: offer.id },
      }
      await sql.run(
        `insert into machines (id, name, group_name, public_key, version, enrolled, seen, enrolment)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [row.id, name, row.group_name, key, version, row.enrolled, row.seen, row.enrolment],
      )
      return shown(row)
    },
    async passFor(proof, origins) {
      const keyOf = async (id: string): Promise<JWK | undefined> => {
        const row = await rowOf(id)
        return row?.revoked === null ? { kty: 'OKP', crv: 'Ed25519', x: row.public_key } : undefined
      }
      const proven = await passes.proven(proof, origins, keyOf)
      const row = proven && (await rowOf(proven.id))
      if (!row || row.revoked !== null) throw refuse(401, 'machine-unknown', {})
      await sawIt(row, proven.version ?? row.version)
      return passes.issue(row.id)
    },
    async byPass(token, policy) {
      const id = await passes.read(token)
      const row = id === undefined ? undefined : await rowOf(id)
      if (!row || row.revoked !== null) return undefined
      await sawIt(row)
      await heardOf(row, policyIn(policy))
      return { kind: 'machine', id: row.id, name: row.name, role: 'machine', group: row.group_name }
    },
    async find(id) {
      const row = await rowOf(id)
      return row && shown(row)
    },
    all: async () => (await sql.all<Row>('select * from machines order by enrolled, id')).map(shown),
    move: async (id, group) =>
      (await sql.run('update machines set group_name = $1 where id = $2 and revoked is null', [group, id])) > 0,
    revoke: async (id) =>
      (await sql.run('update machines set revoked = $1 where id = $2 and revoked is null', [now(), id])) > 0,
  }
}

const iso = (time: number): string => new Date(Number(time)).toISOString()

const shown = (row: Row): Machine => ({
  ...{ id: row.id, name: row.name, group: row.group_name, version: row.version, enrolled: iso(row.enrolled) },
  ...{ seen: row.seen === null ? null : iso(row.seen), revoked: row.revoked === null ? null : iso(row.revoked) },
  policy: policyOf(row),
})

/** As it is kept of a machine. */
export const policyOf = ({ policy, policy_state }: Pick<Row, 'policy' | 'policy_state'>): MachinePolicy | null =>
  policy == null || policy_state == null ? null : { version: policy, state: policy_state as MachinePolicy['state'] }

/** As a machine says it (fleet/told.ts): `7 fine`. What it says otherwise counts as nothing. */
function policyIn(told: string | null | undefined): MachinePolicy | undefined {
  const [, version, word] = /^(\d{1,9}) ([a-z]{1,20})$/.exec(told ?? '') ?? []
  const state = policyStates.find((each) => each === word)
  return state && { version: Number(version), state }
}
