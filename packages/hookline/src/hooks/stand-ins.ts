import { basename } from 'node:path'
import { type AloneEntry, isBrokenGuard } from '../config/index.ts'
import { defineExecutor, type Executor, formatWhere, type Hook, HookFailure, hookDefaults } from '../core/index.ts'
import type { Trust } from '../engine/index.ts'
import { isWorkspace } from '../trust/index.ts'

/**
 * A guard that cannot be read must not be one that is absent. So a hook stands in its place: it matches all that the guard
 * could have matched, runs nothing, and fails closed, with what is wrong and where, until somebody corrects the entry.
 */
export function standInsFor(broken: readonly AloneEntry[]): Hook[] {
  const ids = new Set<string>()
  return broken.filter(isBrokenGuard).map((entry) => standInFor(entry, ids))
}

const type = 'broken-entry'

export const isStandIn = ({ run }: Hook): boolean => run.type === type

/** Whether or not somebody approved it, it refuses; but what is wrong is told in words of a file, which may be unapproved. */
export const trustInStandIn = ({ origin }: Hook, given: Trust): Trust =>
  given.trusted ? given : { trusted: true, ...(isWorkspace(origin.layer) && { restricted: true }) }

export const standInExecutor: Executor = defineExecutor({
  type,
  doc: 'Stands in place of a guard that cannot be read, and refuses.',
  spec: { '~standard': { version: 1, vendor: 'hookline', validate: (value) => ({ value }) } },
  pins: () => [],
  contained: true,
  run(spec) {
    const { detail, remedy } = spec as { detail: string; remedy: string }
    throw new HookFailure('broken-config', detail, remedy)
  },
})

function standInFor({ problem, event, matcher, dialect, layer }: AloneEntry, ids: Set<string>): Hook {
  const { where, message, remedy } = problem
  const place = where ? formatWhere(where) : 'the hooks in code'
  const detail = `${place}: ${message} Until it is corrected, whatever this guard could have matched is refused.`
  return {
    ...hookDefaults,
    id: unused(`broken:${where ? basename(where.file) : 'code'}:${where?.line ?? 0}`, ids),
    event: event!,
    dialect,
    matcher,
    run: { type, detail, remedy },
    onFailure: 'closed',
    origin: { layer, ...(where && { where }) },
  }
}

function unused(id: string, ids: Set<string>): string {
  let free = id
  for (let number = 2; ids.has(free); number++) free = `${id}.${number}`
  ids.add(free)
  return free
}
