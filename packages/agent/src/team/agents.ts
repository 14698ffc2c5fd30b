import { isRecord, note } from 'hookline/internal'
import { type AgentSpec, type Budget, type HarnessSpec, milliseconds, type ToolsetSpec } from '../core/index.ts'
import { harnesses } from '../models/index.ts'
import { readCommands } from './commands.ts'
import { readInstruction, type Texts } from './instruction.ts'
import type { Models } from './models.ts'
import { noteKeys, type Path, type Reading, readMapping, unknownName, wrong } from './reading.ts'
import { type AgentEntry, agentShape, fallbackShape, harnessShape, unsupported } from './shape.ts'
import { readToolsets, type SharedToolsets } from './toolsets.ts'

/** What agents of one file share. */
export interface Shared extends SharedToolsets {
  names: readonly string[]
  models: Models
  commands: Readonly<Record<string, unknown>>
  budgets: Readonly<Record<string, Budget>>
  texts: Texts
}

/** docker-agent's default. */
export const usualConsecutiveCalls = 5

export function readAgent(name: string, entry: unknown, shared: Shared, reading: Reading): AgentSpec | undefined {
  const at = ['agents', name]
  if (!isRecord(entry)) return wrong(reading, at, 'must be a mapping', 'Write `model:` and `instruction:` under it.')
  const { harness, ...own } = entry
  const agent = readMapping(reading, own, at, agentShape, unsupported.agent)
  if (!agent) return undefined
  const toolsets = readToolsets(agent, shared, at, reading)
  const { retries, cooldown } = noteKeys(
    reading,
    agent.fallback,
    [...at, 'fallback'],
    fallbackShape,
    unsupported.fallback,
  )
  const commands = readCommands(agent, shared.commands, at, reading)
  const instruction = readInstruction(agent, shared.texts, at, reading)
  return {
    name,
    description: agent.description ?? '',
    instruction: [instruction, ...toolsets.map(instructionOf)].filter((text) => text !== '').join('\n\n'),
    models: readChain(agent, harness, shared.models, at, reading),
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
    ...(agent.skills ? { skills: agent.skills } : {}),
    ...output(agent),
    ...budgetsOf(agent, shared.budgets, at, reading),
    // Go's zero: docker-agent takes 0 for "as usual", and -1 for none.
    ...(retries ? { retries: Math.max(0, retries) } : {}),
    ...(cooldown === undefined ? {} : { cooldownMs: milliseconds(cooldown) }),
    ...compaction(agent, shared.models, at),
  }
}

function output({ structured_output: given }: AgentEntry): Pick<AgentSpec, 'output'> {
  return given?.schema ? { output: { name: given.name ?? 'answer', schema: given.schema } } : {}
}

/** A name that is not there would leave the agent without a limit: it is an error. */
function budgetsOf({ budgets = [] }: AgentEntry, known: Shared['budgets'], at: Path, reading: Reading) {
  budgets.forEach((name, index) => {
    if (!Object.hasOwn(known, name))
      unknownName(reading, [...at, 'budgets', index], 'the budget', name, Object.keys(known))
  })
  return budgets.length > 0 ? { budgets } : {}
}

function compaction(agent: AgentEntry, models: Models, at: Path): Partial<AgentSpec> {
  const { compaction_threshold: compactAt, compaction_model: named, session_compaction: automatic } = agent
  const [compactionModel] = namesOf(named ?? '').flatMap((name) => models.use(name, [...at, 'compaction_model']))
  return {
    ...(compactAt === undefined ? {} : { compactAt }),
    ...(compactionModel === undefined ? {} : { compactionModel }),
    ...(automatic === false ? { noCompaction: true } : {}),
  }
}

/** The `instruction` of a toolset becomes part of the prompt. Our toolsets have no instructions to replace. */
const instructionOf = ({ instruction }: ToolsetSpec): string =>
  typeof instruction === 'string' ? instruction.replaceAll('{ORIGINAL_INSTRUCTIONS}', '').trim() : ''

/** The first model, then those to fall back on. Several in `model` are tried in their order too. */
function readChain({ model, fallback }: AgentEntry, harness: unknown, models: Models, at: Path, reading: Reading) {
  const driven = readHarness(harness, [...at, 'harness'], reading)
  if (driven) return [models.harness(String(at.at(-1)), driven)]
  if (isRecord(harness)) {
    const words = { agent: String(at.at(-1)), harness: String(harness['type']) }
    reading.notes.push(note('agent-harness-unsupported', words, { where: reading.locate([...at, 'harness']) }))
    if (model === undefined) return [models.without(`harness/${words.harness}`)]
  }
  return [
    ...namesOf(model || 'auto').flatMap((name) => models.use(name, [...at, 'model'])),
    ...(fallback?.models ?? []).flatMap((name, index) => models.use(name, [...at, 'fallback', 'models', index])),
  ]
}

/** A coding agent of others that can be driven from here; docker-agent knows more of them. */
function readHarness(given: unknown, at: Path, reading: Reading): HarnessSpec | undefined {
  if (!isRecord(given) || !Object.hasOwn(harnesses, String(given['type']))) return undefined
  const read = readMapping(reading, given, at, harnessShape, {})
  if (!read) return undefined
  const { type, model, effort } = read
  return { type, ...(model === undefined ? {} : { model }), ...(effort === undefined ? {} : { effort }) }
}

const namesOf = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

function forced({ force_handoff: name }: AgentEntry, at: Path, known: readonly string[], reading: Reading) {
  if (name === undefined) return {}
  return isMember(name, at, known, reading) ? { forceHandoff: name } : {}
}

function othersOf(
  names: readonly string[] | undefined,
  at: Path,
  known: readonly string[],
  reading: Reading,
): readonly string[] {
  return (names ?? []).filter((name, index) => isMember(name, [...at, index], known, reading))
}

function isMember(name: string, at: Path, known: readonly string[], reading: Reading): boolean {
  if (known.includes(name)) return true
  // An image of a registry, or a URL; perhaps with a name before it.
  if (name.includes('/')) reading.notes.push(note('agent-elsewhere', { agent: name }, { where: reading.locate(at) }))
  else unknownName(reading, at, 'the agent', name, known)
  return false
}

const hookKeys = ['hooks', 'add_date', 'add_environment_info', 'add_prompt_files', 'redact_secrets'] as const

function aboutHooks(agent: AgentEntry, toolsets: readonly ToolsetSpec[]): Record<string, unknown> {
  const written = hookKeys.filter((key) => agent[key] !== undefined).map((key) => [key, agent[key]])
  const safer = toolsets.filter(({ safer }) => safer === true).map(({ type }) => ({ type, safer: true }))
  return { ...Object.fromEntries(written), ...(safer.length > 0 ? { toolsets: safer } : {}) }
}
