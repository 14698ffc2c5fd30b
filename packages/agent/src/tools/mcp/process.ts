import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client'
import { adopt, endWithHost, guardHost, markVariable, release, signalGroup, sweep } from 'hookline/internal'

export interface ServerCommand {
  command: string
  args: readonly string[]
  cwd: string
  env: Record<string, string>
}

const graceMs = 1_000
const mostDiagnostics = 2_000

/**
 * A server on stdin and stdout. The official transport leaves what the server started behind, and a server started by `npx` is such
 * a thing; here all of it is one process group, which also keeps the terminal's Ctrl+C from it.
 */
export function serverTransport({ command, args, cwd, env }: ServerCommand): Transport & { diagnostics(): string } {
  const buffer = new ReadBuffer()
  const mark = `mcp-${randomUUID()}`
  let child: ChildProcessByStdio<Writable, Readable, Readable> | undefined
  let ended: Promise<void> = Promise.resolve()
  let said = ''

  const transport: Transport & { diagnostics(): string } = {
    diagnostics: () => said.trim().split('\n').slice(-3).join(' '),
    start: () =>
      new Promise((resolve, reject) => {
        const started = spawn(command, args, {
          cwd,
          env: { ...env, [markVariable]: mark },
          detached: true,
          stdio: 'pipe',
        })
        started.once('error', reject)
        started.once('spawn', () => {
          child = started
          watch(started)
          resolve()
        })
      }),
    send: (message: JSONRPCMessage) =>
      new Promise((resolve, reject) => {
        if (!child) return reject(new Error('the server is not running'))
        child.stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()))
      }),
    async close() {
      child?.stdin.end()
      if (child?.pid !== undefined) end(child.pid)
      await ended
    },
  }
  return transport

  function watch(server: NonNullable<typeof child>): void {
    const leader = server.pid as number
    const unguard = guardHost()
    adopt(leader)
    const outlived = endWithHost(leader, mark)
    server.on('error', (error) => transport.onerror?.(error))
    server.stdin.on('error', (error) => transport.onerror?.(error))
    server.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-mostDiagnostics)
    })
    server.stdout.on('data', (chunk: Buffer) => {
      try {
        buffer.append(chunk)
        for (let message = buffer.readMessage(); message; message = buffer.readMessage()) transport.onmessage?.(message)
      } catch (error) {
        transport.onerror?.(error as Error)
      }
    })
    ended = new Promise((resolve) => {
      server.once('exit', () => {
        child = undefined
        sweep(leader, mark)
        release(leader)
        outlived()
        unguard()
        for (const stream of [server.stdin, server.stdout, server.stderr]) stream.destroy()
        transport.onclose?.()
        resolve()
      })
    })
  }

  /** It has lost its input; what does not end by that is ended. */
  function end(leader: number): void {
    const soon = setTimeout(() => signalGroup(leader, 'SIGTERM'), graceMs / 4)
    const late = setTimeout(() => signalGroup(leader, 'SIGKILL'), graceMs)
    ended.finally(() => {
      clearTimeout(soon)
      clearTimeout(late)
    })
  }
}
