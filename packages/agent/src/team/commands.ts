import { isRecord } from 'hookline/internal'
import { type Path, type Reading, unknownName, unsupportedKey } from './reading.ts'
import type { AgentEntry } from './shape.ts'

/** The prompts of an agent by name: those of the groups it uses, then its own. */
export function readCommands(
  { commands, use_commands = [] }: AgentEntry,
  shared: Readonly<Record<string, unknown>>,
  at: Path,
  reading: Reading,
): Record<string, string> {
  const groups = use_commands.flatMap((name, index) => {
    if (Object.hasOwn(shared, name)) return [entriesOf(shared[name], ['commands', name], reading)]
    unknownName(reading, [...at, 'use_commands', index], 'the commands', name, Object.keys(shared))
    return []
  })
  const all = [...groups.flat(), ...entriesOf(commands, [...at, 'commands'], reading)]
  const prompts = all.flatMap((entry) => {
    const prompt = promptOf(entry, reading)
    return prompt === undefined ? [] : [[entry.name, prompt] as const]
  })
  return Object.fromEntries(prompts)
}

interface Entry {
  name: string
  command: unknown
  at: Path
}

/** A mapping, or a list of mappings. */
function entriesOf(group: unknown, at: Path, reading: Reading): Entry[] {
  if (group === undefined || group === null) return []
  if (isRecord(group)) return Object.entries(group).map(([name, command]) => ({ name, command, at: [...at, name] }))
  if (Array.isArray(group))
    return group.flatMap((each, index) => {
      if (isRecord(each)) return entriesOf(each, [...at, index], reading)
      unsupportedKey(reading, [...at, index], 'Write a name before it: `- name: prompt`.')
      return []
    })
  unsupportedKey(reading, at, 'Write commands by name: `name: prompt`.')
  return []
}

/** docker-agent takes the description for the prompt where there is nothing else. */
function promptOf({ command, at }: Entry, reading: Reading): string | undefined {
  if (typeof command === 'string') return command
  const { instruction, description, agent, url } = isRecord(command) ? command : {}
  if (agent !== undefined)
    unsupportedKey(reading, [...at, 'agent'], 'The agent that is asked answers; let it hand over.')
  const prompt = instruction || (agent === undefined && url === undefined ? description : undefined)
  if (typeof prompt === 'string' && prompt !== '') return prompt
  unsupportedKey(reading, at, 'A command here is a prompt: write its `instruction`.')
  return undefined
}
