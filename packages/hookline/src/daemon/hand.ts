import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What somebody wants of the daemon behind that socket, to the word: `stop`, or a question and its answer. */
export interface Wish {
  socket: string
  about: string
}

/**
 * Node does not say who is at the other end of a socket. So whoever wants what not everybody may have holds a file open
 * meanwhile, named after what it is: that shows which process it is, and nothing else can be made of it.
 */
const fileFor = ({ socket, about }: Wish): string =>
  join(dirname(socket), `${createHash('sha256').update(about).digest('hex').slice(0, 24)}.hand`)

export async function withRaisedHand<T>(wish: Wish, work: () => Promise<T>): Promise<T> {
  const file = fileFor(wish)
  const descriptor = openSync(file, 'w', 0o600)
  try {
    return await work()
  } finally {
    closeSync(descriptor)
    rmSync(file, { force: true })
  }
}

/** Where the system shows no files of processes, what the other end says of itself has to do. */
export function raisesHand(pid: number, wish: Wish): boolean {
  if (process.platform !== 'linux') return true
  try {
    const file = realpathSync(fileFor(wish))
    const descriptors = `/proc/${pid}/fd`
    return readdirSync(descriptors).some((each) => linkAt(join(descriptors, each)) === file)
  } catch {
    return false
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
