import { setTimeout as delay } from 'node:timers/promises'
import { isRecord } from '../../core/index.ts'
import { addressOf, refusalOf } from '../../fleet/index.ts'
import { type Invocation, UsageError } from '../command.ts'
import { printable } from '../text/inspection.ts'
import { count, indent } from '../text/layout.ts'
import type { Paint } from '../text/paint.ts'
import { progressOn } from '../text/progress.ts'
import { type Kind, kinds } from './replay.ts'

/** What a server found out about a candidate, on what its machines have sent. */
export interface FleetReplay {
  replayed: number
  counts: Partial<Record<Kind, number>>
  changes: { machine: string | null; time: string; about: string; kind: Kind; reason: string; rules: string[] }[]
  not_replayed: Record<string, number>
  impossible: Record<string, number>
}

interface Job {
  id: string
  state: 'running' | 'done' | 'failed' | 'canceled'
  done: number
  of: number
  problem: string | null
  result: FleetReplay | null
}

interface Asked {
  url: string
  policy: { text: string; group?: string }
  since?: Date | string | undefined
  until?: Date | string | undefined
  limit?: number | undefined
}

const lookMs = 300

/** Lets the server of a fleet try a policy; the machines notice nothing. */
export async function replayOnFleet({ errors }: Invocation, { url, ...body }: Asked): Promise<FleetReplay> {
  const server = addressOf(url)
  const token = process.env['HOOKLINE_SERVER_TOKEN']
  if (token === undefined)
    throw new UsageError('`--fleet` needs a token of the server, of an operator, in HOOKLINE_SERVER_TOKEN.')
  const call = async (method: string, path: string, sent?: object): Promise<Job> => {
    const headers = { authorization: `Bearer ${token}`, ...(sent && { 'content-type': 'application/json' }) }
    const response = await fetch(server + path, { method, headers, ...(sent && { body: JSON.stringify(sent) }) }).catch(
      (error: Error) => {
        throw new UsageError(
          `${server} cannot be reached: ${(error.cause as Error | undefined)?.message ?? error.message}`,
        )
      },
    )
    if (!response.ok) throw await refusalOf(server, response)
    return (await response.json()) as Job
  }
  const progress = progressOn(errors)
  try {
    let job = await call('POST', '/api/replays', body)
    while (job.state === 'running') {
      progress.show(`Replaying ${job.done.toLocaleString('en')} of ${job.of.toLocaleString('en')}…`)
      await delay(lookMs)
      job = await call('GET', `/api/replays/${job.id}`)
    }
    if (isRecord(job.result)) return job.result
    throw new UsageError(`The replay on ${server} has ${job.state}: ${job.problem ?? 'somebody ended it'}`)
  } finally {
    progress.end()
  }
}

export function showFleetReplay(result: FleetReplay, url: string, paint: Paint, most: number): string[] {
  const { replayed, counts, changes, not_replayed: skipped, impossible } = result
  const groups = (Object.keys(kinds) as Kind[]).filter((kind) => counts[kind] !== undefined)
  const changed = Object.values(counts).reduce((sum, each) => sum + each, 0)
  return [
    `${paint.bold(`Replayed ${count(replayed, 'dispatch', 'dispatches')}`)} of the machines of ${url}.`,
    '',
    ...groups.flatMap((kind) => {
      const own = changes.filter((each) => each.kind === kind).slice(0, most)
      const more = counts[kind]! - own.length
      return [
        paint.bold(`${counts[kind]!.toLocaleString('en')} ${kinds[kind]}`),
        ...indent(own.map(shown), 2),
        ...(more > 0 ? [paint.dim(`  … ${more.toLocaleString('en')} more; --json has them`)] : []),
        '',
      ]
    }),
    changed > 0
      ? `${count(Math.max(0, replayed - changed), 'dispatch', 'dispatches')} unchanged.`
      : replayed > 0
        ? `${paint.green('✔')} Nothing would change.`
        : 'Nothing was replayed: the machines have sent nothing in this time.',
    ...Object.entries(skipped).map(
      ([hook, times]) => `${hook} was not replayed (${times} ×): it acts or looks at the world.`,
    ),
    ...Object.entries(impossible).map(([why, times]) => `${times} could not be replayed: ${why}`),
  ]
}

const shown = ({ time, machine, about, rules, reason }: FleetReplay['changes'][number]): string =>
  [time.slice(0, 16).replace('T', ' '), machine ?? '', about, [rules[0], reason].filter(Boolean).join(': ')]
    .filter(Boolean)
    .map(printable)
    .join('  ')
