import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { isRecord, note, readText, realPath } from 'hookline/internal'
import { type Path, type Reading, wrong } from './reading.ts'
import type { AgentEntry } from './shape.ts'

/** What is in the files that agents name for their instruction, by the names they have there; absent: not to be read. */
export type Texts = Readonly<Record<string, string>>

/** The system prompt as it is written, or from its files: docker-agent joins them with a blank line. */
export function readInstruction(agent: AgentEntry, texts: Texts, at: Path, reading: Reading): string {
  const { instruction = '', instruction_file: named } = agent
  const place = [...at, 'instruction_file']
  if (named === undefined) return instruction
  if (instruction !== '') {
    wrong(reading, place, 'stands beside `instruction`', 'Keep one of the two.')
    return instruction
  }
  const found = [named].flat().flatMap((name) => {
    if (leadsAway(name))
      wrong(reading, place, `names \`${name}\`, which is not below this file`, 'Name a file beside it.')
    else if (Object.hasOwn(texts, name)) return [texts[name]!.trim()]
    else reading.notes.push(note('agent-instruction-missing', { file: name }, { where: reading.locate(place) }))
    return []
  })
  return found.join('\n\n')
}

/** Reads those files of an agent file that stay in its directory, wherever links lead. */
export async function readInstructionFiles(document: unknown, file: string): Promise<Texts> {
  const directory = realPath(dirname(resolve(file)))
  const names = new Set(namesIn(document).filter((name) => !leadsAway(name)))
  const read = await Promise.all(
    [...names].map(async (name) => {
      const path = realPath(resolve(directory, name))
      if (leadsAway(relative(directory, path))) return []
      const content = await readText(path)
      return content.ok ? [[name, content.text] as const] : []
    }),
  )
  return Object.fromEntries(read.flat())
}

function namesIn(document: unknown): string[] {
  const agents = isRecord(document) && isRecord(document['agents']) ? Object.values(document['agents']) : []
  const named = agents.flatMap((agent) => (isRecord(agent) ? [agent['instruction_file']].flat() : []))
  return named.filter((name) => typeof name === 'string')
}

const leadsAway = (name: string): boolean => isAbsolute(name) || name.split(/[\\/]/).includes('..')
