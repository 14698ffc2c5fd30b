import { lastNumber, type Sql } from '../store/index.ts'

/** What is counted of all decisions there ever were. */
export interface Totals {
  /** Where agents have worked, the latest first. */
  projects(): Promise<string[]>
  /** What came of them, by agent; trials do not count. */
  decisions(): Promise<Total[]>
}

export interface Total {
  mark: string
  host: string
  count: number
  failed_open: number
}

/** Numbers of entries only grow, so each is counted once: later calls read what came since. */
export function openTotals(sql: Sql): Totals {
  const decisions = new Map<string, Total>()
  const projects = new Map<string, number>()
  let reached = 0
  let step: Promise<void> = Promise.resolve()

  async function readOn(): Promise<void> {
    const last = await lastNumber(sql)
    if (last <= reached) return
    const rows = await sql.aside.all<Total & { project: string | null; last: number }>(
      `select project, mark, host, count(*) filter (where synthetic = 0) as count, max(id) as last,
        count(*) filter (where synthetic = 0 and failed_open > 0) as failed_open
        from entries where id > $1 and id <= $2 group by project, mark, host`,
      [reached, last],
    )
    for (const { project, last: latest, ...own } of rows) {
      if (project !== null) projects.set(project, Math.max(latest, projects.get(project) ?? 0))
      const key = `${own.mark} ${own.host}`
      const known = decisions.get(key)
      if (known) {
        known.count += own.count
        known.failed_open += own.failed_open
      } else decisions.set(key, own)
    }
    reached = last
  }
  const read = (): Promise<void> => {
    step = step.catch(() => {}).then(readOn)
    return step
  }

  return {
    async projects() {
      await read()
      return [...projects].sort(([, one], [, other]) => other - one).map(([project]) => project)
    },
    async decisions() {
      await read()
      return [...decisions.values()].filter(({ count }) => count > 0)
    },
  }
}
