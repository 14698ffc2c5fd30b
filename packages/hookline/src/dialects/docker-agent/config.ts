import type { DecodedConfig, EventName, Hook, MatchTest, Source } from '../../core/index.ts'
import { eventRow, hookDefaults, isRecord } from '../../core/index.ts'
import { runTwinsOnce } from '../common/config.ts'
import { madeIds } from '../native/names.ts'
import { decodeBlock, isBlock, misplacedEvents } from './block.ts'
import { list, type Reading, type Sketch, shape } from './entry.ts'
import { alwaysOn, impliedByAgent, impliedBySettings } from './implied.ts'
import { failsClosed, laneOf, rowOf } from './names.ts'

/** An agent file, a user config with `settings`, or a bare `hooks:` block as the document shows them. */
export function detectConfig(document: unknown, fileName: string): boolean {
  if (!isRecord(document) || ofOthers.test(fileName)) return false
  const { agents, settings, hooks } = document
  if (isRecord(agents)) return Object.values(agents).some(isAgent)
  return isBlock(hooks) || (isRecord(settings) && (settings['snapshot'] === true || isBlock(settings['hooks'])))
}

export function decodeConfig(document: unknown, source: Source): DecodedConfig {
  const reading: Reading = { source, problems: [], notes: [] }
  const sketches = isRecord(document) ? readFile(document, reading) : []
  if (!isRecord(document))
    reading.problems.push(shape(source, [], 'must be a mapping', 'Write `agents:` with the agents and their `hooks:`.'))
  const makeId = madeIds([])
  const hooks = sketches.map((sketch) => toHook(sketch, makeId(sketch.event), source))
  return { hooks: runTwinsOnce(inStages(hooks)), problems: reading.problems, notes: reading.notes }
}

/**
 * Hooks of one event run together, but for two cases in which order counts. Those that only rewrite form a
 * chain, each seeing what the one before made of it ("ordering with other rewriters"). Redaction runs last, on
 * what the others made: a rewrite must not bring back what it took out.
 */
export function inStages(hooks: readonly Hook[]): Hook[] {
  const lengths = new Map<EventName, number>()
  return hooks.map((hook) => {
    const { blocks, rewrite } = rowOf(hook.event)
    if (blocks || !rewrite) return { ...hook, stage: hook.run['name'] === 'redact_secrets' && rewrite ? 1 : 0 }
    const stage = lengths.get(hook.event) ?? 0
    lengths.set(hook.event, stage + 1)
    return { ...hook, stage }
  })
}

/** Files whose name says that another system reads them. */
const ofOthers = /(^|[\\/])(\.?crush\.jsonc?|settings(\.local)?\.json|hookline\.\w+)$/
const agentKeys = [
  ...['hooks', 'model', 'instruction', 'instruction_file', 'harness', 'toolsets', 'sub_agents', 'handoffs'],
  ...['add_date', 'redact_secrets'],
]
const isAgent = (agent: unknown) => isRecord(agent) && agentKeys.some((key) => Object.hasOwn(agent, key))

function readFile(document: Record<string, unknown>, reading: Reading): Sketch[] {
  const { agents, settings, hooks } = document
  reading.problems.push(...misplacedEvents(document, [], reading.source))
  const sketches = readAgents(agents, reading)
  sketches.push(...decodeBlock(hooks, ['hooks'], reading))
  if (isRecord(settings)) {
    sketches.push(...decodeBlock(settings['hooks'], ['settings', 'hooks'], reading))
    sketches.push(...impliedBySettings(settings))
  }
  return [...sketches, ...alwaysOn]
}

function readAgents(agents: unknown, reading: Reading): Sketch[] {
  if (agents === undefined || agents === null) return []
  if (!isRecord(agents)) {
    const fix = 'Write each agent under its name.'
    reading.problems.push(shape(reading.source, ['agents'], 'must be a mapping of agents', fix))
    return []
  }
  return Object.entries(agents).flatMap(([name, agent]) => {
    if (!isRecord(agent)) return []
    const others = Object.keys(agents).filter((other) => other !== name)
    reading.problems.push(...misplacedEvents(agent, ['agents', name], reading.source))
    const own = decodeBlock(agent['hooks'], ['agents', name, 'hooks'], reading)
    const sketches = [...own, ...impliedByAgent(agent, ['agents', name], reading)]
    const foreign = childrenOf(agents, others).filter((child) => !childrenOf(agents, [name]).includes(child))
    return sketches.map((sketch) => ({
      ...sketch,
      matcher: [...sketch.matcher, ...agentTest(sketch.event === 'subagent_stop' ? foreign : others)],
    }))
  })
}

/**
 * Hooks of one agent do not run for the others of its file. Turned round, so that an event which names no agent,
 * or one that the file does not know, still runs them: a missing name must not turn a guard off. `subagent_stop`
 * names the sub-agent, but runs the hooks of its parent, which it does not name: there, the others are the sub-agents
 * that only others have.
 */
function agentTest(others: readonly string[]): MatchTest[] {
  return others.length === 0 ? [] : [{ facet: 'agent', test: { names: others }, negate: true }]
}

/** The sub-agents that these agents name. */
function childrenOf(agents: Record<string, unknown>, names: readonly string[]): string[] {
  const named = names.flatMap((name) => (isRecord(agents[name]) ? list(agents[name]['sub_agents']) : []))
  return [...new Set(named)].filter((child) => typeof child === 'string')
}

function toHook({ at, ...fields }: Sketch, id: string, source: Source): Hook {
  return {
    ...hookDefaults,
    timeoutMs: 60_000,
    id,
    dialect: 'docker-agent',
    judgesOnce: true,
    onFailure: failsClosed(fields.event) ? 'closed' : 'warn',
    ...(fields.event === laneOf || eventRow(fields.event).asksPerson ? { unlessRuled: true } : {}),
    origin: { layer: source.layer, where: source.locate(at) },
    ...fields,
  }
}
