import { resolve } from 'node:path'
import { formatWhere, inspectHooks, openTrust, placedRules, type RuleEntry, UsageError } from 'hookline/internal'
import { calledIn } from '../called-in.ts'
import { digestOf } from '../digest.ts'
import { runDoctor } from '../doctor.ts'
import { refuse } from '../http/problem.ts'
import { one, type Sql } from '../store/index.ts'

/** `proven`: it blocked its canary. `answers`: it ran, and there is no more to prove. `unproven`: nothing to try it on, or not tried. */
export const proofStates = ['proven', 'answers', 'unproven', 'failed', 'off'] as const

export interface Proved {
  state: (typeof proofStates)[number]
  /** By what: the canary that it blocked, or what is wrong. */
  summary: string
  at: string
}

/** Whether guards would really block: what doctor has found out, project by project. */
export interface Proving {
  /** Tries every hook and rule of a project on what it is there for, in a copy of it. Refused while another is tried. */
  prove(project: string): Promise<void>
  /** What was found last. A hook that has changed since is not proven any more. */
  of(project: string): Promise<{
    hook(id: string, event: string, digest: string): Proved | null
    rule(rule: RuleEntry, place: string | null): Proved | null
  }>
}

interface Kept {
  hooks: Record<string, Pick<Proved, 'state' | 'summary'> & { digest: string | null }>
  /** By the whole rule and its place: one that says something else is another. */
  rules: Record<string, Pick<Proved, 'state' | 'summary'>>
}

/** Places are told from where the server was started, or from the root: the same place is one. */
const placed = (place: string | null): string => (place === null ? '' : resolve(place))
const ruleKey = (rule: RuleEntry, place: string | null): string => `${digestOf(JSON.stringify(rule))} ${placed(place)}`

export function openProving(sql: Sql): Proving {
  let isBusy = false
  return {
    async prove(project) {
      if (isBusy) throw refuse(409, 'request-conflict', { detail: 'Guards are being tried already.' })
      isBusy = true
      try {
        const kept = await examined(project).catch((error: unknown) => {
          // There is no config, or none that can be read.
          throw error instanceof UsageError ? refuse(409, 'request-conflict', { detail: error.message }) : error
        })
        await sql.run(
          `insert into proved (project, time, result) values ($1, $2, $3)
            on conflict (project) do update set time = excluded.time, result = excluded.result`,
          [project, Date.now(), JSON.stringify(kept)],
        )
      } finally {
        isBusy = false
      }
    },
    async of(project) {
      const row = await one<{ time: number; result: string }>(
        sql,
        'select time, result from proved where project = $1',
        [project],
      )
      const kept = row ? (JSON.parse(row.result) as Kept) : undefined
      const at = new Date(row?.time ?? 0).toISOString()
      const shown = (found: Pick<Proved, 'state' | 'summary'> | undefined) =>
        found ? { state: found.state, summary: found.summary, at } : null
      return {
        hook(id, event, digest) {
          const found = kept?.hooks[`${event} ${id}`]
          return found?.digest === digest ? shown(found) : null
        },
        rule: (rule, place) => shown(kept?.rules[ruleKey(rule, place)]),
      }
    },
  }
}

interface Doctored {
  hooks: {
    id: string
    event: string
    proof: Proved['state']
    summary: string
    rules?: { id: string; where: string | null; proof: Proved['state']; summary: string }[]
  }[]
}

async function examined(project: string): Promise<Kept> {
  const { inspections } = await inspectHooks(openTrust(), calledIn(project), { strict: false, cached: false })
  const { hooks } = JSON.parse(await runDoctor(project, { json: true })) as Doctored
  const digests = new Map(inspections.map(({ hook, digest }) => [`${hook.event} ${hook.id}`, digest]))
  const rulesHere = placedRules(inspections.map(({ hook }) => hook)).map(({ rule, where }) => {
    const place = where ? formatWhere(where) : null
    return [`${rule.id} ${placed(place)}`, ruleKey(rule, place)] as const
  })
  const keys = new Map(rulesHere)
  return {
    hooks: Object.fromEntries(
      hooks.map(({ id, event, proof: state, summary }) => {
        const key = `${event} ${id}`
        return [key, { state, summary, digest: digests.get(key) ?? null }]
      }),
    ),
    rules: Object.fromEntries(
      hooks.flatMap(({ rules = [] }) =>
        rules.flatMap(({ id, where, proof: state, summary }) => {
          const key = keys.get(`${id} ${placed(where)}`)
          return key === undefined ? [] : [[key, { state, summary }]]
        }),
      ),
    ),
  }
}
