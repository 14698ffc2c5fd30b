import { lastNumber, one, type Sql } from '../store/index.ts'

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

/** What was counted so far, for the next server: to count a hundred million takes minutes. */
interface Kept {
  reached: number
  decisions: [key: string, total: Total][]
  projects: [project: string, latest: number][]
}

const name = 'totals'
/** Nobody is shown more. */
const mostProjects = 2_000

/** Numbers of entries only grow, so each is counted once, also by the servers after this one: later calls read what came since. */
export function openTotals(sql: Sql, { keptEvery = 20_000 } = {}): Totals {
  let decisions = new Map<string, Total>()
  let projects = new Map<string, number>()
  let reached = 0
  let kept: number | undefined
  let step: Promise<void> = Promise.resolve()

  async function readKept(): Promise<void> {
    const row = await one<{ value: string }>(sql, 'select value from meta where name = $1', [name])
    const known = row ? (JSON.parse(row.value) as Kept) : { reached: 0, decisions: [], projects: [] }
    decisions = new Map(known.decisions)
    projects = new Map(known.projects)
    reached = kept = known.reached
  }

  const latest = () => [...projects].sort(([, one], [, other]) => other - one)

  /** Now and then; whichever server writes last: each of them is right. */
  async function keep(): Promise<void> {
    const value = JSON.stringify({
      reached,
      decisions: [...decisions],
      projects: latest().slice(0, mostProjects),
    } satisfies Kept)
    await sql.run(
      'insert into meta (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
      [name, value],
    )
    kept = reached
  }

  async function readOn(): Promise<void> {
    if (kept === undefined) await readKept()
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
    if (reached - kept! >= keptEvery) await keep()
  }
  const read = (): Promise<void> => {
    step = step.catch(() => {}).then(readOn)
    return step
  }

  return {
    async projects() {
      await read()
      return latest().map(([project]) => project)
    },
    async decisions() {
      await read()
      return [...decisions.values()].filter(({ count }) => count > 0)
    },
  }
}
