import type { Check, Follower } from '../../fleet/fetch/index.ts'
import { fleetDirectory } from '../../fleet/index.ts'
import { createHooks } from '../../hooks/index.ts'

/**
 * Keeps the policy of this machine up to date; undefined where it is enrolled nowhere, or where only root can: then root's
 * daemon does it, and what it fetches counts here as soon as it is there.
 */
export async function followFleet(log: (line: string) => void): Promise<Follower | undefined> {
  const directory = fleetDirectory()
  if (directory === undefined) return undefined
  const { followPolicy, mayFetch } = await import('../../fleet/fetch/index.ts')
  return mayFetch(directory) ? followPolicy(directory, usable, log) : undefined
}

/** Whether all of a policy can be read and used by this version, without running any of it. */
export const usable: Check = async (file) => {
  const hooks = await createHooks({
    files: [{ file, layer: 'session', dialect: 'native' }],
    strict: true,
    sealed: true,
    journal: false,
  })
  await hooks.close()
}
