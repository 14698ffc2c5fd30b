import { type Entry, type JournalFilter, type QueryOptions, queryJournal } from '../../journal/index.ts'

/** The last so many that pass, oldest first: found from the end, unless all are wanted. */
export async function* newestEntries(
  files: readonly string[],
  filter: JournalFilter,
  limit: number,
  options: Pick<QueryOptions, 'onRead'> = {},
): AsyncGenerator<Entry> {
  if (limit === Number.POSITIVE_INFINITY) {
    yield* queryJournal(files, filter, options)
    return
  }
  const found: Entry[] = []
  for await (const entry of queryJournal(files, filter, { ...options, newestFirst: true })) {
    found.push(entry)
    if (found.length >= limit) break
  }
  yield* found.reverse()
}
