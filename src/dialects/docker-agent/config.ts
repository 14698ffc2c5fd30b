import {
  type DecodedConfig,
  type EventName,
  type Hook,
  hookDefaults,
  isRecord,
  type MatchTest,
  type Note,
  type Source,
} from '../../core/index.ts'
import { decodeEntry, type Sketch } from './entry.ts'
import { alwaysOn, impliedByAgent, impliedBySettings } from './implied.ts'
import { decodeMatcher } from './matcher.ts'
import { findTheirs, lane, laneOf, rowOf, theirName, unknownEvent } from './names.ts'
import { knownKeys, list, type Path, shape } from './shape.ts'

/** An agent file, a user config with `settings`, or a bare `hooks:` block as the document shows them. */
export function detectConfig(document: unknown, fileName: string): boolean {
  if (!isRecord(document) || /(^|[\\/])(\.?crush\.jsonc?|settings(\.local)?\.json|hookline\.\w+)$/.test(fileName))
    return false
  const { agents, settings, hooks } = document
  if (isRecord(agents))
    return Object.values(agents).some((agent) => isRecord(agent) && agentKeys.some((key) => key in agent))
  if (isRecord(settings) && (settings['snapshot'] === true || isBlock(settings['hooks']))) return true
  return isBlock(hooks)
}

export function decodeConfig(document: unknown, source: Source): DecodedConfig {
  const decoded: DecodedConfig = { hooks: [], problems: [], notes: [] }
  if (!isRecord(document)) {
    decoded.problems.push(shape(source, [], 'must be a mapping', 'Write `agents:` with the agents and their `hooks:`.'))
    return decoded
  }
  const { agents, settings, hooks } = document
  if (agents !== undefined && agents !== null && !isRecord(agents))
    decoded.problems.push(shape(source, ['agents'], 'must be a mapping of agents', 'Write each agent under its name.'))
  for (const [name, agent] of Object.entries(isRecord(agents) ? agents : {})) {
    if (!isRecord(agent)) continue
    const among = { name, others: Object.keys(agents as object).filter((other) => other !== name) }
    decodeBlock(agent['hooks'], ['agents', name, 'hooks'], source, decoded, among)
    impliedByAgent(agent, ['agents', name], source, decoded, (implied) => toHook(implied, source, among))
  }
  decodeBlock(hooks, ['hooks'], source, decoded)
  if (isRecord(settings)) {
    decodeBlock(settings['hooks'], ['settings', 'hooks'], source, decoded)
    for (const implied of impliedBySettings(settings)) decoded.hooks.push(toHook(implied, source))
  }
  for (const implied of alwaysOn) decoded.hooks.push(toHook(implied, source))
  decoded.hooks = inStages(numbered(decoded.hooks))
  return decoded
}

/**
 * Hooks of one event are asked together, but for two cases in which order counts. Those that only rewrite form a
 * chain, each seeing what the one before made of it ("ordering with other rewriters"). Redaction is asked last, on
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

/** The agent a block of hooks belongs to, among the others of its file. */
interface Among {
  name: string
  others: readonly string[]
}

const agentKeys = ['hooks', 'model', 'instruction', 'toolsets', 'sub_agents', 'add_date', 'redact_secrets']

/** Named in snake_case, in groups or with a `type`: Claude Code's names are others, and Crush has no types. */
function isBlock(hooks: unknown): boolean {
  if (!isRecord(hooks) || Object.keys(hooks).length === 0) return false
  return Object.entries(hooks).every(
    ([name, entries]) =>
      findTheirs(name) === name &&
      list(entries).every((entry) => isRecord(entry) && ('type' in entry || 'hooks' in entry)),
  )
}

