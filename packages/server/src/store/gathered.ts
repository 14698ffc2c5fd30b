import { numbered } from './numbered.ts'
import { type Change, isRows, type Sql } from './sql.ts'

/** Takes so many numbers and writes what is made of them, as `numbered` does. */
export type Write = (count: number, make: (first: number) => readonly Change[]) => Promise<number>

/** At most so many numbers in one step. */
const most = 4_000

/**
 * What comes while a step is being written goes into the next one, together: a database does few steps in a second, and many rows in a step. Where one of
 * them cannot be written, each is written by itself, so that it spoils nothing for the others.
 */
export function openGathered(sql: Sql): Write {
  let waiting: Waiting[] = []
  let isWriting = false

  async function writeOn(): Promise<void> {
    isWriting = true
    // What comes in the same moment goes together.
    await Promise.resolve()
    while (waiting.length > 0) await writeGroup(taken())
    isWriting = false
  }

  function taken(): Waiting[] {
    let count = 0
    const end = waiting.findIndex((each, at) => {
      count += each.count
      return at > 0 && count > most
    })
    const group = end < 0 ? waiting : waiting.slice(0, end)
    waiting = end < 0 ? [] : waiting.slice(end)
    return group
  }

  async function writeGroup(group: readonly Waiting[]): Promise<void> {
    const total = group.reduce((sum, { count }) => sum + count, 0)
    try {
      let first = 0
      await numbered(sql, total, (given) => {
        first = given
        return placed(group, given)
      })
      let last = first - 1
      for (const { count, done } of group) {
        last += count
        done(last)
      }
    } catch (error) {
      if (group.length === 1) group[0]!.failed(error)
      else for (const each of group) await writeGroup([each])
    }
  }

  return (count, make) =>
    new Promise((done, failed) => {
      waiting.push({ count, make, done, failed })
      if (!isWriting) void writeOn()
    })
}

interface Waiting {
  count: number
  make: (first: number) => readonly Change[]
  done(last: number): void
  failed(error: unknown): void
}

/** Rows come last: what must hold is known before them, and those of all stand together. */
function placed(group: readonly Waiting[], given: number): Change[] {
  let first = given
  const all = group.flatMap(({ count, make }) => {
    const own = make(first)
    first += count
    return own
  })
  return [...all.filter((change) => !isRows(change)), ...all.filter(isRows)]
}
