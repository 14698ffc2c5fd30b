import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { openShadow, type Shadow, type SnapshotKit } from './shadow.ts'

/** A state to which files can be put back: how they were before a turn or a tool changed them. */
export interface Checkpoint {
  tree: string
  files: string[]
  /** What changed them: `turn`, or the id of a tool call. */
  by: string
  at: string
}

interface Record {
  /** States at the beginning of what has not ended yet, by what it is. */
  open: { [by: string]: string }
  checkpoints: Checkpoint[]
}

/** The snapshots of one session. Undefined outside a git repository. */
export interface Snapshots {
  prepare(): Promise<void>
  begin(by: string): Promise<void>
  /** Keeps a checkpoint if files changed since `begin`. */
  end(by: string): Promise<Checkpoint | undefined>
  /** Keeps how these files are now, before something takes them away; false where that cannot be kept. */
  keep(by: string, files: readonly string[]): Promise<boolean>
  list(): Promise<Checkpoint[]>
  /** Takes back the latest checkpoint; gives back the files it put back. */
  undo(): Promise<string[]>
  /** Takes back every checkpoint but the first `keep`. */
  reset(keep: number): Promise<string[]>
  tidy(): Promise<void>
}

export async function openSnapshots(kit: SnapshotKit, session: string): Promise<Snapshots | undefined> {
  const shadow = await openShadow(kit)
  if (!shadow) return undefined
  const file = join(shadow.directory, 'sessions', `${createHash('sha256').update(session).digest('hex')}.json`)

  const change = <T>(work: (record: Record) => Promise<T>): Promise<T> =>
    kit.exclusive(shadow.directory, async () => {
      const record = await load()
      const result = await work(record)
      await kit.write(file, JSON.stringify(record))
      return result
    })
  const load = async (): Promise<Record> =>
    JSON.parse((await kit.read(file, 64 * 1024 * 1024)) ?? '{"open":{},"checkpoints":[]}')

  return {
    prepare: () => kit.exclusive(shadow.directory, async () => void (await shadow.capture())),
    begin: (by) =>
      change(async (record) => {
        record.open[by] = await shadow.capture()
      }),
    end: (by) =>
      change(async (record) => {
        const tree = record.open[by]
        delete record.open[by]
        if (tree === undefined) return undefined
        const files = await shadow.changed(tree, await shadow.capture())
        if (files.length === 0) return undefined
        const checkpoint = { tree, files, by, at: kit.now().toISOString() }
        record.checkpoints.push(checkpoint)
        return checkpoint
      }),
    keep: (by, files) =>
      change(async (record) => {
        const tree = await shadow.capture()
        const inside = files.map((file) => shadow.inside(file))
        if (inside.some((path) => path === undefined) || !(await shadow.holds(tree, inside as string[]))) return false
        record.checkpoints.push({ tree, files: inside as string[], by, at: kit.now().toISOString() })
        return true
      }),
    list: async () => (await load()).checkpoints,
    undo: () => change((record) => takeBack(shadow, record.checkpoints, record.checkpoints.length - 1)),
    reset: (keep) => change((record) => takeBack(shadow, record.checkpoints, keep)),
    tidy: () => kit.exclusive(shadow.directory, () => shadow.tidy()),
  }
}

/** Each file goes back to the oldest of the states that are taken back. */
async function takeBack(shadow: Shadow, checkpoints: Checkpoint[], from: number): Promise<string[]> {
  const taken = checkpoints.splice(Math.max(0, from))
  const oldest = new Map<string, string>()
  for (const { tree, files } of taken) for (const file of files) if (!oldest.has(file)) oldest.set(file, tree)
  for (const tree of new Set(oldest.values()))
    await shadow.restore(
      tree,
      [...oldest].filter(([, of]) => of === tree).map(([file]) => file),
    )
  return [...oldest.keys()].sort()
}
