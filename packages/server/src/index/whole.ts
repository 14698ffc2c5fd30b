import { checkLines, type Entry, type JournalLine, readJournalLine } from 'hookline/internal'
import { type Decision, decisionsByIds } from '../decisions/index.ts'
import { one, type Sql } from '../store/index.ts'

/** One decision whole, as the journal has it now. */
export interface WholeDecision {
  decision: Decision
  /** `as-indexed`: the line is what it was when it was read first. `changed`: somebody has changed it since. `gone`: the journal no longer keeps it. */
  line: 'as-indexed' | 'changed' | 'gone'
  hash: string
  log: string
  entry: Entry | null
}

/** The line that a machine has sent, as it has written it. */
async function keptLine(sql: Sql, id: number): Promise<{ entry?: Entry; hash?: string } | undefined> {
  const kept = await one<{ line: string }>(sql, 'select line from lines where entry = $1', [id])
  if (!kept) return undefined
  const zero = { log: '', part: 0, offset: 0, seq: 0, head: '' }
  const [line] = checkLines(Buffer.from(`${kept.line}\n`), zero).lines
  return { ...(line?.entry && { entry: line.entry }), ...(line && !isForged(line) && { hash: line.hash }) }
}

/** Alone it follows from nothing, which is no fault of it; but its content must be what its hash says. */
const isForged = ({ broken }: JournalLine): boolean => broken?.includes('hash') === true

export async function wholeDecision(sql: Sql, file: string, id: number): Promise<WholeDecision | undefined> {
  const place = 'e.log, e.part, e.at_offset as offset, e.bytes, e.hash'
  const found = await one<Pick<JournalLine, 'log' | 'part' | 'offset' | 'bytes' | 'hash'>>(
    sql,
    `select ${place} from entries e where e.id = $1`,
    [id],
  )
  const [decision] = await decisionsByIds(sql, id - 1, id)
  if (!found || !decision) return undefined
  const { hash, ...at } = found
  const line = decision.machine === null ? await readJournalLine(file, at) : await keptLine(sql, id)
  const state = !line ? 'gone' : line.hash === hash ? 'as-indexed' : 'changed'
  return { decision, line: state, hash, log: at.log, entry: line?.entry ?? null }
}
