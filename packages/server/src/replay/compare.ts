import { resolve } from 'node:path'
import { type ConfigFile, type JournalFilter, partsToRead, replayFiles } from 'hookline/internal'
import { replayAsJson } from 'hookline/internal/server'
import * as z from 'zod/mini'
import type { World } from '../world.ts'

/** One call that would be decided otherwise. */
export const difference = z.object({
  /** Which decision it is, where the index has it. */
  decision: z.nullable(z.int()),
  /** The machine of the fleet that it happened on; null: this one. */
  machine: z.nullable(z.string()),
  time: z.string(),
  about: z.string(),
  kind: z.string(),
  before: z.string(),
  after: z.string(),
  reason: z.string(),
  rules: z.array(z.string()),
  doubts: z.array(z.string()),
})

interface Comparing {
  project: string
  current: readonly ConfigFile[]
  /** Absent: the current config is compared with what was decided then. */
  candidate?: readonly ConfigFile[] | undefined
  filter: JournalFilter
  /** Only the last so many. */
  limit: number
  onEntry?(): void
}

export interface Compared {
  from: string | null
  to: string | null
  replayed: number
  counts: Record<string, number>
  changes: z.infer<typeof difference>[]
  not_replayed: Record<string, number>
  impossible: Record<string, number>
}

/**
 * What the candidate would decide otherwise than the current config, on what has happened; nothing happens again. What
 * has changed since then for other reasons is left out.
 */
export async function compareConfigs(
  world: World,
  { project, current, candidate, filter, limit, onEntry }: Comparing,
): Promise<Compared> {
  const replayed = async (files: readonly ConfigFile[]) =>
    replayAsJson(
      await replayFiles({
        ...{ files, cwd: project, parts: partsToRead(world.index.file), limit, most: Number.POSITIVE_INFINITY },
        filter: { synthetic: false, ...filter },
        ...(onEntry && { onEntry }),
      }),
    )
  const now = await replayed(current)
  const then = candidate ? await replayed(candidate) : now
  return resultOf(then, candidate ? between(now.changes, then.changes) : now.changes, async (seqs) => {
    const ids = await idsOf(world, seqs)
    return (seq) => ({ decision: ids.get(seq) ?? null, machine: null })
  })
}

type Placed = Pick<z.infer<typeof difference>, 'decision' | 'machine'>

/** As people see it. `places` finds which decisions these are, by their places. */
export async function resultOf(
  replayed: ReturnType<typeof replayAsJson>,
  changes: Changes,
  places: (seqs: readonly number[]) => Promise<(seq: number) => Placed>,
): Promise<Compared> {
  const found = changes.filter(({ kind }) => kind !== 'reason' && kind !== 'context')
  const shown = found.slice(0, mostShown)
  const placeOf = await places([...new Set(shown.flatMap(({ seq }) => seq ?? []))])
  const counts: Record<string, number> = {}
  for (const { kind } of found) counts[kind] = (counts[kind] ?? 0) + 1
  return {
    ...{ from: replayed.from, to: replayed.to, replayed: replayed.replayed, counts },
    ...{ not_replayed: replayed.not_replayed, impossible: replayed.impossible },
    changes: shown.map(({ seq, time, about, kind, before, after, reason, rules, doubts }) => ({
      ...placeOf(seq ?? -1),
      ...{ time, about, kind, before: String(before), after: String(after), reason, rules, doubts },
    })),
  }
}

/** All are counted; nobody reads more than so many. */
const mostShown = 2_000

export type Changes = ReturnType<typeof replayAsJson>['changes']

function between(now: Changes, then: Changes): Changes {
  const known = new Set(now.map(({ seq, kind, after }) => `${seq} ${kind} ${after}`))
  const left = new Set(then.map(({ seq }) => seq))
  // What is otherwise now, and would be as it was again, is a change as well.
  const undone = now
    .filter(({ seq }) => !left.has(seq))
    .map((each) => ({ ...each, kind: 'unruled' as const, before: each.after, after: each.before, reason: '' }))
  return [...then.filter(({ seq, kind, after }) => !known.has(`${seq} ${kind} ${after}`)), ...undone]
}

async function idsOf({ sql }: World, seqs: readonly number[]): Promise<Map<number, number>> {
  if (seqs.length === 0) return new Map()
  const rows = await sql.aside.all<{ id: number; seq: number }>(
    `select max(id) as id, seq from entries where seq in (${seqs.map((_, at) => `$${at + 1}`).join(', ')}) and machine is null group by seq`,
    seqs,
  )
  return new Map(rows.map(({ id, seq }) => [seq, id]))
}

/** These files with another text in one of them; where it is not among them, it is added. */
export function withText(files: readonly ConfigFile[], target: ConfigFile, text: string): ConfigFile[] {
  const at = resolve(target.file)
  const isOther = (each: ConfigFile) => resolve(each.file) !== at
  return files.every(isOther)
    ? [...files, { file: at, layer: target.layer, dialect: 'native', text }]
    : files.map((each) => (isOther(each) ? each : { ...each, file: at, text }))
}
