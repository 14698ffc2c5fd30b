import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { usable } from '../../src/cli/policy/follow.ts'
import { writeEnrolment } from '../../src/fleet/enrolment.ts'
import { fetchPolicy } from '../../src/fleet/follow.ts'
import { type FleetSettings, makeKey, makeRoot, publish, type Signer, sign } from '../../src/fleet/publish/index.ts'
import { sourceOf } from '../../src/fleet/source.ts'
import { missing, scratch } from './scratch.ts'

export const settings: FleetSettings = {
  ...{ mode: 'enforce', on_stale: 'keep', groups: {} },
  expires: { root: 365, policy: 365, freshness: 7 },
}

/** Somebody who writes policies: their directory, their keys, and what they can do with them. */
export function publisher(
  files: Record<string, string>,
  { policies = 1, threshold = policies }: { policies?: number; threshold?: number } = {},
) {
  const directory = scratch(files)
  mkdirSync(join(directory, 'keys'))
  let made = 0
  const key = (): Signer => makeKey(join(directory, 'keys', `${++made}.json`), undefined)
  const keys = { root: [key()], policy: Array.from({ length: policies }, key), online: key() }
  makeRoot(
    directory,
    { root: { signers: keys.root, threshold: 1 }, policy: { signers: keys.policy, threshold }, online: keys.online },
    settings,
  )
  const put = (more: Record<string, string>) => {
    for (const [path, text] of Object.entries(more)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      writeFileSync(join(directory, path), text)
    }
  }
  const release = (changed: Record<string, string> = {}, decided: Partial<FleetSettings> = {}) => {
    put(changed)
    const all = { ...settings, ...decided }
    sign(directory, all, [...keys.policy, ...keys.root])
    return publish(directory, all, [keys.online])
  }
  return { directory, repository: join(directory, 'repository'), keys, key, put, release }
}

/** A machine that fetches from plain files. */
export function machine(repository: string, more: { group?: string; root?: string } = {}) {
  const data = scratch({})
  const directory = join(data, 'hookline', 'fleet')
  const group = more.group ?? 'default'
  const enrol = (now: string) =>
    writeEnrolment(directory, {
      ...{
        version: 1,
        server: 'https://hooks.example.com',
        machine: 'm_1',
        name: 'anna',
        enrolled: '2026-01-01T00:00:00Z',
      },
      ...{ group: now, policy: pathToFileURL(repository).href, ...(more.root !== undefined && { root: more.root }) },
    })
  enrol(group)
  return {
    data,
    directory,
    join: enrol,
    managed: missing(),
    fetch: () => fetchPolicy(directory, sourceOf(directory), usable),
  }
}
