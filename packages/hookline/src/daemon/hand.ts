import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Node does not say who is at the other end of a socket. So whoever answers a question holds a file open meanwhile, named
 * after the question and the answer: that shows which process it is, and no other answer can be made of it.
 */
const fileFor = (socket: string, question: string, answer: string): string =>
  join(dirname(socket), `${createHash('sha256').update(`${question}\n${answer}`).digest('hex').slice(0, 24)}.hand`)

export async function withRaisedHand<T>(
  { socket, question, answer }: { socket: string; question: string; answer: string },
  work: () => Promise<T>,
): Promise<T> {
  const file = fileFor(socket, question, answer)
  const descriptor = openSync(file, 'w', 0o600)
  try {
    return await work()
  } finally {
    closeSync(descriptor)
    rmSync(file, { force: true })
  }
}

/** Where the system shows no files of processes, what the other end says of itself has to do. */
export function raisesHand(
  pid: number,
  { socket, question, answer }: { socket: string; question: string; answer: string },
): boolean {
  if (process.platform !== 'linux') return true
  try {
    const file = realpathSync(fileFor(socket, question, answer))
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
