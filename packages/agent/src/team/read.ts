import { isRecord, type Note, type Where } from 'hookline/internal'
import type { Environment } from '../models/environment.ts'
import type { PermissionRules } from '../permissions/rules.ts'
import type { Team, ToolsetSpec } from '../team.ts'
import { readAgent } from './agents.ts'
import { readModels } from './models.ts'
import { type Path, type Reading, readMapping, unsupportedKey, wrong } from './reading.ts'
import { fileShape, permissionShape, settingShape, unsupported } from './shape.ts'

export interface TeamSource {
  file: string
  locate(path: Path): Where
  /** Where keys are found: `first_available` goes by them. */
  env?: Environment
}

export interface ReadTeam {
  /** Absent when there are problems. */
  team?: Team
  problems: Note[]
  /** What the file says and has no effect here. */
  notes: Note[]
}

/** An agent file of docker-agent's shape, parsed by whoever calls: pure, and everything is told at its place. */
export function readTeam(document: unknown, source: TeamSource): ReadTeam {
  const reading: Reading = { locate: source.locate, problems: [], notes: [] }
  const team = readFile(document, source, reading)
  const problems = reading.problems.toSorted(byPlace)
  return { ...(team && problems.length === 0 ? { team } : {}), problems, notes: reading.notes.toSorted(byPlace) }
}

function readFile(document: unknown, { file, env = {} }: TeamSource, reading: Reading): Team | undefined {
  const read = readMapping(reading, document, [], fileShape, unsupported.file)
  if (!read) return undefined
  const names = Object.keys(read.agents)
  if (names.length === 0)
    return wrong(reading, ['agents'], 'has no agent', 'Write an agent under its name, such as `root:`.')
  const models = readModels(read.models ?? {}, read.providers ?? {}, env, reading)
  const shared = {
    names,
    models,
    toolsets: (read.toolsets ?? {}) as Record<string, ToolsetSpec>,
    mcps: read.mcps ?? {},
    commands: read.commands ?? {},
  }
  const agents = names.flatMap((name) => readAgent(name, read.agents[name], shared, reading) ?? [])
  return {
    file,
    agents: Object.fromEntries(agents.map((agent) => [agent.name, agent])),
    root: names.includes('root') ? 'root' : names[0]!,
    models: models.specs,
    permissions: readPermissions(read.permissions, reading),
    snapshot: readSnapshot(read.settings, reading),
  }
}

function readPermissions(given: unknown, reading: Reading): PermissionRules {
  const read = given === undefined ? undefined : readMapping(reading, given, ['permissions'], permissionShape, {})
  return { allow: read?.allow ?? [], ask: read?.ask ?? [], deny: read?.deny ?? [] }
}

function readSnapshot(given: unknown, reading: Reading): boolean {
  if (!isRecord(given))
    return given === undefined
      ? false
      : (wrong(reading, ['settings'], 'must be a mapping', 'Write `snapshot: true` under it.') ?? false)
  const { snapshot, hooks, ...others } = given
  for (const key of Object.keys(others)) unsupportedKey(reading, ['settings', key], 'It is a setting of docker-agent.')
  const own = { ...(snapshot === undefined ? {} : { snapshot }), ...(hooks === undefined ? {} : { hooks }) }
  return readMapping(reading, own, ['settings'], settingShape, {})?.snapshot ?? false
}

/** In the order in which a person meets them in the file. */
function byPlace({ where: one }: Note, { where: other }: Note): number {
  return (one?.line ?? 0) - (other?.line ?? 0) || (one?.column ?? 0) - (other?.column ?? 0)
}
