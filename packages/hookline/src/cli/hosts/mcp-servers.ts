import { existsSync, realpathSync } from 'node:fs'
import { formatNote, HooklineError, note } from '../../core/index.ts'
import type { Ground, Host, Scope } from '../../hosts/index.ts'
import type { GuardedServers, OurCommand } from '../../install/index.ts'
import { missingPackage } from '../../platform/index.ts'
import type { Invocation } from '../command.ts'
import { paintFor } from '../text/paint.ts'

/**
 * How agents start this command line. What is written into a project is for everybody who works on it: it names what the
 * project has installed, where it has. Anything else names this copy, which must be there to stay.
 */
export function commandFor(scope: Scope, { project }: Ground): OurCommand {
  if (
    scope === 'project' &&
    ['hookline', '@hookline/mcp'].every((name) => existsSync(`${project}/node_modules/${name}`))
  )
    return ['npx', '--no', 'hookline']
  const missing = missingPackage('@hookline/mcp')
  if (missing) throw new HooklineError(missing)
  const program = realpathSync(process.argv[1]!)
  if (/[/\\]_npx[/\\]/.test(program)) throw new HooklineError(note('npx-copy', { program }))
  return [process.execPath, program]
}

/** Changes the MCP servers of each agent, and shows what came of it. */
export function guardServers(
  hosts: readonly Host[],
  change: (host: Host) => GuardedServers,
  output: Invocation['output'],
  values: Invocation['values'],
): number {
  const results = hosts.map((host) => {
    try {
      return { name: host.name, called: host.called, ...change(host), problems: [] }
    } catch (error) {
      if (!(error instanceof HooklineError)) throw error
      return { name: host.name, called: host.called, problems: error.notes.map(formatNote) }
    }
  })
  const ok = results.every(({ problems }) => problems.length === 0)
  if (values['json']) {
    output.write(`${JSON.stringify({ ok, hosts: results.map(({ called: _, ...result }) => result) }, null, 2)}\n`)
    return ok ? 0 : 1
  }
  const paint = paintFor(output)
  for (const result of results) {
    const sign = result.problems.length > 0 ? paint.red('✗') : paint.green('✓')
    const said = 'guarded' in result ? saidOf(result) : 'not changed'
    output.write(`${sign} ${result.called.padEnd(12)} ${said}\n`)
    for (const problem of result.problems) output.write(`    ${problem}\n`)
    if (!('guarded' in result)) continue
    for (const { path, did } of result.files) if (did === 'wrote') output.write(paint.dim(`    ${path}\n`))
    for (const { name, why } of result.left) output.write(paint.dim(`    ${name} is left as it is: ${why}\n`))
  }
  return ok ? 0 : 1
}

function saidOf({ guarded, files }: GuardedServers): string {
  if (files.every(({ did }) => did === 'none')) return 'has no MCP servers there'
  return guarded.length === 0 ? 'no MCP server is guarded' : `guarded: ${guarded.join(', ')}`
}
