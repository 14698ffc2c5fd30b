import { isRecord } from '../../core/index.ts'
import { dialectNameOf, isCanary } from '../../hosts/index.ts'
import { type Entry, queryJournal } from '../../journal/index.ts'
import { journalToRead, partsToRead } from '../journal-for.ts'

/** What an agent raised last, as the journal has it. */
export interface LastEvent {
  time: string
  event: string
  tool?: string
  outcome: string
}

/** Further back is not looked: a list is wanted at once. */
const mostBytes = 16 * 1024 * 1024

/** By the names of the agents. Our own canaries are none: they say nothing about whether the agent runs the entry. */
export async function lastEvents(names: readonly string[]): Promise<ReadonlyMap<string, LastEvent>> {
  const wanted = new Map(names.map((name) => [dialectNameOf(name), name]))
  const found = new Map<string, LastEvent>()
  const parts = partsToRead(await journalToRead({ values: {} }))
  const filter = { host: [...wanted.keys()], synthetic: false }
  for await (const entry of queryJournal(parts, filter, { newestFirst: true, mostBytes })) {
    const name = wanted.get(entry.host?.name ?? '')
    if (name === undefined || isProof(entry)) continue
    const { time, event, tool_name: tool, outcome } = entry
    found.set(name, { time, event, ...(tool !== undefined && { tool }), outcome })
    wanted.delete(entry.host!.name)
    if (wanted.size === 0) break
  }
  return found
}

const isProof = ({ event, payload }: Entry): boolean => isRecord(payload) && isCanary(event, payload)
