import type { Outcome } from '../../core/index.ts'
import type { Entry } from '../../journal/index.ts'

/** How often something took part, and what was decided then. */
export interface Group {
  name: string
  /** What else is known of it: the versions of a host. */
  also: Set<string>
  times: number
  decided: Record<'allow' | 'ask' | 'deny' | 'none', number>
  /** Of those, how often in shadow mode: it did not count. */
  shadow: number
  last: string
  /** The call that was counted last. */
  call?: string
}

export interface Groups {
  rules: Map<string, Group>
  hosts: Map<string, Group>
  projects: Map<string, Group>
}

export const makeGroups = (): Groups => ({ rules: new Map(), hosts: new Map(), projects: new Map() })

/** Counts an entry for each rule that matched in it, and for the host and the project it came from. */
export function addToGroups({ rules, hosts, projects }: Groups, entry: Entry): void {
  const { host, project, outcome, time } = entry
  if (host) {
    const group = add(hosts, host.name, outcome, time)
    if (host.version !== undefined) group.also.add(host.version)
  }
  if (project !== undefined) add(projects, project, outcome, time)
  for (const hook of entry.hooks)
    for (const [at, rule] of (hook.rules ?? []).entries()) {
      // Rules judge a call where it is made and again where somebody is asked about it: it is one call.
      if (isSameCall(rules.get(rule), entry)) continue
      // The first one decided; what matched beside it did not.
      const group = add(rules, rule, (at === 0 && hook.outcome) || 'no-opinion', time)
      if (entry.call_id !== undefined) group.call = entry.call_id
      if (hook.shadow) group.shadow++
    }
}

const isSameCall = (group: Group | undefined, { call_id }: Entry): boolean =>
  call_id !== undefined && group?.call === call_id

/** Those that took part most often first. */
export const inOrder = (groups: ReadonlyMap<string, Group>): Group[] =>
  [...groups.values()].sort((one, other) => other.times - one.times || (one.name < other.name ? -1 : 1))

function add(groups: Map<string, Group>, name: string, outcome: Outcome, time: string): Group {
  const group = groups.get(name) ?? makeGroup(name)
  groups.set(name, group)
  group.times++
  group.decided[columns[outcome] ?? 'none']++
  group.last = time
  return group
}

const columns: Partial<Record<Outcome, keyof Group['decided']>> = {
  allow: 'allow',
  ask: 'ask',
  deny: 'deny',
  halt: 'deny',
}

const makeGroup = (name: string): Group => ({
  ...{ name, also: new Set<string>(), times: 0, shadow: 0, last: '' },
  decided: { allow: 0, ask: 0, deny: 0, none: 0 },
})
