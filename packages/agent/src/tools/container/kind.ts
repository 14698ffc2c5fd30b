/** Something to run in a container. */
export interface Inside {
  command: string
  cwd: string
  env: Record<string, string>
  /** Files and directories of the machine that it sees besides, at these places. */
  shows?: readonly { source: string; target: string; writable?: boolean }[]
}

/** How that is started from outside. */
export interface Started {
  file: string
  args: string[]
  env: Record<string, string>
  /** What ending the program outside would leave running. */
  end?(): void
}

/** A kind of container: how a command line is put into one. One file each. */
export interface Kind {
  /** Whether it works here, as a command that does nothing. */
  probe(place: Place): { file: string; args: string[] }
  start(inside: Inside, place: Place): Started
  /** For the model: what commands can do there. */
  says: string
  /** What to do where it does not work. */
  remedy: string
}

export interface Place {
  /** The workspace: the one thing that commands can change. */
  workspace: string
  /** Files in it that hooks are read from: those they cannot. */
  sheltered: readonly string[]
  home: string
  path: string
  /** What follows the kind: of docker, the image. */
  detail: string
}

/** Runs the command line behind it in the language that the guards read, where that is installed. */
export const intoBash: readonly string[] = [
  ...['/bin/sh', '-c', 'if command -v bash >/dev/null; then exec bash -c "$1"; else eval "$1"; fi', 'sh'],
]
