import { resolve } from 'node:path'
import type { Approver, ConfigFile, FileCapability, Inspection, Layer, Place } from 'hookline/internal'
import { homeDirectory, programPins } from 'hookline/internal'
import { loadTeam } from '../files.ts'
import type { Team } from '../team.ts'
import { expandVariables } from '../tools/variables.ts'
import { type Power, powersOf } from './powers.ts'

export interface InspectedPower {
  power: Power
  inspection: Inspection<FileCapability>
  /** Whether it may count: what is approved where the workspace could have written it is not. */
  trusted: boolean
}

/** What a team would do by itself, and whether somebody has approved it. Nothing is started. */
export function inspectPowers(trust: Approver, team: Team, layer: Layer, cwd: string): InspectedPower[] {
  const { file } = team
  if (file === undefined) return []
  return powersOf(team).map((power) => {
    const { id, does: description, run, env, workingDir } = power
    const brought: FileCapability = { id, description, run, env, workingDir, origin: { layer, where: { file } } }
    const place = placeOf(power, cwd)
    return { power, inspection: trust.inspect(brought, place), trusted: trust.check(brought, place).trusted }
  })
}

/** The same of those of these files that are agent files. One that cannot be run brings nothing. */
export async function capabilitiesOfFiles(
  trust: Approver,
  files: readonly ConfigFile[],
  cwd: string,
): Promise<Inspection<FileCapability>[]> {
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

/** Toolsets that start a program write it as hooks do; the others run nothing but what they say. */
const pinsOf = ({ type, ...settings }: Power['run']) =>
  type === 'command' || type === 'mcp' ? programPins(settings) : []

/** Where it would start, and what variables would make of it, as the toolsets have it. */
function placeOf({ workingDir = '.', env }: Power, cwd: string): Place {
  const fill = (text: string) => expandVariables(text, process.env)
  const directory = fill(workingDir).replace(/^~(?=\/|$)/, homeDirectory())
  const variable = (name: string) => (Object.hasOwn(env, name) ? fill(env[name]!) : process.env[name])
  return { directory: resolve(cwd, directory), variable, fill, pins: pinsOf }
}
