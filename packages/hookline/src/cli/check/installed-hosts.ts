import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Hook, type Note, note, type ToolSection, tools } from '../../core/index.ts'
import { dialectNames, loadDialect } from '../../dialects/index.ts'
import { hostTraces, loadHost } from '../../hosts/index.ts'

/** What decides whether a hook can run in a host, and nothing else of it. */
export interface Reach extends Pick<Note, 'hook' | 'where'> {
  event: Hook['event']
  /** The tools of ours that it is for; absent: any. */
  tools?: readonly string[]
}

interface InstalledHost {
  called: string
  events: ReadonlySet<string>
  tools: ToolSection | undefined
}

/** Our own hooks, which run in every host. Hooks of another system are for that system, and bundles know where they belong. */
export async function reachesOf(hooks: readonly Hook[]): Promise<Reach[]> {
  const ours = new Map<string, boolean>()
  for (const name of new Set(hooks.map(({ dialect }) => dialect)))
    ours.set(name, (await loadDialect(name)).tools?.own === true)
  return hooks
    .filter(({ id, dialect, enabled }) => enabled && ours.get(dialect) && !id.includes(':'))
    .map((hook) => {
      const { id, event, origin } = hook
      const named = toolsOf(hook)
      return { hook: id, event, ...(origin.where && { where: origin.where }), ...(named && { tools: named }) }
    })
}

/** Tools by name, where all of them are tools of ours that other hosts may call something else. */
function toolsOf({ matcher }: Hook): string[] | undefined {
  const test = matcher.find(({ facet, negate }) => facet === 'tool' && !negate)?.test
  if (!test || !('names' in test) || test.prefixes?.length) return undefined
  return test.names.every((name) => Object.hasOwn(tools, name)) ? [...test.names] : undefined
}

/** Which of the hooks cannot run in agents that this person or project evidently uses. */
export async function unreachedIn(reaches: readonly Reach[], cwd: string, home: string): Promise<Note[]> {
  const installed = reaches.length === 0 ? [] : await installedHosts(cwd, home)
  if (installed.length === 0) return []
  return reaches.flatMap(({ event, tools: wanted, ...about }) => {
    const [silent, raising] = parted(installed, ({ events }) => !events.has(event))
    const lacking = wanted ? raising.filter(({ tools }) => !wanted.some((tool) => hasTool(tools, tool))) : []
    const names = (hosts: readonly InstalledHost[]) =>
      listed(
        hosts.map(({ called }) => called),
        'and',
      )
    const they = (hosts: readonly InstalledHost[], one: string, more: string) => (hosts.length === 1 ? one : more)
    return [
      ...(silent.length > 0
        ? [note('host-lacks-event', { hosts: names(silent), does: they(silent, 'it does', 'they do'), event }, about)]
        : []),
      ...(lacking.length > 0
        ? [
            note(
              'host-lacks-tool',
              { hosts: names(lacking), has: they(lacking, 'it has', 'they have'), tools: listed(wanted ?? [], 'or') },
              about,
            ),
          ]
        : []),
    ]
  })
}

async function installedHosts(cwd: string, home: string): Promise<InstalledHost[]> {
  const found = Object.entries(hostTraces).filter(([, traces]) =>
    [...traces.project.map((path) => join(cwd, path)), ...traces.home.map((path) => join(home, path))].some((path) =>
      existsSync(path),
    ),
  )
  return Promise.all(
    found.map(async ([name, { called }]) => {
      const system = dialectNames.includes(name) ? await loadDialect(name) : await loadHost(name)
      return { called, events: new Set<string>(Object.keys(system?.events ?? {})), tools: system?.tools }
    }),
  )
}

const hasTool = (section: ToolSection | undefined, tool: string): boolean =>
  section === undefined || Object.hasOwn(section.calls, tool)

function parted<T>(all: readonly T[], test: (each: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((each) => !test(each))]
}

function listed(names: readonly string[], word: string): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`
}
