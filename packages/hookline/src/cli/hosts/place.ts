import { formatNote, HooklineError } from '../../core/index.ts'
import { type Ground, type Host, installable } from '../../hosts/index.ts'
import { hostNamed, installHost, prove, statusOf } from '../../install/index.ts'
import { wrap } from '../text/layout.ts'
import type { Paint } from '../text/paint.ts'

/** An agent on this machine, and what became of installing Hookline in it. */
export interface Placed {
  host: Host
  /** Our entry stands in it and refuses the canary. */
  ok: boolean
  said: string
  problems: readonly string[]
  json: Readonly<Record<string, unknown>>
}

/** Installs Hookline, for the user, in every agent that is found here, and proves each. One that fails leaves the others alone. */
export async function installFound(ground: Ground): Promise<Placed[]> {
  const hosts = await Promise.all(installable.map(hostNamed))
  const placed: Placed[] = []
  for (const host of hosts.filter((each) => statusOf(each, ground).found)) placed.push(await place(host, ground))
  return placed
}

async function place(host: Host, ground: Ground): Promise<Placed> {
  const { name, called } = host
  try {
    installHost(host, 'user', ground)
    const { canary, listed } = await prove(host, 'user', ground)
    const { problems } = statusOf(host, ground)
    const loaded = listed ? (listed.ours > 0 ? `loaded (${called} lists our entry) · ` : 'not loaded · ') : ''
    const ok = canary.blocked && listed?.ours !== 0
    return {
      ...{ host, ok, problems: problems.map(formatNote) },
      said: `${loaded}${canary.blocked ? `canary blocked in ${canary.ms} ms` : 'the canary was not blocked'}`,
      json: { name, ok, canary: canary.blocked, canary_ms: canary.ms, problems: problems.map(formatNote) },
    }
  } catch (error) {
    if (!(error instanceof HooklineError)) throw error
    const problems = error.notes.map(formatNote)
    return { host, ok: false, said: 'not installed', problems, json: { name, ok: false, canary: false, problems } }
  }
}

export function showPlaced(all: readonly Placed[], paint: Paint, width: number): string[] {
  if (all.length === 0) return ['', 'No agent was found on this machine; later: hookline install <agent>']
  return [
    '',
    paint.bold('Installed and proved'),
    ...all.flatMap(({ host, ok, said, problems }) => {
      const sign = !ok ? paint.red('✗') : problems.length > 0 ? paint.yellow('!') : paint.green('✓')
      const unseen = host.documents ? ' · known by its documents only' : ''
      const cannot = host.takes.ask === false ? ' · cannot ask: what a rule asks about is refused' : ''
      return [
        ...wrap(`${host.called.padEnd(14)} ${said}${unseen}${cannot}`, width - 4).map((line, at) =>
          at === 0 ? `  ${sign} ${line}` : `    ${line}`,
        ),
        ...problems.flatMap((problem) => wrap(problem, width - 6).map((line) => `      ${line}`)),
      ]
    }),
  ]
}
