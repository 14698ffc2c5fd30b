import type { Readable, Writable } from 'node:stream'
import { type Link, type Message, messagesIn } from './message.ts'

/** A line longer than this is no message: what sends it is broken, or wants the memory of this process. */
const longestLine = 64 * 1024 * 1024

/**
 * JSON-RPC in lines, as MCP and ACP have it on stdin and stdout. What is no message is reported and left out; it never reaches the
 * other side, and ends nothing.
 */
export function lineLink(input: Readable, output: Writable, end?: () => Promise<void>): Link {
  let pending: Buffer[] = []
  let length = 0
  let closed = false

  const link: Link = {
    async start() {
      output.on('error', (error) => link.onerror?.(error))
      input.on('error', (error) => link.onerror?.(error))
      input.on('data', read)
      input.once('end', over)
      input.once('close', over)
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        if (closed || output.destroyed) return reject(new Error('the connection is closed'))
        output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
      }),
    async close() {
      input.off('data', read)
      // A standard input that is still read would keep the process alive, with nobody there to answer.
      input.pause()
      await end?.()
      over()
    },
  }
  return link

  function over(): void {
    if (closed) return
    closed = true
    link.onclose?.()
  }

  function read(chunk: Buffer): void {
    let rest = chunk
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      // Most lines come whole.
      if (pending.length === 0) take(rest.toString('utf8', 0, at))
      else take(Buffer.concat([...pending, rest.subarray(0, at)]).toString('utf8'))
      pending = []
      length = 0
      rest = rest.subarray(at + 1)
    }
    length += rest.length
    if (length <= longestLine) {
      if (rest.length > 0) pending.push(rest)
      return
    }
    pending = []
    link.onerror?.(new Error(`a line is longer than ${longestLine} bytes`))
    void link.close()
  }

  function take(line: string): void {
    if (line.trim() === '') return
    let messages: Message[]
    try {
      messages = messagesIn(line)
    } catch (error) {
      link.onerror?.(new Error(`${(error as Error).message}: ${JSON.stringify(line.slice(0, 200))}`))
      return
    }
    for (const message of messages) link.onmessage?.(message)
  }
}
