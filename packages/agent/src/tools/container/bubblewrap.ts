import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { intoBash, type Kind, type Place } from './kind.ts'
import { shelterOf } from './shelter.ts'

/**
 * The machine as it is, read only, without the home directory, /tmp and /run (where sockets of daemons are); the workspace; no network.
 * Everything in it ends with it.
 */
export const bubblewrap: Kind = {
  probe: (place) => ({
    file: 'bwrap',
    args: [...walls(place), '--chdir', place.workspace, '--', '/bin/sh', '-c', ':'],
  }),
  start({ command, cwd, env, shows = [] }, place) {
    const seen = shows.flatMap(({ source, target, writable }) => [writable ? '--bind' : '--ro-bind', source, target])
    return {
      file: 'bwrap',
      args: [...walls(place), ...seen, '--chdir', cwd, '--', ...intoBash, command],
      env,
    }
  },
  says: 'It runs in a container: it can change files of the workspace except `.git` and those of hooks, and nothing else, and there is no network.',
  remedy:
    'Install bubblewrap (`apt install bubblewrap`) where user namespaces are allowed, or use `--sandbox=docker` or `--sandbox`.',
}

function walls(place: Place): string[] {
  const { workspace, home, path } = place
  const hidesHome = home !== '/' && home !== workspace
  // Programs that are installed at home, with what lies beside them.
  const programs = hidesHome ? path.split(':').filter((each) => each.startsWith(`${home}/`) && existsSync(each)) : []
  const kept = programs.map((each) => (dirname(each) === home ? each : dirname(each)))
  return [
    ...['--die-with-parent', '--new-session', '--unshare-all'],
    ...readdirSync('/').flatMap(readOnly),
    ...['--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--tmpfs', '/run'],
    ...(hidesHome ? ['--tmpfs', home] : []),
    ...[...new Set(kept)].flatMap((each) => ['--ro-bind', each, each]),
    ...['--bind', workspace, workspace],
    ...shelterOf(place).flatMap((each) => [each.writable ? '--bind' : '--ro-bind', each.path, each.path]),
  ]
}

const replaced = new Set(['dev', 'proc', 'tmp', 'run'])

/** One by one, and not the root as a whole: then other places can be made beside them. */
function readOnly(name: string): string[] {
  const path = `/${name}`
  if (replaced.has(name)) return []
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind-try', path, path]
}
