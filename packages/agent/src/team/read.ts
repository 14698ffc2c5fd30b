import { dirname, resolve } from 'node:path'
import {
  type ConfigFile,
  HooklineError,
  isRecord,
  type Note,
  parseConfig,
  readText,
  type Where,
} from 'hookline/internal'
import type { Environment, PermissionRules, Team, ToolsetSpec } from '../core/index.ts'
import { type Rehearsal, readRehearsal } from '../models/index.ts'
import { readAgent } from './agents.ts'
import { readInstructionFiles, type Texts } from './instruction.ts'
import { readModels } from './models.ts'
import { type Path, type Reading, readMapping, unsupportedKey, wrong } from './reading.ts'
import { fileShape, permissionShape, settingShape, unsupported } from './shape.ts'

export interface TeamSource {
  file: string
  locate(path: Path): Where
  /** Where keys are found: `first_available` goes by them. */
  env?: Environment
  /** What is in the files that agents name as their `instruction_file`, by those names. */
  texts?: Texts
}

export interface ReadTeam {
  /** Absent when there are problems. */
  team?: Team
  problems: Note[]
  /** What is in the file and has no effect here. */
  notes: Note[]
}

/** Reads an agent file of docker-agent's structure that the caller has parsed. Pure; every problem has its place. */
export function readTeam(document: unknown, source: TeamSource): ReadTeam {
  const reading: Reading = { locate: source.locate, problems: [], notes: [] }
  const team = readFile(document, source, reading)
  const problems = reading.problems.toSorted(byPlace)
  return { ...(team && problems.length === 0 ? { team } : {}), problems, notes: reading.notes.toSorted(byPlace) }
}

function readFile(document: unknown, { file, env = {}, texts = {} }: TeamSource, reading: Reading): Team | undefined {
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
    budgets: read.budgets ?? {},
    texts,
  }
  const agents = names.flatMap((name) => readAgent(name, read.agents[name], shared, reading) ?? [])
  return {
    file,
    agents: Object.fromEntries(agents.map((agent) => [agent.name, agent])),
    root: names.includes('root') ? 'root' : names[0]!,
    models: models.specs,
    permissions: readPermissions(read.permissions, reading),
    ...(read.budget ? { budget: read.budget } : {}),
    ...(read.budgets ? { budgets: read.budgets } : {}),
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

/**
 * Reads an agent file. Throws one error that lists every problem; what has no effect comes back as notes. `model` takes the
 * place of models of the file that cannot be used.
 */
export async function loadTeam(
  file: string,
  env: Environment = process.env,
  model?: string,
): Promise<Required<Pick<ReadTeam, 'team' | 'notes'>>> {
  const { document, locate } = await parseFile(file)
  const texts = await readInstructionFiles(document, file)
  const source = { file, locate, env, texts }
  const { team, problems, notes } = readTeam(document, source)
  if (team) return { team, notes }
  const rescued = model === undefined ? undefined : readTeam(withModel(document, model), source)
  return rescued?.team ? { team: rescued.team, notes: [...problems, ...rescued.notes] } : refuse(problems)
}

/** The document with this model in place of all that it names: what is wrong with those no longer counts. */
function withModel(document: unknown, model: string): unknown {
  if (!isRecord(document) || !isRecord(document['agents'])) return document
  const { models: _models, providers: _providers, ...rest } = document
  const agents = Object.entries(document['agents']).map(([name, agent]) => {
    if (!isRecord(agent)) return [name, agent]
    const { fallback: _fallback, compaction_model: _compaction, ...own } = agent
    return [name, { ...own, model }]
  })
  return { ...rest, agents: Object.fromEntries(agents) }
}

/** Reads the script of a rehearsal. Throws one error that lists every problem. */
export async function loadRehearsal(file: string): Promise<Rehearsal> {
  const { document, locate } = await parseFile(file)
  const { rehearsal, problems } = readRehearsal(document, { locate })
  return rehearsal ?? refuse(problems)
}

/** Scripts that an agent file names (`rehearsal/tour.yaml`) lie beside it. */
export const rehearsalsBeside =
  (file: string | undefined) =>
  (path: string): Promise<Rehearsal> =>
    loadRehearsal(resolve(file === undefined ? '.' : dirname(file), path))

async function parseFile(file: string) {
  const read = await readText(file)
  if (!read.ok) return refuse([read.problem])
  const parsed = await parseConfig(read.text, file)
  return parsed.ok ? parsed : refuse([parsed.problem])
}

function refuse(problems: readonly Note[]): never {
  throw new HooklineError(problems[0]!, problems)
}

/** The hooks of a team without a file, for `createHooks({ files: [hookFileOf(team)] })`: flags such as `redact_secrets` are hooks. */
export const hookFileOf = (team: Pick<Team, 'agents' | 'snapshot'>): ConfigFile => ({
  // By its ending it is read as what it is, without loading the reader of YAML.
  file: 'the usual agent.json',
  layer: 'code',
  dialect: 'docker-agent',
  text: JSON.stringify(hooksOf(team)),
})

/**
 * The hooks of a team, as a document of docker-agent: its dialect knows which hooks the flags imply, and which are
 * always on. For a team from a file, load hooks from the file itself: then every hook has its place, and is approved by
 * its own bytes.
 */
export function hooksOf({ agents, snapshot }: Pick<Team, 'agents' | 'snapshot'>): Record<string, unknown> {
  const written = Object.values(agents).map(({ name, hooks }) => [name, hooks])
  return { agents: Object.fromEntries(written), ...(snapshot ? { settings: { snapshot: true } } : {}) }
}