function decodeBlock(block: unknown, at: Path, source: Source, decoded: DecodedConfig, among?: Among): void {
  if (block === undefined || block === null) return
  if (!isRecord(block)) {
    decoded.problems.push(shape(source, at, 'must be a mapping of events', 'Write the name of an event and its hooks.'))
    return
  }
  for (const [name, entries] of Object.entries(block)) {
    const event = findTheirs(name)
    if (event === undefined) {
      decoded.problems.push(unknownEvent(name, source.locate([...at, name])))
      continue
    }
    const decodeItem = rowOf(event).grouped ? decodeGroup : decodeHook
    list(entries).forEach((entry, index) => {
      const place = Array.isArray(entries) ? [...at, name, index] : [...at, name]
      decodeItem(entry, event, place)
    })
  }

  function decodeGroup(group: unknown, event: EventName, place: Path): void {
    const problems = groupProblems(group, event, place, source)
    decoded.problems.push(...problems)
    if (problems.length > 0 || !isRecord(group)) return
    const preempts = group['preempt_yolo'] === true
    if (preempts && event !== laneOf)
      decoded.notes.push(
        shape(source, [...place, 'preempt_yolo'], `has no effect on ${event}`, `It is for ${laneOf} entries.`),
      )
    const matcher = decodeMatcher(group['matcher'], source.locate([...place, 'matcher']))
    const { hooks } = group
    list(hooks).forEach((entry, index) => {
      const inner = Array.isArray(hooks) ? [...place, 'hooks', index] : [...place, 'hooks']
      decodeHook(entry, preempts && event === laneOf ? lane : event, inner, matcher)
    })
  }

  function decodeHook(entry: unknown, event: EventName, place: Path, matcher: readonly MatchTest[] = []): void {
    const { sketch, problems, notes } = decodeEntry(entry, event, place, source)
    decoded.problems.push(...problems)
    decoded.notes.push(...notes)
    if (sketch) decoded.hooks.push(toHook({ ...sketch, event, matcher, at: place }, source, among))
  }
}

function groupProblems(group: unknown, event: EventName, place: Path, source: Source): Note[] {
  const example = 'Write `- matcher: "*"` and under it `hooks:` with the hooks.'
  if (!isRecord(group)) return [shape(source, place, 'must be a mapping with `matcher` and `hooks`', example)]
  if ('type' in group && !('hooks' in group))
    return [shape(source, place, `is a hook, but ${event} takes groups of hooks`, example)]
  const problems = knownKeys(group, ['matcher', 'hooks', 'preempt_yolo'], place, source)
  const { matcher, hooks, preempt_yolo } = group
  if (matcher !== undefined && matcher !== null && typeof matcher !== 'string')
    problems.push(shape(source, [...place, 'matcher'], 'must be text', 'Write a tool name, `a|b`, `*` or a regex.'))
  if (preempt_yolo !== undefined && preempt_yolo !== null && typeof preempt_yolo !== 'boolean')
    problems.push(shape(source, [...place, 'preempt_yolo'], 'must be true or false', 'Write `preempt_yolo: true`.'))
  if (hooks === undefined || hooks === null)
    problems.push(shape(source, [...place, 'hooks'], 'is missing, so there is nothing to run', example))
  return problems
}

function toHook(sketch: Sketch, source: Source, among?: Among): Hook {
  const { at, ...fields } = sketch
  return {
    ...hookDefaults,
    timeoutMs: 60_000,
    id: `${among ? `${among.name.replace(/[^\w.-]/g, '-')}/` : ''}${theirName(sketch.event)}`,
    dialect: 'docker-agent',
    judgesOnce: true,
    onFailure: sketch.event === laneOf || sketch.event === lane ? 'closed' : 'warn',
    ...(sketch.event === laneOf ? { unlessRuled: true } : {}),
    origin: { layer: source.layer, where: source.locate(at) },
    ...fields,
    matcher: [...fields.matcher, ...agentTest(sketch.event, among)],
  }
}

/**
 * Hooks of one agent are not asked for the others of its file. Turned round, so that an event which names no agent,
 * or one that the file does not know, is still asked about: a missing name must not silence a guard. `subagent_stop`
 * names the sub-agent, but runs the hooks of its parent, which it does not name.
 */
function agentTest(event: EventName, among: Among | undefined): MatchTest[] {
  if (!among || among.others.length === 0 || event === 'subagent_stop') return []
  return [{ facet: 'agent', test: { names: among.others }, negate: true }]
}

/** Ids count the hooks of one agent and event: `root/pre_tool_use/0`. */
function numbered(hooks: readonly Hook[]): Hook[] {
  const counts = new Map<string, number>()
  return hooks.map((hook) => {
    const count = counts.get(hook.id) ?? 0
    counts.set(hook.id, count + 1)
    return { ...hook, id: `${hook.id}/${count}` }
  })
}
