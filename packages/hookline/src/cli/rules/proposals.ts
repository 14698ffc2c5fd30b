import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { HooklineError, note, parseJson, type RuleEntry, validate } from '../../core/index.ts'
import { stateDirectory, withFileLock } from '../../platform/index.ts'
import { readPrivate, writePrivate } from '../../trust/index.ts'

/** A rule that an agent has proposed, and that counts for nothing until a person accepts it. */
export interface Proposal {
  id: string
  at: string
  /** Who proposed it, by the variables of its process. */
  by: string
  /** The config it would be added to. */
  file: string
  layer: string
  cwd: string
  rule: RuleEntry
}

const shape = z.strictObject({
  version: z.literal(1),
  proposals: z.array(
    z.strictObject({
      id: z.string(),
      at: z.string(),
      by: z.string(),
      file: z.string(),
      layer: z.string(),
      cwd: z.string(),
      rule: z.record(z.string(), z.unknown()),
    }),
  ),
})

/** More than anybody would read: an agent in a loop must not fill the disk. */
const mostProposals = 200

const place = (): string => join(stateDirectory(), 'proposals.json')

export function readProposals(): Proposal[] {
  const file = place()
  const text = readPrivate(file)
  if (text === undefined) return []
  const parsed = parseJson(text)
  const read = parsed.ok ? validate(shape, parsed.value) : undefined
  if (!read?.ok) throw new HooklineError(note('proposals-damaged', { file }))
  return read.value.proposals as unknown as Proposal[]
}

/** Files it, unless the same is waiting already. */
export async function propose(given: Omit<Proposal, 'id' | 'at'>): Promise<Proposal> {
  let filed: Proposal | undefined
  await change((waiting) => {
    const asked = JSON.stringify([given.file, withoutId(given.rule)])
    filed = waiting.find(({ file, rule }) => JSON.stringify([file, withoutId(rule)]) === asked)
    if (filed) return waiting
    if (waiting.length >= mostProposals) throw new HooklineError(note('proposals-full', { count: waiting.length }))
    filed = { id: randomUUID().slice(0, 8), at: new Date().toISOString(), ...given }
    return [...waiting, filed]
  })
  return filed!
}

export const dropProposal = (id: string): Promise<void> =>
  change((waiting) => waiting.filter((proposal) => proposal.id !== id))

async function change(work: (waiting: Proposal[]) => Proposal[]): Promise<void> {
  const directory = stateDirectory()
  await withFileLock(join(directory, 'proposals.lock'), () => {
    const proposals = work(readProposals())
    writePrivate(directory, place(), `${JSON.stringify({ version: 1, proposals }, null, 2)}\n`)
  })
}

const withoutId = ({ id: _name, ...rule }: RuleEntry): Omit<RuleEntry, 'id'> => rule
