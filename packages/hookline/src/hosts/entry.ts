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
  /** Exit code 2 with a reason is how the entry refuses, and no failure of it. */
  byExitCode?: boolean
}

/**
 * The line that a host runs. A missing, broken or killed entry, and one that does not print a JSON object, is a refusal where something
 * waits to be refused: hosts take any other output for consent. At other events exit code 2 would mean "go on working", so there it is a
 * warning, and the host goes on.
 */
export function entryCommand({ entry, host, event, closed, byExitCode = false }: EntryOptions): string {
  const call = `${quoteAlways(entry)} ${host} ${event}`
  const repair = `Run: npx hookline install ${host}`
  const unlessSaid = byExitCode ? '[ $? = 2 ] || ' : ''
  return closed
    ? `said=$(${call}) && ${isObject} || { ${unlessSaid}echo ${quoteAlways(`Hookline could not judge this, so it is refused. ${repair}`)} >&2; exit 2; }`
    : `${call} || { echo ${quoteAlways(`Hookline did not run at ${event}. ${repair}`)} >&2; exit 0; }`
}

const isObject = `case $said in '{'*'}') printf %s "$said" ;; *) false ;; esac`

export const isClosed = (event: EventName): boolean => eventRow(event).failure === 'closed'

/** Whether a line is one of ours, or a text holds one, whatever version wrote it. */
export const isEntryCommand = (line: unknown): boolean => typeof line === 'string' && entryMark.test(line)

const entryMark = new RegExp(`/${entryProgram}'? [a-z0-9-]+ [a-z_]+(?:\\)| \\|\\|) `)
