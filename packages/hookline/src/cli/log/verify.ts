import { readFileSync } from 'node:fs'
import { isRecord, parseJson } from '../../core/index.ts'
import {
  type Checkpoint,
  type Entry,
  queryJournal,
  undecidedCalls,
  type VerifyResult,
  verifyJournal,
} from '../../journal/index.ts'
import { type Invocation, type Option, text, UsageError } from '../command.ts'
import { journalToRead, partsToRead, sizeOf } from '../journal-for.ts'
import { idOf, subjectOf } from '../text/entries.ts'
import { count, indent, wrap } from '../text/layout.ts'
import { type Paint, paintFor, widthOf } from '../text/paint.ts'
import { shareOn } from '../text/progress.ts'

export const verifyOptions = {
  checkpoint: { value: 'file', doc: 'verify: what `log checkpoint` printed earlier, in a file or as it is.' },
  key: { value: 'file', doc: 'verify, checkpoint: the key with which the journal was written.' },
  complete: { doc: 'verify: also report tool calls that ran although nothing allowed them.' },
} as const satisfies Record<string, Option>

/** Where a journal stands now, to be kept elsewhere. One that is not intact gets none. */
export async function checkpoint(invocation: Invocation, words: readonly string[]): Promise<number> {
  const { output, errors } = invocation
  const { file, result } = await examine(invocation, words)
  if (result.status === 'intact' || result.status === 'torn') {
    const { log, from, entries, head } = result
    output.write(`${JSON.stringify({ log, count: from + entries, head })}\n`)
    return 0
  }
  errors.write(`${report(file, result, undefined, paintFor(errors), widthOf(errors)).join('\n')}\n`)
  return 1
}

export async function verify(invocation: Invocation, words: readonly string[]): Promise<number> {
  const { values, output } = invocation
  const { file, result, known } = await examine(invocation, words)
  const since = result.at === undefined ? undefined : await lastIntact(file, result)
  const undecided = values['complete'] && result.status !== 'missing' ? await unallowed(file) : undefined
  if (values['json'])
    output.write(
      `${JSON.stringify({ ...result, since: since ?? null, ...(undecided && { undecided: undecided.map(({ seq, event, tool_use_id }) => ({ seq, event, tool_use_id })) }) })}\n`,
    )
  else {
    const [paint, width] = [paintFor(output), widthOf(output)]
    const lines = [
      ...report(file, result, since, paint, width),
      ...(undecided ? showUndecided(undecided, paint) : []),
      ...(result.status === 'intact' && !known ? wrap(unanchored, width).map(paint.dim) : []),
    ]
    output.write(`${lines.join('\n')}\n`)
  }
  if (result.status === 'torn') return undecided?.length ? 1 : 2
  return result.status === 'intact' && !undecided?.length ? 0 : 1
}

const unanchored =
  'The file alone cannot show whether entries were cut off its end: keep a checkpoint elsewhere (`hookline log checkpoint`) and pass it with `--checkpoint`.'

async function examine(invocation: Invocation, [named, ...rest]: readonly string[]) {
  const { values, errors } = invocation
  if (rest.length > 0) throw new UsageError('Name one journal at most.')
  const file = await journalToRead(invocation, named ?? text(values['journal']))
  const known = readCheckpoint(text(values['checkpoint']))
  const key = text(values['key'])
  const parts = partsToRead(file)
  const progress = shareOn(errors, 'Verifying', sizeOf(parts))
  const result = await verifyJournal(file, {
    across: true,
    onRead: progress.add,
    ...(known && { checkpoint: known }),
    ...(key !== undefined && { key: readKey(key) }),
  })
  progress.end()
  return { file, result, known }
}

function report(file: string, result: VerifyResult, since: string | undefined, paint: Paint, width: number): string[] {
  const { status, entries, from, lost, recoveries } = result
  const lines = count(entries, 'line')
  const history = [
    ...(from > 0 ? [`It begins at entry ${from}: what was before was rotated away.`] : []),
    ...(recoveries > 0 ? [`It recovered ${count(recoveries, 'time')} from a crash or from a change of its file.`] : []),
    ...(lost > 0 ? [`It records that ${count(lost, 'entry', 'entries')} could not be written.`] : []),
  ]
  if (status === 'intact') return [`${paint.green('✔')} ${file}: ${lines}, all as they were written.`, ...history]
  if (status === 'missing') return [`${paint.red('✖')} ${result.detail}.`]
  const place = result.file === undefined ? file : `${result.file}:${result.line ?? 1}`
  const sign = status === 'torn' ? paint.yellow('!') : paint.red('✖')
  const when = since === undefined ? 'Nothing before it can be relied on.' : `All before it is intact, up to ${since}.`
  return [
    `${sign} ${paint.bold(place)}  ${titles[status]}`,
    ...indent([...wrap(`${capital(result.detail)}. ${when}`, width - 2), ...history], 2),
    ...indent(wrap(`→ ${remedies[status]}`, width - 2).map(paint.dim), 2),
  ]
}

const titles = {
  tampered: 'was changed after it was written',
  truncated: 'entries are missing from the end',
  torn: 'the last write was cut short by a crash',
} as const

const remedies = {
  tampered:
    'Keep a copy of the file as evidence, look who could write to it, and compare with a backup; entries from here on prove nothing. To begin a new journal, move the file away.',
  truncated:
    'Somebody or something cut the file, or put an older copy in its place: look for the rest (rotated parts, `.torn-` files, backups), and for who could write to it.',
  torn: 'Nothing to do: the next entry sets the torn bytes aside and says so.',
} as const

/** When the last entry before the broken line was written. */
async function lastIntact(file: string, { at }: VerifyResult): Promise<string | undefined> {
  let last: string | undefined
  for await (const { seq, time } of queryJournal(partsToRead(file))) {
    if (seq !== undefined && at !== undefined && seq >= at) break
    last = time
  }
  return last
}

async function unallowed(file: string): Promise<Entry[]> {
  const found: Entry[] = []
  for await (const entry of undecidedCalls(partsToRead(file))) found.push(entry)
  return found
}

function showUndecided(found: readonly Entry[], paint: Paint): string[] {
  if (found.length === 0) return [`${paint.green('✔')} Every tool call that ran had been decided before.`]
  const calls = count(found.length, 'tool call')
  return [
    `${paint.red('✖')} ${calls} ran although the journal has no decision for ${found.length === 1 ? 'it' : 'them'} before, or one against:`,
    ...indent(
      found.slice(0, 20).map((entry) => `${idOf(entry)}  ${entry.event}  ${subjectOf(entry)}`),
      4,
    ),
    ...(found.length > 20 ? [`    … ${found.length - 20} more`] : []),
  ]
}

function readCheckpoint(given: string | undefined): Checkpoint | undefined {
  if (given === undefined) return undefined
  const source = given.trimStart().startsWith('{') ? given : readFileOf('--checkpoint', given)
  const parsed = parseJson(source)
  const value = parsed.ok ? parsed.value : undefined
  if (isRecord(value) && typeof value['log'] === 'string' && typeof value['head'] === 'string')
    if (Number.isSafeInteger(value['count'])) return value as unknown as Checkpoint
  throw new UsageError('`--checkpoint` takes what `hookline log checkpoint` prints: {"log": …, "count": …, "head": …}.')
}

/** As a line in a file: what an editor put after it is no part of the key. */
const readKey = (file: string): string => readFileOf('--key', file).trimEnd()

function readFileOf(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`\`${option}\`: ${(error as Error).message}.`)
  }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
