import { formatNote, HooklineError, type Note } from '../../core/index.ts'
import type { Ground, Host, Scope } from '../../hosts/index.ts'
import {
  type Changed,
  type HostStatus,
  installHost,
  installMcp,
  type Proof,
  prove,
  statusOf,
  trustHost,
} from '../../install/index.ts'
import { defineCommand, type Invocation } from '../command.ts'
import { limitsOf } from '../hosts/as-host.ts'
import { chosenHosts, groundOf, hostOptions, scopeOf } from '../hosts/choose.ts'
import { commandFor, guardServers } from '../hosts/mcp-servers.ts'
import { onInterrupt } from '../interrupt.ts'
import { askOn, isPerson } from '../person.ts'
import { wrap } from '../text/layout.ts'
import { type Paint, paintFor, widthOf } from '../text/paint.ts'

export const command = defineCommand({
  name: 'install',
  summary: 'Install Hookline in agents: their hooks run your rules.',
  usage: 'install <host>…|--all [--user|--project|--managed] [--mcp] [--yes] [--trust-host]',
  doc: [
    'Copies Hookline to your data directory and writes an entry into the files of each agent, so that it asks your rules and',
    'hooks before and after what it does. Whatever else is in those files stays as it is, and `hookline uninstall` takes the',
    'entry out again, byte for byte. Then a call that is always refused proves that the entry works.',
    '',
    'Where the entry fails, is missing or takes too long, what waits for it is refused, with a reason. Installing twice',
    'changes nothing; after an update, install again.',
    '',
    'With --mcp, the MCP servers that the agent starts are put behind `hookline mcp` instead: only their commands change, and',
    'their variables and headers stay where they are.',
  ].join('\n'),
  options: {
    ...hostOptions,
    mcp: { doc: 'Guard the MCP servers in the files of the agents, in place of the agents themselves.' },
    'trust-host': {
      doc: 'Also tell the agent that you have looked at our entry, where it skips it until then (codex).',
    },
  },
  examples: [
    'hookline install claude',
    'hookline install --all',
    'hookline install codex --trust-host --yes',
    'hookline install claude --project --mcp',
  ],
  exits: {
    1: 'An agent could not be installed, or does not run the entry; it says which and why.',
    64: 'Wrong usage.',
  },
  async run(invocation) {
    const { values, output } = invocation
    const ground = groundOf(values)
    const scope = scopeOf(values)
    const hosts = await chosenHosts(invocation, ground)
    if (hosts.length === 0 && !values['json']) {
      output.write('No agent that Hookline can be installed in was found here.\n')
      return 1
    }
    if (values['mcp']) {
      const ours = commandFor(scope, ground)
      return guardServers(hosts, (host) => installMcp(host, scope, ground, ours), output, values)
    }
    const results: Installed[] = []
    for (const host of hosts) results.push(await installOne(host, scope, ground, invocation))
    if (values['json'])
      output.write(`${JSON.stringify({ ok: results.every(({ ok }) => ok), hosts: results.map(shown) }, null, 2)}\n`)
    else output.write(`${results.flatMap((each) => report(each, paintFor(output), widthOf(output))).join('\n')}\n`)
    return hosts.length > 0 && results.every(({ ok }) => ok) ? 0 : 1
  },
})

interface Installed {
  host: Host
  ok: boolean
  changed: readonly Changed[]
  status?: HostStatus
  proof?: Proof
  problems: readonly Note[]
}

async function installOne(host: Host, scope: Scope, ground: Ground, invocation: Invocation): Promise<Installed> {
  const changed: Changed[] = []
  try {
    changed.push(...installHost(host, scope, ground))
    if (host.setup.trust && (await wantsTrust(host, invocation))) {
      const trusted = trustHost(host, scope, ground)
      if (trusted) changed.push(trusted)
    }
    const proof = await prove(host, scope, ground)
    const status = statusOf(host, ground)
    // A host that skips the entry until its user trusts it is installed all the same, and says so.
    const stands = status.status === 'installed' || status.status === 'untrusted'
    const ok = proof.canary.blocked && stands && proof.listed?.ours !== 0
    return { host, ok, changed, status, proof, problems: status.problems }
  } catch (error) {
    if (!(error instanceof HooklineError)) throw error
    return { host, ok: false, changed, problems: error.notes }
  }
}

async function wantsTrust(host: Host, { values, input, errors }: Invocation): Promise<boolean> {
  if (values['trust-host']) return true
  if (values['yes'] || values['json'] || !isPerson(input, errors)) return false
  const interrupt = onInterrupt()
  const asker = askOn(input, errors, interrupt.signal)
  try {
    return await asker.ask(
      `${host.called} skips new hooks until you trust them. Trust the entry of Hookline now? [y/N] `,
    )
  } finally {
    asker.close()
    interrupt.release()
  }
}

function shown({ host, ok, changed, status, proof, problems }: Installed) {
  return {
    name: host.name,
    ok,
    installed: status?.installed ?? false,
    status: status?.status ?? 'failed',
    files: changed.map(({ path, did }) => ({ path, did })),
    ...(proof && {
      canary: proof.canary.blocked,
      canary_ms: proof.canary.ms,
      ...(proof.listed && { listed: proof.listed }),
    }),
    problems: problems.map(formatNote),
  }
}

function report({ host, ok, changed, proof, problems }: Installed, paint: Paint, width: number): string[] {
  const canary = !proof
    ? ''
    : proof.canary.blocked
      ? ` · canary blocked in ${proof.canary.ms} ms`
      : ' · the canary was not blocked'
  const listed = proof?.listed && proof.listed.ours > 0 ? ' · listed by the host' : ''
  const isHeld = problems.length > 0 || proof?.listed?.trusted === false
  const sign = !ok ? paint.red('✗') : isHeld ? paint.yellow('!') : paint.green('✓')
  const did = changed.some(({ did }) => did === 'wrote') ? 'installed' : 'installed already'
  const lines = [
    `${sign} ${host.called.padEnd(12)} ${proof ? `${did}${listed}${canary}` : 'not installed'}`,
    ...changed.filter(({ did }) => did === 'wrote').map(({ path }) => paint.dim(`    ${path}`)),
    ...problems.map(formatNote).flatMap((problem) => wrap(problem, width - 4).map((line) => `    ${line}`)),
    ...(proof && !proof.canary.blocked ? [`    ${proof.canary.said.split('\n')[0] ?? ''}`] : []),
  ]
  const limits = limitsOf(host)
  const cannot = limits.length > 0 ? `It ${limits.join('; ')}.` : ''
  return [...lines, ...(ok && cannot ? wrap(cannot, width - 4).map((line) => paint.dim(`    ${line}`)) : [])]
}
