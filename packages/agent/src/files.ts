import { dirname, resolve } from 'node:path'
import { HooklineError, type Note, parseConfig, readText } from 'hookline/internal'
import { type Rehearsal, readRehearsal } from './models/rehearsal/index.ts'
import { type Environment, type ReadTeam, readTeam } from './team/index.ts'

/** Reads an agent file. Throws one error that lists every problem; what has no effect comes back as notes. */
export async function loadTeam(
  file: string,
  env: Environment = process.env,
): Promise<Required<Pick<ReadTeam, 'team' | 'notes'>>> {
  const { document, locate } = await parseFile(file)
  const { team, problems, notes } = readTeam(document, { file, locate, env })
  return team ? { team, notes } : refuse(problems)
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
