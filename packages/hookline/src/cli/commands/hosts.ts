import { execFile } from 'node:child_process'
import { formatNote } from '../../core/index.ts'
import { type Ground, type Host, installable } from '../../hosts/index.ts'
import { type HostStatus, hostNamed, statusOf } from '../../install/index.ts'
import { defineCommand, UsageError } from '../command.ts'
import { groundOf, hostOptions } from '../hosts/choose.ts'
import { type LastEvent, lastEvents } from '../hosts/last-events.ts'
import { ago, columns, wrap } from '../text/layout.ts'
import { type Paint, paintFor, widthOf } from '../text/paint.ts'

export const command = defineCommand({
  name: 'hosts',
  summary: 'List the agents: which are here, in which Hookline is installed, and whether they run it.',
  usage: 'hosts [<host>…] [--json]',
  doc: [
    'Reads the files of each agent as the agent does, so that a file it cannot read, and a switch that takes all hooks away,',
    'show up here. That the agent runs the entry is proved by its last event; `hookline doctor --host` lets the agent itself',
    'say what it has loaded.',
  ].join('\n'),
  options: {
    cwd: hostOptions.cwd,
    json: {
      doc: 'Print a JSON list: name, found, version, installed, status, scopes, files, trusted, loaded, loaded_by, last_event, asks, not_covered, problems.',
    },
  },
  examples: ['hookline hosts', 'hookline hosts --json'],
  exits: { 64: 'Wrong usage.' },
  async run({ values, positionals, output }) {
    const unknown = positionals.find((name) => !installable.includes(name))
    if (unknown !== undefined)
      throw new UsageError(`There is no agent \`${unknown}\`. There are: ${installable.join(', ')}.`)
    const ground = groundOf(values)
    const names = positionals.length > 0 ? positionals : installable
    const last = await lastEvents(names)
    const all = await Promise.all(names.map(async (name) => describe(await hostNamed(name), ground, last.get(name))))
    if (values['json']) output.write(`${JSON.stringify(all.map(shown), null, 2)}\n`)
    else output.write(`${table(all, paintFor(output), widthOf(output)).join('\n')}\n`)
    return 0
  },
})

interface Described {
  host: Host
  status: HostStatus
  version: string | undefined
  last: LastEvent | undefined
}

async function describe(host: Host, ground: Ground, last: LastEvent | undefined): Promise<Described> {
  const status = statusOf(host, ground)
  return { host, status, last, version: status.program === undefined ? undefined : await versionOf(status.program) }
}

/** What a program says of its version; a host that takes long does not hold the list up. */
function versionOf(program: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, ['--version'], { timeout: 5_000 }, (_error, stdout) =>
      resolve(/\d+\.\d+(?:\.\d+)?[\w.-]*/.exec(String(stdout))?.[0]),
    )
  })
}

function shown({ host, status, version, last }: Described) {
  const { name, called, found, installed, status: state, scopes, files, problems, loaded } = status
  return {
    name,
    called,
    found,
    version: version ?? null,
    installed,
    status: state,
    scopes,
    files,
    trusted: state === 'installed' ? true : state === 'untrusted' ? false : null,
    // A mark that a plugin left, or an event: both come from the agent. Else only our own canary has shown that the entry works.
    loaded: loaded ?? last?.time ?? null,
    loaded_by: loaded || last ? 'host' : installed ? 'us' : null,
    last_event: last ?? null,
    proof: host.setup.proof,
    asks: asksOf(host),
    not_covered: host.around.map(({ around, so }) => `${around} ${so}`),
    problems: problems.map(formatNote),
  }
}

const asksOf = ({ takes: { ask } }: Host): 'yes' | 'in some modes' | 'no' =>
  !ask ? 'no' : ask.modes ? 'in some modes' : 'yes'

const words: Record<HostStatus['status'], string> = {
  'not-installed': '– not installed',
  installed: '✓ installed',
  outdated: '! outdated',
  unreadable: '✗ file unreadable',
  'switched-off': '✗ hooks are off',
  'entry-missing': '✗ entry is gone',
  untrusted: '! untrusted',
}

function table(all: readonly Described[], paint: Paint, width: number): string[] {
  const tone = (state: HostStatus['status']) =>
    state === 'installed'
      ? paint.green
      : state === 'not-installed'
        ? paint.dim
        : /^[!]/.test(words[state])
          ? paint.yellow
          : paint.red
  const rows = all.map(({ host, status, version, last }) => [
    `  ${host.name}`,
    status.found ? (version ?? 'found') : '–',
    tone(status.status)(`${words[status.status]}${status.scopes.length > 0 ? ` (${status.scopes.join(', ')})` : ''}`),
    asksOf(host),
    last ? ago(last.time) : status.loaded ? `loaded ${ago(status.loaded)}` : status.installed ? 'none yet' : '',
  ])
  const head = ['  host', 'version', 'hooks', 'asks', 'last event'].map(paint.bold)
  const problems = all.flatMap(({ status }) =>
    status.problems.flatMap((problem) =>
      wrap(`${status.name}: ${formatNote(problem)}`, width - 2).map((line) => `  ${line}`),
    ),
  )
  return [...columns([head, ...rows], width), ...(problems.length > 0 ? ['', ...problems] : [])]
}
