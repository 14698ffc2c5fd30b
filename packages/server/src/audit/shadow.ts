import { isRulesId } from 'hookline/internal'
import { refuse } from '../http/problem.ts'
import type { Sql } from '../store/index.ts'

/** A rule or hook that only watches, and what it would have done. */
export interface Shadowed {
  id: string
  outcome: string
  count: number
  machines: number
  /** Because it failed, and so blocks. */
  failed: boolean
  last: string
}

const dayMs = 86_400_000

/** On the machines of a fleet, or of one of its groups; the most frequent first. A hook that is made of rules is shown by its rules. */
export async function shadowIn(
  sql: Sql,
  { since, group }: { since?: string | undefined; group?: string | undefined },
): Promise<{ rules: Shadowed[]; hooks: Shadowed[] }> {
  const from = since === undefined ? Date.now() - 7 * dayMs : Date.parse(since)
  if (Number.isNaN(from))
    throw refuse(400, 'request-invalid', { detail: '`since` must be a time, such as 2026-11-17T09:30:00Z' })
  const found = async (table: string, column: string, failed: string) => {
    const rows = await sql.aside.all<Omit<Shadowed, 'last' | 'failed'> & { last: number; failed: number }>(
      `select s.${column} as id, s.outcome, count(*) as count, count(distinct e.machine) as machines, ${failed} as failed, max(s.time) as last
        from ${table} s join entries e on e.id = s.entry
        where s.time >= $1 and s.shadow = 1 and s.outcome in ('deny', 'ask', 'halt') and e.machine is not null and e.synthetic = 0
        ${group === undefined ? '' : 'and e.machine in (select id from machines where group_name = $2)'}
        group by s.${column}, s.outcome, ${failed} order by count desc, id limit 200`,
      group === undefined ? [from] : [from, group],
    )
    return rows.map((row) => ({ ...row, failed: row.failed === 1, last: new Date(row.last).toISOString() }))
  }
  const hooks = await found('hook_runs', 'hook', 'case when s.failure is null then 0 else 1 end')
  return {
    // A rule that has matched did not fail: this column is 0 in all that is found, and both stores group by it.
    rules: await found('rule_matches', 'rule', 'e.synthetic'),
    hooks: hooks.filter(({ id, failed }) => !isRulesId(id) || failed),
  }
}
