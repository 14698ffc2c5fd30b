import { fstatSync, readSync, writeSync } from 'node:fs'

/**
 * Standard input and output by their descriptors: making Node's streams of them costs a start three milliseconds, which
 * a host pays for every call. Whatever a descriptor does not do at once, the stream does.
 */
export async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(64 * 1024)
      const length = readSync(0, chunk)
      if (length === 0) break
      chunks.push(chunk.subarray(0, length))
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EOF')
      for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array))
  }
  return Buffer.concat(chunks).toString('utf8')
}

let listening = false

/** A reader that went away (`| head`) is not an error of ours. */
export function outputStream(): NodeJS.WriteStream {
  if (!listening)
    process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  listening = true
  return process.stdout
}

/** What a person may look at. A terminal is a character device; whatever is none can be known without its stream. */
export const screen = (): Pick<NodeJS.WriteStream, 'isTTY' | 'columns'> | Record<string, never> =>
  fstatSync(1).isCharacterDevice() ? outputStream() : {}

export const print = (text: string): void => writeTo(1, text, outputStream)
export const printError = (text: string): void => writeTo(2, text, () => process.stderr)

function writeTo(descriptor: number, text: string, stream: () => NodeJS.WriteStream): void {
  const bytes = Buffer.from(text)
  let written = 0
  try {
    while (written < bytes.length) written += writeSync(descriptor, bytes, written)
  } catch {
    stream().write(bytes.subarray(written))
  }
}
