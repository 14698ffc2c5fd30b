import { queryJournal } from '../../journal/index.ts'

/** How often a rule matched, and when it last did. */
export interface RuleUse {
  matched: number
  last?: string
  /** The call that was counted last: rules judge it where it is made, and again where somebody is asked about it. */
  call?: string
}

/** Further back is not looked: a list is wanted at once. */
const mostBytes = 64 * 1024 * 1024

/** What the journal says about rules, by their ids; of this project where `within` names it. */
export async function usesOf(
  parts: readonly string[],
  since?: Date,
  within?: readonly string[],
): Promise<Map<string, RuleUse>> {
  const uses = new Map<string, RuleUse>()
  const filter = { synthetic: false, ...(since && { since }), ...(within && { within }) }
  for await (const { rules = [], time, call_id: call } of queryJournal(parts, filter, {
    newestFirst: true,
    mostBytes,
  })) {
    for (const id of rules) {
      const use = uses.get(id) ?? { matched: 0, last: time }
      if (call !== undefined && use.call === call) continue
      if (call !== undefined) use.call = call
      use.matched++
      uses.set(id, use)
    }
  }
  return uses
}
