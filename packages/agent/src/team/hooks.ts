import type { Team } from '../team.ts'

/**
 * What a team says of hooks, as a document of docker-agent: its dialect knows which hooks the flags stand for, and
 * which are always there. For a team that was read from a file, give the file itself to whoever loads hooks: then
 * every hook has its place, and is trusted by its own bytes.
 */
export function hooksOf({ agents, snapshot }: Pick<Team, 'agents' | 'snapshot'>): Record<string, unknown> {
  const written = Object.values(agents).map(({ name, hooks }) => [name, hooks])
  return { agents: Object.fromEntries(written), ...(snapshot ? { settings: { snapshot: true } } : {}) }
}
