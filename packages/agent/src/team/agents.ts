import { didYouMean, isRecord, note } from 'hookline/internal'
import { type AgentSpec, milliseconds, type ToolsetSpec } from '../core/index.ts'
import { loopToolsets, toolsets as toolsetTable } from '../tools/index.ts'
import type { Models } from './models.ts'
import { type Path, type Reading, readMapping, unknownName, unsupportedKey, wrong } from './reading.ts'
import { type AgentEntry, agentShape, othersToolsets, refused, unsupported } from './shape.ts'

/** What agents of one file share. */
export interface Shared {
  names: readonly string[]
  models: Models
  toolsets: Readonly<Record<string, ToolsetSpec>>
  mcps: Readonly<Record<string, object>>
  commands: Readonly<Record<string, unknown>>
}

/** docker-agent's default. */
export const usualConsecutiveCalls = 5

export function readAgent(name: string, entry: unknown, shared: Shared, reading: Reading): AgentSpec | undefined {
  const at = ['agents', name]
  if (!isRecord(entry)) return wrong(reading, at, 'must be a mapping', 'Write `model:` and `instruction:` under it.')
  const supported = Object.entries(entry).filter(([key, value]) => !isRefused(key, value, at, reading))
  const agent = readMapping(reading, Object.fromEntries(supported), at, agentShape, unsupported.agent)
  if (!agent) return undefined
  const toolsets = readToolsets(agent, shared, at, reading)
  const { retries, cooldown } = agent.fallback ?? {}
  const commands = readCommands(agent, shared, at, reading)
  return {
    name,
    description: agent.description ?? '',
    instruction: [agent.instruction ?? '', ...toolsets.map(instructionOf)].filter((text) => text !== '').join('\n\n'),
    models: readChain(agent, shared.models, at),
    // `safer` stands for a hook; the toolset itself does not know it.
    toolsets: toolsets.map(({ safer: _, instruction: _said, ...toolset }) => toolset as ToolsetSpec),
    subAgents: othersOf(agent.sub_agents, [...at, 'sub_agents'], shared.names, reading),
    handoffs: othersOf(agent.handoffs, [...at, 'handoffs'], shared.names, reading),
    ...forced(agent, [...at, 'force_handoff'], shared.names, reading),
    ...(agent.max_iterations ? { maxIterations: agent.max_iterations } : {}),
    maxConsecutiveToolCalls: agent.max_consecutive_tool_calls || usualConsecutiveCalls,
    hooks: aboutHooks(agent, toolsets),
    ...(agent.welcome_message === undefined ? {} : { welcome: agent.welcome_message }),
    ...(Object.keys(commands).length > 0 ? { commands } : {}),
    // Go's zero: docker-agent takes 0 for "as usual", and -1 for none.
    ...(retries ? { retries: Math.max(0, retries) } : {}),
    ...(cooldown === undefined ? {} : { cooldownMs: milliseconds(cooldown) }),
    ...compaction(agent, shared.models, at),
  }
}

function compaction(agent: AgentEntry, models: Models, at: Path): Partial<AgentSpec> {
  const { compaction_threshold: compactAt, compaction_model: named, session_compaction: automatic } = agent
  const [compactionModel] = named === undefined ? [] : models.use(named, [...at, 'compaction_model'])
  return {
    ...(compactAt === undefined ? {} : { compactAt }),
    ...(compactionModel === undefined ? {} : { compactionModel }),
    ...(automatic === false ? { noCompaction: true } : {}),
  }
}

/** The `instruction` of a toolset becomes part of the prompt. Our toolsets have no instructions to replace. */
const instructionOf = ({ instruction }: ToolsetSpec): string =>
  typeof instruction === 'string' ? instruction.replaceAll('{ORIGINAL_INSTRUCTIONS}', '').trim() : ''

function isRefused(key: string, value: unknown, at: Path, reading: Reading): boolean {
  if (!Object.hasOwn(refused, key)) return false
  const instead = refused[key as keyof typeof refused]
  if (value) wrong(reading, [...at, key], 'cannot be honoured here, and must not be left out', instead)
  return true
}

/** The first model, then those to fall back on. Several in `model` are tried in their order too. */
function readChain({ model = 'auto', fallback }: AgentEntry, models: Models, at: Path): string[] {
  const first = model.split(',').map((name) => name.trim())
  return [
    ...first.flatMap((name) => models.use(name, [...at, 'model'])),
    ...(fallback?.models ?? []).flatMap((name, index) => models.use(name, [...at, 'fallback', 'models', index])),
  ]
}

