import { spawn } from 'node:child_process'
import type { ExecOptions, Executed, KitRequest } from '../../core/index.ts'
import { admit, type Connections, createConnections, systemResolve } from '../../platform/http/index.ts'
import { pipesOnly } from '../../platform/index.ts'

/** What builtins do outside this process: run programs and send requests. */
export interface Outside {
  exec: typeof exec
  send(request: KitRequest, signal: AbortSignal): Promise<{ status: number; body: string }>
  close(): void
}

export function openOutside(): Outside {
  const connections = createConnections()
  return {
    exec,
    send: (request, signal) => send(request, signal, connections),
    close: () => connections.close(),
  }
}

const answerLimit = 64 * 1024

async function send(
  request: KitRequest,
  signal: AbortSignal,
  connections: Connections,
): Promise<{ status: number; body: string }> {
  const url = new URL(request.url)
  const allowLocal = request.allowLocal === true
  const addresses = await admit(url, { resolve: systemResolve, allowLocal, signal })
  const body = request.body
  const headers = {
    'user-agent': 'hookline',
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    ...request.headers,
  }
  const method = request.method ?? (body === undefined ? 'GET' : 'POST')
  const sent = { url, addresses, method, headers, limit: answerLimit, signal, ...(body === undefined ? {} : { body }) }
  const answer = await connections.exchange(sent, allowLocal)
  return { status: answer.status, body: answer.body.toString('utf8') }
}

const execLimit = 1024 * 1024

/** Runs a program without a shell, in a process group of its own that ends with the signal or with too much output. */
export function exec(
  program: string,
  args: readonly string[],
  options: ExecOptions & { env: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Executed | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: options.cwd, env: options.env, detached: true, stdio: pipesOnly() })
    let truncated = false
    const kill = (): void => {
      if (child.pid !== undefined) killGroup(child.pid)
    }
    const collect = (stream: NodeJS.ReadableStream): Buffer[] => {
      const chunks: Buffer[] = []
      let left = options.outputLimit ?? execLimit
      stream.on('data', (chunk: Buffer) => {
        if (left > 0) chunks.push(chunk.subarray(0, left))
        left -= chunk.length
        if (left >= 0 || truncated) return
        truncated = true
        kill()
      })
      return chunks
    }
    const stdout = collect(child.stdout)
    const stderr = collect(child.stderr)
    const settle = (executed: Executed | undefined): void => {
      signal.removeEventListener('abort', kill)
      resolve(executed)
    }
    signal.addEventListener('abort', kill)
    child.on('error', () => settle(undefined))
    // Whatever the program left behind must not keep its output open, nor live on.
    child.on('exit', kill)
    child.on('close', (code) => settle({ exit: code ?? -1, stdout: textOf(stdout), stderr: textOf(stderr), truncated }))
    child.stdin.on('error', () => {}) // a program that does not read its input closes it
    child.stdin.end(options.input)
  })
}

/** A character cut in two at the limit is left out. */
const textOf = (chunks: readonly Buffer[]): string =>
  new TextDecoder().decode(Buffer.concat(chunks), { stream: true }).replaceAll('\r\n', '\n')

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
