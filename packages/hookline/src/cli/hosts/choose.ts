import { didYouMean } from '../../core/index.ts'
import { type Ground, type Host, installable, type Scope, scopes } from '../../hosts/index.ts'
import { hostNamed, statusOf } from '../../install/index.ts'
import { homeDirectory } from '../../platform/index.ts'
import { type Invocation, type Option, UsageError } from '../command.ts'
import { workingDirectory } from '../configured.ts'

/** Options of commands that change what stands in the files of agents. */
export const hostOptions = {
  all: { doc: 'Every agent that is found on this machine.' },
  user: { doc: 'For everything you do with it. The default.' },
  project: { doc: 'For this project: everybody who works on it needs Hookline too.' },
  managed: { doc: 'For everybody on this machine, in the files of the administrator; as root.' },
  yes: { doc: 'Do not ask.' },
  cwd: { value: 'directory', doc: 'The project. Default: here.' },
  json: { doc: 'Print one JSON object: ok, hosts.' },
} as const satisfies Record<string, Option>

export const groundOf = (values: Invocation['values']): Ground => ({
  home: homeDirectory(),
  project: workingDirectory(values),
  env: process.env,
})

export function scopeOf(values: Invocation['values']): Scope {
  const given = scopes.filter((scope) => values[scope])
  if (given.length > 1) throw new UsageError(`Choose one of ${given.map((scope) => `--${scope}`).join(' and ')}.`)
  return given[0] ?? 'user'
}

/** The agents that are named, or all that are meant by that: those that are found, unless the caller means others. */
export async function chosenHosts(
  { values, positionals }: Pick<Invocation, 'values' | 'positionals'>,
  ground: Ground,
  isMeant = (host: Host): boolean => statusOf(host, ground).found,
): Promise<Host[]> {
  const unknown = positionals.find((name) => !installable.includes(name))
  if (unknown !== undefined)
    throw new UsageError(
      `There is no agent \`${unknown}\` that Hookline can be installed in.${didYouMean(unknown, installable)} There are: ${installable.join(', ')}.`,
    )
  if (positionals.length > 0 && values['all']) throw new UsageError('Name agents, or pass --all; not both.')
  if (positionals.length === 0 && !values['all'])
    throw new UsageError(`Which agents? Name them, or pass --all: ${installable.join(', ')}.`)
  if (positionals.length > 0) return Promise.all([...new Set(positionals)].map(hostNamed))
  const all = await Promise.all(installable.map(hostNamed))
  return all.filter(isMeant)
}
