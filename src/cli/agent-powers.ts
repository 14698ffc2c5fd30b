import { resolve } from 'node:path'
import { type Power, powersOf } from '../agent/team/index.ts'
import type { Team } from '../agent/team.ts'
import { expandVariables } from '../agent/tools/variables.ts'
import { loadTeam } from '../agent-files.ts'
import type { ConfigFile } from '../config/discover.ts'
import type { Layer } from '../core/index.ts'
import { homeDirectory } from '../platform/index.ts'
import type { Approvable, Approver, Inspection, Place } from '../trust/index.ts'

/** What an agent file brings beside hooks, as something to approve like one. */
export interface Brought extends Approvable {
  /** What it does, in words. */
  description: string
}

export interface InspectedPower {
  power: Power
  inspection: Inspection<Brought>
  /** Whether it may count: what is approved where the workspace could have written it is not. */
  trusted: boolean
}

/** What a team would do by itself, and whether somebody has approved it. Nothing is started. */
export function inspectPowers(trust: Approver, team: Team, layer: Layer, cwd: string): InspectedPower[] {
  const { file } = team
  if (file === undefined) return []
  return powersOf(team).map((power) => {
    const { id, does: description, run, env, workingDir } = power
    const brought: Brought = { id, description, run, env, workingDir, origin: { layer, where: { file } } }
    const place = placeOf(power, cwd)
    return { power, inspection: trust.inspect(brought, place), trusted: trust.check(brought, place).trusted }
  })
}

/** The same of those of these files that are agent files. One that cannot be run brings nothing. */
export async function powersOfFiles(
  trust: Approver,
  files: readonly ConfigFile[],
  cwd: string,
): Promise<Inspection<Brought>[]> {
  const found = await Promise.all(
    files.map(async ({ file, layer, text }) => {
      if (text !== undefined) return []
      const team = await loadTeam(file).then(
        (loaded) => loaded.team,
        () => undefined,
      )
      return team ? inspectPowers(trust, team, layer, cwd).map(({ inspection }) => inspection) : []
    }),
  )
  return found.flat()
}

/** Where it would start, and what variables would make of it, as the toolsets have it. */
function placeOf({ workingDir = '.', env }: Power, cwd: string): Place {
  const fill = (text: string) => expandVariables(text, process.env)
  const directory = fill(workingDir).replace(/^~(?=\/|$)/, homeDirectory())
  const variable = (name: string) => (Object.hasOwn(env, name) ? fill(env[name]!) : process.env[name])
  return { directory: resolve(cwd, directory), variable, fill }
}
