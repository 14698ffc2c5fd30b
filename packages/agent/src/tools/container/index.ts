import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { HooklineError, homeDirectory, type Job, note, type Outcome } from 'hookline/internal'
import { bubblewrap } from './bubblewrap.ts'
import { docker } from './docker.ts'
import { runJob } from './job.ts'
import type { Inside, Kind, Place, Started } from './kind.ts'

export type { Started } from './kind.ts'

export const containers: Readonly<Record<string, Kind>> = { bwrap: bubblewrap, docker }

/** Commands of a session run in here: the workspace is shared, the rest of the machine is out of their reach. */
export interface Container {
  readonly says: string
  start(inside: Inside): Started
  /** A script of a hook that its system runs in a sandbox. */
  run(job: Job, signal: AbortSignal): Promise<Outcome>
}

/**
 * Throws where there is no such container, with what to do. `named`: `bwrap`, `docker`, or `docker:image`. `sheltered`: files that
 * commands must not change, such as those of hooks.
 */
export async function openContainer(named: string, cwd: string, sheltered: readonly string[] = []): Promise<Container> {
  const [name = '', ...rest] = named.split(':')
  const kind = Object.hasOwn(containers, name) ? containers[name] : undefined
  if (!kind)
    throw new HooklineError(
      note('sandbox-unknown', { name, known: ['virtual', ...Object.keys(containers)].join(', ') }),
    )
  const workspace = await realpath(cwd)
  const place: Place = {
    workspace,
    sheltered: sheltered.map((path) => join(workspace, relative(cwd, path))),
    home: homeDirectory(),
    path: process.env['PATH'] ?? '',
    detail: rest.join(':'),
  }
  const { file, args } = kind.probe(place)
  await promisify(execFile)(file, args, { timeout: probeMs }).catch((error: Error & { stderr?: string }) => {
    const detail = (error.stderr || error.message).trim().split('\n').slice(-2).join(' ')
    throw new HooklineError(note('sandbox-unavailable', { name, detail, remedy: kind.remedy }))
  })
  const start = (inside: Inside) => kind.start(inside, place)
  return { says: kind.says, start, run: (job, signal) => runJob(job, place.workspace, start, signal) }
}

const probeMs = 20_000
