import { type EventName, eventRow } from '../core/index.ts'
import { quoteAlways } from '../shell/index.ts'

/** By this name of the program our entries are recognised in files of hosts, wherever it lies. */
export const entryProgram = 'hookline-hook'

export interface EntryOptions {
  /** The program that answers: an absolute path, which ends in `entryProgram`. */
  entry: string
  host: string
  event: EventName
  /** Whether what waits for the answer must not go on without one. */
  closed: boolean
}

/**
 * The line that a host runs. A missing, broken or killed entry is a refusal where something waits to be refused. At
 * other events exit code 2 would mean "go on working", so there it is a warning, and the host goes on.
 */
export function entryCommand({ entry, host, event, closed }: EntryOptions): string {
  const call = `${quoteAlways(entry)} ${host} ${event}`
  const repair = `Run: npx hookline install ${host}`
  return closed
    ? `${call} || { echo ${quoteAlways(`Hookline could not judge this, so it is refused. ${repair}`)} >&2; exit 2; }`
    : `${call} || { echo ${quoteAlways(`Hookline did not run at ${event}. ${repair}`)} >&2; exit 0; }`
}

export const isClosed = (event: EventName): boolean => eventRow(event).failure === 'closed'

/** Whether a line is one of ours, whatever version wrote it. */
export const isEntryCommand = (line: unknown): boolean =>
  typeof line === 'string' && new RegExp(`/${entryProgram}'? [a-z0-9-]+ [a-z_]+ \\|\\| `).test(line)
