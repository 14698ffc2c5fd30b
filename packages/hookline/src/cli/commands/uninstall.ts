import { formatNote, HooklineError, type Note } from '../../core/index.ts'
import { connectDaemon } from '../../daemon/index.ts'
import { type Ground, type Host, installable, loadHost, type Scope } from '../../hosts/index.ts'
import { type Changed, statusOf, uninstallHost, uninstallMcp } from '../../install/index.ts'
import { refuseAgents } from '../../person/index.ts'
import { defineCommand } from '../command.ts'
import { chosenHosts, groundOf, hostOptions, scopeOf } from '../hosts/choose.ts'
import { guardServers } from '../hosts/mcp-servers.ts'
import { paintFor } from '../text/paint.ts'

export const command = defineCommand({
  name: 'uninstall',
  summary: 'Take Hookline out of agents: their files are as before, byte for byte.',
  usage: 'uninstall <host>…|--all [--user|--project|--managed] [--mcp] [--yes]',
  doc: [
    'Takes out what `hookline install` put in, and nothing else: what you changed elsewhere in the same file since then stays.',
    'Your rules, approvals and journal are not touched, nor is the engine in your data directory, which others may use.',
  ].join('\n'),
  options: {
    ...hostOptions,
    all: { doc: 'Every agent in which it is.' },
    mcp: { doc: 'Take the guard out of the MCP servers in the files of the agents.' },
  },
  examples: ['hookline uninstall claude', 'hookline uninstall --all --project'],
  exits: { 1: 'A file could not be changed; it says which and why.', 64: 'Wrong usage.' },
  async run(invocation) {
    const { values, output } = invocation
    refuseAgents()
    const ground = groundOf(values)
    const scope = scopeOf(values)
    if (values['mcp'])
      return guardServers(
        await chosenHosts(invocation, ground),
        (host) => uninstallMcp(host, scope, ground),
        output,
        values,
      )
    const hosts = await chosenHosts(invocation, ground, (host) => statusOf(host, ground).scopes.includes(scope))
    const results = hosts.map((host) => uninstallOne(host, scope, ground))
    const ok = results.every(({ problems }) => problems.length === 0)
    if (ok && results.length > 0 && !(await isAnywhere(ground))) await stopDaemon()
    if (values['json']) {
      const shown = results.map(({ host, changed, problems }) => ({
        name: host.name,
        files: changed.map(({ path, did }) => ({ path, did })),
        problems: problems.map(formatNote),
      }))
      output.write(`${JSON.stringify({ ok, hosts: shown }, null, 2)}\n`)
      return ok ? 0 : 1
    }
    const paint = paintFor(output)
    for (const { host, changed, problems } of results) {
      const gone = changed.filter(({ did }) => did === 'removed')
      const said = problems.length > 0 ? 'not changed' : gone.length > 0 ? 'taken out' : 'was not installed'
      output.write(`${problems.length > 0 ? paint.red('✗') : paint.green('✓')} ${host.called.padEnd(12)} ${said}\n`)
      for (const { path } of gone) output.write(paint.dim(`    ${path}\n`))
      for (const problem of problems) output.write(`    ${formatNote(problem)}\n`)
    }
    if (results.length === 0) output.write('Hookline is in no agent there.\n')
    return ok ? 0 : 1
  },
})

/** Whether our entry stands in any agent still, as far as can be seen from here. */
async function isAnywhere(ground: Ground): Promise<boolean> {
  for (const name of installable) {
    const host = await loadHost(name)
    if (host && statusOf(host, ground).scopes.length > 0) return true
  }
  return false
}

/** Nobody calls it any more. */
async function stopDaemon(): Promise<void> {
  const connection = await connectDaemon()
  await connection?.stop().catch(() => {})
  connection?.close()
}

function uninstallOne(
  host: Host,
  scope: Scope,
  ground: Ground,
): { host: Host; changed: readonly Changed[]; problems: readonly Note[] } {
  try {
    return { host, changed: uninstallHost(host, scope, ground), problems: [] }
  } catch (error) {
    if (!(error instanceof HooklineError)) throw error
    return { host, changed: [], problems: error.notes }
  }
}
