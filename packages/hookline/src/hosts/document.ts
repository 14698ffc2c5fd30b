import { eventNames } from '../core/index.ts'
import type { Host } from './host.ts'
import { type Ground, type Scope, scopes } from './setup.ts'

/** The tables of docs/hosts.md, from the row of each host. */
export function hostSections(hosts: readonly Host[], runs: Runs = {}): Record<string, string> {
  return {
    matrix: matrixOf(runs),
    documents: hosts
      .filter(({ documents }) => documents)
      .map(
        ({ called, name, documents = [] }) =>
          `- ${called} (\`${name}\`): ${documents.map((url) => `<${url}>`).join(', ')}`,
      )
      .join('\n'),
    places: table(
      ['host', ...scopes, 'proof that it is loaded'],
      hosts.map((host) => [named(host), ...scopes.map((scope) => placesOf(host, scope)), host.setup.proof]),
    ),
    abilities: table(
      ['', ...hosts.map(({ name }) => name)],
      Object.entries(abilities).map(([title, of]) => [title, ...hosts.map(of)]),
    ),
    events: table(
      ['event', ...hosts.map(({ name }) => name)],
      eventNames
        .filter((event) => hosts.some(({ events }) => events[event]))
        .map((event) => [`\`${event}\``, ...hosts.map(({ events }) => (events[event] ? `\`${events[event]}\`` : '–'))]),
    ),
    around: hosts
      .filter(({ around }) => around.length > 0)
      .map((host) => [`### ${host.called}`, ...host.around.map(({ around, so }) => `- ${around} ${so}`)].join('\n\n'))
      .join('\n\n'),
  }
}

/** What became of real agents, as `npm run test:hosts -- --write` leaves it. */
export type Runs = Readonly<
  Record<string, { version: string; date: string; results: Readonly<Record<string, Readonly<Record<string, string>>>> }>
>

function matrixOf(runs: Runs): string {
  const agents = Object.entries(runs)
  const parts = [...new Set(agents.flatMap(([, { results }]) => Object.keys(results)))]
  const rows = parts.flatMap((part) => {
    const cases = [...new Set(agents.flatMap(([, { results }]) => Object.keys(results[part] ?? {})))]
    return [
      [`**${part}**`, ...agents.map(() => '')],
      ...cases.map((name) => [name, ...agents.map(([, { results }]) => results[part]?.[name] ?? '–')]),
    ]
  })
  return table(['', ...agents.map(([name, { version, date }]) => `${name} ${version}, ${date}`)], rows)
}

const abilities: Record<string, (host: Host) => string> = {
  'refuse a call': () => 'yes',
  'ask about a call': ({ takes: { ask } }) =>
    ask
      ? [...(ask.since ? [`since ${ask.since}`] : []), ...(ask.modes ? [`in ${ask.modes.join(', ')}`] : [])].join(
          ', ',
        ) || 'yes'
      : '`hookline watch` asks',
  'approve a call, so that nobody is asked': ({ can }) => (can.approves ? 'yes' : 'no'),
  'rewrite the input': ({ rewrites }) =>
    ({ taken: rewrites.merges ? 'yes, merged' : 'yes', 'with-allow': 'with `allow`', dropped: 'refused' })[
      rewrites.input
    ],
  'rewrite the result': ({ rewrites }) =>
    ({ taken: 'yes', 'as-reason': 'as the reason of a refusal', withheld: 'no: the run ends', dropped: 'no' })[
      rewrites.result
    ],
  'add context at': ({ can }) => can.context.map((event) => `\`${event}\``).join(' ') || '–',
  'refuse a prompt': ({ can }) => (can.refusesPrompt ? 'yes' : 'no'),
  'send back to work at `stop`': ({ can }) => (can.redo ? 'yes' : 'no'),
  'hooks of sub-agents': ({ can }) => can.subAgents,
  'fails closed by': ({ can }) => can.failsClosed ?? 'the wrapper',
  'its own time-out': ({ can: { timeout } }) => (timeout ? `${timeout.default} ${timeout.unit}` : 'none: it waits'),
}

const ground: Ground = { home: '~', project: '.', env: {} }
const ours = { entry: '', mark: '' }

function placesOf({ setup }: Host, scope: Scope): string {
  const files = setup.files(scope, ground, ours)
  return files ? files.map(({ path }) => `\`${path.replace(/^\.\//, '')}\``).join(', ') : '–'
}

const named = ({ name, called }: Host): string => `\`${name}\` (${called})`

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
