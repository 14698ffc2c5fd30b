import { configured, inspectHooks, openTrust, placedRules } from 'hookline/internal'
import { calledIn } from '../called-in.ts'

/** The rules that hold where the server was started: those of the project, its user and the machine, by their ids. */
export async function rulesIn(cwd: string): Promise<string[]> {
  const { files } = await configured(calledIn(cwd), [], { quiet: true, mayBeNone: true })
  if (files.length === 0) return []
  const { inspections } = await inspectHooks(openTrust(), calledIn(cwd), { strict: false, cached: true })
  return placedRules(inspections.map(({ hook }) => hook)).map(({ rule }) => rule.id)
}
