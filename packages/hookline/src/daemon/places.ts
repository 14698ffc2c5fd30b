import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dataDirectory, makeDirectory } from '../platform/index.ts'

/** Systems take no longer path for a socket: 104 bytes on macOS, 108 on Linux, the end included. */
const longestSocket = 100

/** The socket of the user's one daemon. Where the data directory is too deep for one, in a directory of its own in /tmp. */
export function socketPath(data = dataDirectory()): string {
  const usual = join(data, 'run', 'daemon.sock')
  if (Buffer.byteLength(usual) <= longestSocket) return usual
  const name = createHash('sha256').update(data).digest('hex').slice(0, 16)
  return `/tmp/hookline-${process.getuid?.() ?? 0}-${name}/daemon.sock`
}

/** Makes the directory of the socket, for its user alone. Throws where it is anybody else's: then nobody may listen there. */
export function makeSocketDirectory(socket: string): string {
  const directory = dirname(socket)
  makeDirectory(directory)
  const stats = lstatSync(directory)
  const own = process.getuid?.()
  if (!stats.isDirectory() || (own !== undefined && stats.uid !== own) || (stats.mode & 0o077) !== 0)
    throw new Error(`${directory} is not a directory of this user alone.`)
  return directory
}
