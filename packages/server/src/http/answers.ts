import type { Sql } from '../store/index.ts'

/** The body of an answer, and what it is known by. */
export interface Written {
  body: string
  etag: string
}

const most = 20

/** Answers that are the same until something is written: many who look at the same list cost one query. */
export function makeAnswers(sql: Sql): (key: string, write: () => Promise<Written>) => Promise<Written> {
  const kept = new Map<string, { version: number; answer: Promise<Written> }>()
  return (key, write) => {
    // Known before it is read: what is written meanwhile makes it old.
    const { version } = sql
    if (version === undefined) return write()
    const found = kept.get(key)
    if (found?.version === version) return found.answer
    const answer = write()
    kept.delete(key)
    if (kept.size >= most) kept.delete(kept.keys().next().value!)
    kept.set(key, { version, answer })
    answer.catch(() => kept.delete(key))
    return answer
  }
}