function forced({ force_handoff: name }: AgentEntry, at: Path, known: readonly string[], reading: Reading) {
  if (name === undefined) return {}
  if (known.includes(name)) return { forceHandoff: name }
  unknownName(reading, at, 'the agent', name, known)
  return {}
}

function othersOf(
  names: readonly string[] | undefined,
  at: Path,
  known: readonly string[],
  reading: Reading,
): readonly string[] {
  return (names ?? []).filter((name, index) => {
    if (known.includes(name)) return true
    const where = reading.locate([...at, index])
    // An image of a registry, or a URL; perhaps with a name before it.
    if (name.includes('/')) reading.notes.push(note('agent-elsewhere', { agent: name }, { where }))
    else unknownName(reading, [...at, index], 'the agent', name, known)
    return false
  })
}

function readToolsets(agent: AgentEntry, { toolsets, mcps }: Shared, at: Path, reading: Reading): ToolsetSpec[] {
  const own = (agent.toolsets ?? []).map((toolset, index) => ({ toolset, at: [...at, 'toolsets', index] as Path }))
  const shared = (agent.use_toolsets ?? []).flatMap((name, index) => {
    if (Object.hasOwn(toolsets, name)) return [{ toolset: toolsets[name]!, at: ['toolsets', name] as Path }]
    unknownName(reading, [...at, 'use_toolsets', index], 'the toolset', name, Object.keys(toolsets))
    return []
  })
  return [...own, ...shared]
    .filter((each) => isSupported(each.toolset.type, [...each.at, 'type'], reading))
    .map(({ toolset }) => withServer(toolset as ToolsetSpec, mcps))
}

/** Known toolsets pass; those only docker-agent has are noted; a likely typo is an error. */
function isSupported(type: string, at: Path, reading: Reading): boolean {
  const known = [...Object.keys(toolsetTable), ...loopToolsets]
  if (known.includes(type)) return true
  if (!othersToolsets.includes(type) && didYouMean(type, known) !== '')
    unknownName(reading, at, 'the toolset', type, known)
  else
    reading.notes.push(
      note('toolset-unsupported', { type, hint: '', known: known.join(', ') }, { where: reading.locate(at) }),
    )
  return false
}

/** `ref: name` stands for a server of `mcps`. */
function withServer(toolset: ToolsetSpec, mcps: Readonly<Record<string, object>>): ToolsetSpec {
  const { ref, ...rest } = toolset
  return typeof ref === 'string' && Object.hasOwn(mcps, ref) ? { name: ref, ...mcps[ref], ...rest } : toolset
}

function readCommands(agent: AgentEntry, shared: Shared, at: Path, reading: Reading): Record<string, string> {
  const groups = (agent.use_commands ?? []).flatMap((name, index) => {
    if (Object.hasOwn(shared.commands, name)) return [{ group: shared.commands[name], at: ['commands', name] }]
    unknownName(reading, [...at, 'use_commands', index], 'the commands', name, Object.keys(shared.commands))
    return []
  })
  const all = [...groups, { group: agent.commands, at: [...at, 'commands'] }].flatMap(({ group, at: place }) =>
    (Array.isArray(group) ? group : [group ?? {}])
      .flatMap((each) => Object.entries(each as object))
      .map(([name, command]) => ({ name, command, at: [...place, name] })),
  )
  return Object.fromEntries(
    all.flatMap(({ name, command, at: place }) => {
      const prompt = typeof command === 'string' ? command : (command as { instruction?: string }).instruction
      if (prompt !== undefined) return [[name, prompt]]
      unsupportedKey(reading, place, 'A command here is a prompt: write its `instruction`.')
      return []
    }),
  )
}

const hookKeys = ['hooks', 'add_date', 'add_environment_info', 'add_prompt_files', 'redact_secrets'] as const

function aboutHooks(agent: AgentEntry, toolsets: readonly ToolsetSpec[]): Record<string, unknown> {
  const written = hookKeys.filter((key) => agent[key] !== undefined).map((key) => [key, agent[key]])
  const safer = toolsets.filter(({ safer }) => safer === true).map(({ type }) => ({ type, safer: true }))
  return { ...Object.fromEntries(written), ...(safer.length > 0 ? { toolsets: safer } : {}) }
}
