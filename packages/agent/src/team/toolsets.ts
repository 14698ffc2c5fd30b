import { didYouMean, isRecord, note } from 'hookline/internal'
import type { ToolsetSpec } from '../core/index.ts'
import { loopToolsets, toolsets as toolsetTable } from '../tools/index.ts'
import { type Path, type Reading, unknownName } from './reading.ts'
import { type AgentEntry, othersToolsets } from './shape.ts'

/** What toolsets of the top level are shared by their names. */
export interface SharedToolsets {
  toolsets: Readonly<Record<string, ToolsetSpec>>
  mcps: Readonly<Record<string, object>>
}

/** The toolsets of an agent: its own, those it uses, and those that files of version 0 name as keys of the agent. */
export function readToolsets(
  agent: AgentEntry,
  { toolsets, mcps }: SharedToolsets,
  at: Path,
  reading: Reading,
): ToolsetSpec[] {
  const own = (agent.toolsets ?? []).map((toolset, index) => ({ toolset, at: [...at, 'toolsets', index] as Path }))
  const shared = (agent.use_toolsets ?? []).flatMap((name, index) => {
    if (Object.hasOwn(toolsets, name)) return [{ toolset: toolsets[name]!, at: ['toolsets', name] as Path }]
    unknownName(reading, [...at, 'use_toolsets', index], 'the toolset', name, Object.keys(toolsets))
    return []
  })
  const supported = [...own, ...shared]
    .filter((each) => isSupported(each.toolset.type, [...each.at, 'type'], reading))
    .map(({ toolset }) => withServer(toolset as ToolsetSpec, mcps))
  const all = [...supported, ...oldToolsets(agent)]
  return agent.readonly ? all.map((toolset) => ({ ...toolset, readonly: true })) : all
}

function oldToolsets({ think, todo, memory }: AgentEntry): ToolsetSpec[] {
  return [
    ...(think ? [{ type: 'think' }] : []),
    ...(todo ? [{ type: 'todo', ...(isRecord(todo) ? todo : {}) }] : []),
    ...(memory ? [{ type: 'memory', ...memory }] : []),
  ]
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
