import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { policyName } from '../current.ts'
import { safely } from '../verify.ts'
import { dayMs, describe, type TargetEntry, wrong } from './repository.ts'

/** What fleet.yaml decides. */
export interface FleetSettings {
  mode: 'enforce' | 'shadow'
  on_stale: 'keep' | 'block'
  /** In days. */
  expires: { root: number; policy: number; freshness: number }
  /** What is otherwise in a group. */
  groups: Readonly<Record<string, { mode?: 'enforce' | 'shadow' | undefined; on_stale?: 'keep' | 'block' | undefined }>>
}

/** Beside a policy's directory: not part of it. */
const ours = new Set(['keys', 'staged', 'repository'])
const mostFiles = 1_000
const mostBytes = 16 * 1024 * 1024

/** The groups that have a policy of their own here, each with a directory of its name. */
export function groupsIn(directory: string): string[] {
  const named = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return named
    .map(({ name }) => name)
    .filter((name) => !ours.has(name) && /^[a-z0-9][a-z0-9-]{0,39}$/.test(name))
    .sort()
}

/** Every file of every group, as it will be signed. */
export function targetsIn(directory: string, settings: FleetSettings): Record<string, TargetEntry> {
  const groups = groupsIn(directory)
  const found: Record<string, TargetEntry> = {}
  for (const group of groups) {
    if (!statSync(join(directory, group, policyName), { throwIfNoEntry: false })?.isFile())
      throw wrong(
        `The group ${group} has no ${policyName}.`,
        `Write ${join(directory, group, policyName)}, or remove the directory.`,
      )
    for (const path of filesIn(directory, group)) found[path] = entryOf(directory, path)
    const policy = found[`${group}/${policyName}`]!
    const { mode: own = settings.mode, on_stale = settings.on_stale } = settings.groups[group] ?? {}
    // The kill switch of the whole fleet is stronger than what a group says.
    const mode = settings.mode === 'shadow' ? 'shadow' : own
    // Whoever renews may have nothing but what is published. Metadata of TUF holds whole numbers alone.
    const fresh_seconds = Math.round(settings.expires.freshness * (dayMs / 1000))
    policy.custom = { ...policy.custom, hookline: { mode, on_stale, fresh_seconds } }
  }
  if (!groups.includes('default'))
    throw wrong(
      'There is no policy for machines whose group has none of its own.',
      `Write ${join(directory, 'default', policyName)}.`,
    )
  const foreign = Object.keys(settings.groups).find((group) => !groups.includes(group))
  if (foreign !== undefined)
    throw wrong(
      `fleet.yaml has settings for the group ${foreign}, which has no policy of its own.`,
      `Make ${join(directory, foreign, policyName)}, for example as a copy of the default one.`,
    )
  if (Object.keys(found).length > mostFiles)
    throw wrong(`A policy of more than ${mostFiles} files is an accident.`, 'Remove what does not belong there.')
  return found
}

function entryOf(directory: string, path: string): TargetEntry {
  const file = join(directory, path)
  const { size, mode } = statSync(file)
  if (size > mostBytes) throw wrong(`${file} is larger than 16 MiB.`, 'A policy holds rules and small scripts.')
  return { ...describe(readFileSync(file)), ...((mode & 0o100) !== 0 && { custom: { executable: true } }) }
}

function filesIn(directory: string, below: string): string[] {
  return readdirSync(join(directory, below), { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${below}/${entry.name}`
      if (entry.isDirectory()) return filesIn(directory, path)
      if (!entry.isFile()) throw wrong(`${path} is no regular file.`, 'A policy holds plain files: put a copy there.')
      safely(path)
      return [path]
    })
}
