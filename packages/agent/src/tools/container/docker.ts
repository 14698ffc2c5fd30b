import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { intoBash, type Kind } from './kind.ts'
import { shelterOf } from './shelter.ts'

const usualImage = 'debian:stable-slim'

/** A container of its own for each command, with the workspace at its usual place, the user's own id, and no network. */
export const docker: Kind = {
  probe: () => ({ file: 'docker', args: ['version', '--format', '{{.Server.Version}}'] }),
  start({ command, cwd, env, shows = [] }, place) {
    const { workspace, detail } = place
    const name = `hookline-${randomUUID()}`
    const ids = process.getuid && process.getgid ? ['--user', `${process.getuid()}:${process.getgid()}`] : []
    const own = [{ path: workspace, writable: true }, ...shelterOf(place)]
    const places = [...own.map(({ path, writable }) => ({ source: path, target: path, writable })), ...shows]
    const mounts = places.flatMap(({ source, target, writable }) => [
      '--mount',
      ['type=bind', `source=${source}`, `target=${target}`, ...(writable ? [] : ['readonly'])].map(field).join(','),
    ])
    // Names only: values stay out of the list of processes. What belongs to this machine means nothing there.
    const variables = Object.keys(env)
      .filter((each) => !ofMachine.test(each))
      .flatMap((each) => ['--env', each])
    return {
      file: 'docker',
      args: [
        ...['run', '--rm', '--init', '--name', name, '--network', 'none', '--cap-drop', 'ALL'],
        ...['--security-opt', 'no-new-privileges', ...ids, ...mounts, ...variables, '--workdir', cwd],
        ...[detail || usualImage, ...intoBash, command],
      ],
      env,
      end: () =>
        void spawn('docker', ['kill', name], { stdio: 'ignore', detached: true })
          .on('error', () => {})
          .unref(),
    }
  },
  says: 'It runs in a container of its own image: it can change files of the workspace except `.git` and those of hooks, and nothing else, and there is no network.',
  remedy: 'Start the Docker daemon, or use `--sandbox=bwrap` or `--sandbox`.',
}

/** `--mount` is read as a line of CSV (docs.docker.com/reference/cli/docker/container/run). */
const field = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const ofMachine =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|PWD|OLDPWD|TMPDIR|HOSTNAME|DISPLAY|WAYLAND_DISPLAY|XDG_.*|SSH_.*|DOCKER_.*|NODE_.*|LD_.*|_)$/
