import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ConfigFile, configured, isAdministrators } from 'hookline/internal'
import { calledIn } from './called-in.ts'
import { refuse } from './http/problem.ts'
import type { World } from './world.ts'

const mostProjects = 200

/** Where agents have worked, the latest first; where the server was started is one. */
export async function projectsOf({ sql, totals, cwd }: World): Promise<string[]> {
  const own = await sql.all<{ project: string }>('select project from agents')
  const all = new Set([cwd, ...(await totals.projects()).slice(0, mostProjects), ...own.map(({ project }) => project)])
  return [...all].filter((each) => existsSync(each))
}

/** Only where agents work: nobody reads other directories through this. */
export async function projectFrom(world: World, named: string | undefined): Promise<string> {
  const projects = await projectsOf(world)
  if (named === undefined) return world.cwd
  if (projects.includes(named)) return named
  throw refuse(404, 'request-not-found', { what: 'such project' })
}

/** The files here that a person may change; the administrator's are not among them. */
export async function editableIn(project: string): Promise<ConfigFile[]> {
  const { files } = await configured(calledIn(project), [], { quiet: true, mayBeNone: true })
  return files
    .filter(({ layer, text: made }) => !isAdministrators(layer) && made === undefined)
    .map((each) => ({ ...each, file: resolve(each.file) }))
}
