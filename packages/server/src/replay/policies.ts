import { type ConfigFile, checkLines, type Entry, replayFiles } from 'hookline/internal'
import { replayAsJson } from 'hookline/internal/server'
import { one, type Sql, type Value } from '../store/index.ts'
import { type Changes, type Compared, resultOf } from './compare.ts'

interface Comparing {
  /** The policy that machines have now, where it blocks; absent: none does. */
  current?: ConfigFile | undefined
  candidate: ConfigFile
  which: History
  cwd: string
  onEntry?(): void
}

/** What has happened on machines. */
export interface History {
  /** Only on machines of this group. */
  group?: string | undefined
  since?: string | undefined
  until?: string | undefined
  /** Only the last so many. */
  limit: number
}

/**
 * What a candidate would decide otherwise than the policy in force, on what the machines of a fleet have sent; nothing happens again. What users and
 * projects have configured there is not known here: where that has blocked something, neither policy changes it.
 */
export async function comparePolicies(sql: Sql, given: Comparing): Promise<Compared> {
  const { current, candidate, which, cwd, onEntry } = given
  const replayed = async (files: readonly ConfigFile[]) =>
    replayAsJson(
      await replayFiles({
        ...{ files, cwd, entries: entriesOf(sql, which), most: Number.POSITIVE_INFINITY },
        ...(onEntry && { onEntry }),
      }),
    )
  const now = await replayed(current ? [current] : [])
  const then = await replayed([candidate])
  return resultOf(then, between(now.changes, then.changes), async (seqs) => {
    const names = await namesOf(sql, seqs)
    return (seq) => ({ decision: seq, machine: names.get(seq) ?? null })
  })
}

export async function historyOf(sql: Sql, which: History): Promise<number> {
  const { from, values } = sourceOf(which)
  return (await one<{ count: number }>(sql.aside, `select count(*) as count ${from}`, values))?.count ?? 0
}

const pageSize = 500

/** Oldest first. As its place, each has its number in the store: places in a journal are those of one machine. */
async function* entriesOf(sql: Sql, which: History): AsyncGenerator<Entry> {
  const { from, values } = sourceOf(which)
  const place = values.length + 1
  const first = await one<{ id: number }>(
    sql.aside,
    `select e.id ${from} order by e.id desc limit 1 offset $${place}`,
    [...[...values, which.limit]],
  )
  const page = `select e.id, l.line ${from} and e.id > $${place} order by e.id limit ${pageSize}`
  for (let after = first?.id ?? 0; ; ) {
    const rows = await sql.aside.all<{ id: number; line: string }>(page, [...values, after])
    for (const { id, line } of rows) {
      const [read] = checkLines(Buffer.from(`${line}\n`), { log: '', part: 0, offset: 0, seq: 0, head: '' }).lines
      if (read?.entry) yield { ...read.entry, seq: id }
    }
    if (rows.length < pageSize) return
    after = rows.at(-1)!.id
  }
}

function sourceOf({ group, since, until }: History): { from: string; values: Value[] } {
  const values: Value[] = [since === undefined ? 0 : Date.parse(since), until === undefined ? 9e15 : Date.parse(until)]
  const own = group === undefined ? '' : ' and e.machine in (select id from machines where group_name = $3)'
  return {
    from: `from entries e join lines l on l.entry = e.id
      where e.machine is not null and e.synthetic = 0 and e.time >= $1 and e.time < $2${own}`,
    values: group === undefined ? values : [...values, group],
  }
}

const tightens = new Set(['blocked', 'asked', 'rewritten'])

/** By the place of an entry: what both do is no change. Where the policy in force blocks what was let through then, and the candidate does not, that is one. */
function between(now: Changes, then: Changes): Changes {
  const key = ({ seq, kind, after }: Changes[number]) => `${seq} ${kind} ${JSON.stringify(after)}`
  const [known, left] = [new Set(now.map(key)), new Set(then.map(({ seq }) => seq))]
  const undone = now
    .filter(({ seq, kind }) => !left.has(seq) && tightens.has(kind))
    .map((each) => ({
      ...each,
      kind: 'allowed' as const,
      before: each.after,
      after: each.before,
      reason: '',
      rules: [],
    }))
  return [...then.filter((each) => !known.has(key(each))), ...undone]
}

/** The machine of each of these decisions, by name. */
async function namesOf(sql: Sql, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await sql.aside.all<{ id: number; name: string }>(
    `select e.id, m.name from entries e join machines m on m.id = e.machine
      where e.id in (${ids.map((_, at) => `$${at + 1}`).join(', ')})`,
    ids,
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
