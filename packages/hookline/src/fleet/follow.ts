import { readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { HooklineError, note } from '../core/index.ts'
import { currentIn, detailOf, policyIn } from './current.ts'
import { joinGroup } from './enrolment.ts'
import { fleetFiles, modesOf, writeWhole } from './place.ts'
import { lastFailure } from './policy.ts'
import { type PolicySource, sourceOf, Unreachable } from './source.ts'
import { type Check, update } from './update.ts'

export interface Follower {
  /** Nothing runs any more. */
  stop(): Promise<void>
}

/** What a server may wait for, in seconds, before it says that nothing is new (RFC 7240). */
const waitSeconds = 50
/** How often one is looked at that does not wait. */
const pollMs = 60_000
/** The first time nothing is known to compare with, and what is published while it is fetched is announced again. */
const mostInVain = 3
/** After a failure: so long, then twice as long, up to the most. */
const [firstRetryMs, mostRetryMs] = [2_000, 300_000]

/** Keeps the policy of this machine up to date, as long as it runs. */
export function followPolicy(directory: string, check: Check, log: (line: string) => void): Follower {
  const stopped = new AbortController()
  const ended = follow(directory, check, log, stopped.signal).catch((error: unknown) => {
    if (!stopped.signal.aborted) log(`fleet: ${error instanceof Error ? (error.stack ?? error.message) : error}`)
  })
  return {
    async stop() {
      stopped.abort()
      await ended
    },
  }
}

async function follow(
  directory: string,
  check: Check,
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const source = sourceOf(directory)
  let retryMs = firstRetryMs
  let etag: string | undefined
  /** How often in a row something new was announced at once, and was none. */
  let inVain = 0
  while (!signal.aborted) {
    try {
      const isTaken = await fetchPolicy(directory, source, check)
      if (isTaken) log('fleet: a new policy is in force')
      const begun = Date.now()
      const answer = await waitForNews(source, etag, signal)
      etag = answer.etag
      joinGroup(directory, answer.group)
      retryMs = firstRetryMs
      const isAtOnce = Date.now() - begun < pollMs / 12
      inVain = isTaken || !isAtOnce ? 0 : inVain + 1
      // Who answers at once that nothing is new does not wait; nor does one that gives the same a new name each time.
      if (isAtOnce && (!answer.isNew || inVain > mostInVain)) await delay(spread(pollMs), undefined, { signal })
    } catch (error) {
      if (signal.aborted) return
      log(`fleet: ${(error as Error).message}`)
      etag = undefined
      await delay(spread(retryMs), undefined, { signal })
      retryMs = Math.min(retryMs * 2, mostRetryMs)
    }
  }
}

/** Once. What was refused is written down, for every load to tell; what could not be reached is not: that is no fault of a policy. */
export async function fetchPolicy(directory: string, source: PolicySource, check: Check): Promise<boolean> {
  try {
    const isNew = await update(directory, source, check)
    remember(directory, undefined)
    return isNew
  } catch (error) {
    if (!(error instanceof HooklineError)) throw error
    const detail = detailOf(error.notes[0]!)
    remember(directory, detail)
    // The machine has never had one: nothing is missing that held before, and nothing stands still.
    if (policyIn(directory) === undefined) throw new HooklineError(note('fleet-none', { detail }))
    if (typeof currentIn(directory) === 'string') throw error
    throw new HooklineError(note('fleet-update-refused', { detail }))
  }
}

/** Written only when it is another: each change makes hooks load anew. When it was last looked at is the time of the file. */
function remember(directory: string, problem: string | undefined): void {
  const file = join(directory, fleetFiles.state)
  if (lastFailure(directory) !== problem || !hasState(file))
    writeWhole(
      file,
      `${JSON.stringify({ version: 1, ...(problem !== undefined && { problem }) })}\n`,
      modesOf(directory).file,
    )
  else utimesSync(file, new Date(), new Date())
}

function hasState(file: string): boolean {
  try {
    return readFileSync(file).length > 0
  } catch {
    return false
  }
}

interface News {
  isNew: boolean
  etag: string | undefined
  group: string | undefined
}

/** Until the file that names all others is another than before, or the server has waited long enough. */
async function waitForNews(source: PolicySource, etag: string | undefined, signal: AbortSignal): Promise<News> {
  const headers: Record<string, string> = { prefer: `wait=${waitSeconds}` }
  if (etag !== undefined) headers['if-none-match'] = etag
  const patience = AbortSignal.timeout((waitSeconds + 30) * 1000)
  const response = await source.fetch('timestamp.json', { headers, signal: AbortSignal.any([signal, patience]) })
  await response.body?.cancel()
  if (!response.ok && response.status !== 304) throw new Unreachable(`${source.base} answers ${response.status}.`)
  const [now, group] = [response.headers.get('etag') ?? undefined, response.headers.get('hookline-group') ?? undefined]
  return { isNew: response.status !== 304 && now !== undefined && now !== etag, etag: now, group }
}

/** Not all machines at the same moment. */
const spread = (ms: number): number => ms * (0.8 + Math.random() * 0.4)
