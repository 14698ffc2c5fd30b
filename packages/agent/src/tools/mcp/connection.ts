import {
  Client,
  type JSONRPCMessage,
  type Tool as McpTool,
  ReadBuffer,
  SdkHttpError,
  serializeMessage,
  type Transport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { HookFailure, note, type ServerCommand, type ServerProcess, startServer, version } from 'hookline/internal'
import { ToolFailure } from '../../core/index.ts'
import type { ToolsetContext } from '../define.ts'
import type { Account } from './sign-in.ts'

export interface ServerOptions {
  name: string
  transport(): Transport & { diagnostics?(): string }
  startMs: number
  /** For a server that may want to know who asks. */
  account?: Account
  warn: ToolsetContext['warn']
}

/** A server that is connected when it is needed: one that died is started again by the next call. */
export interface Server {
  readonly name: string
  /** As the server last listed them. */
  readonly tools: readonly McpTool[]
  client(): Promise<Client>
  /** Does it with the client; if the server does not know the user any more, once again after they have signed in. */
  use<T>(work: (client: Client) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Connects at once, and throws `ToolFailure` when that does not work. */
export async function connect(options: ServerOptions): Promise<Server> {
  const { name, warn } = options
  let tools: readonly McpTool[] = []
  let current: Promise<Client> | undefined
  let closed = false

  const server: Server = {
    name,
    get tools() {
      return tools
    },
    client() {
      if (closed) throw new ToolFailure(`The MCP server ${name} is closed.`)
      current ??= signedIn(open).catch((error) => {
        current = undefined
        throw error
      })
      return current
    },
    use: (work) => signedIn(async () => work(await server.client())),
    async close() {
      closed = true
      const client = await current?.catch(() => undefined)
      await client?.close().catch(() => {})
    },
  }
  await server.client()
  return server

  async function signedIn<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || !options.account) throw error
      await options.account.renew().catch((reason: Error) => {
        throw new ToolFailure(`The MCP server ${name} did not answer: ${reason.message}`)
      })
      return work()
    }
  }

  async function open(): Promise<Client> {
    const transport = options.transport()
    const onChanged = (_error: Error | null, changed: readonly McpTool[] | null) => {
      tools = changed ?? tools
    }
    const client = new Client({ name: 'hookline', version: version() }, { listChanged: { tools: { onChanged } } })
    try {
      await client.connect(transport, { timeout: options.startMs })
      tools = (await client.listTools({}, { timeout: options.startMs })).tools
    } catch (error) {
      await client.close().catch(() => {})
      if (error instanceof UnauthorizedError && options.account) throw error
      throw new ToolFailure(`The MCP server ${name} did not answer: ${describe(error, transport)}`)
    }
    client.onclose = () => {
      current = undefined
      if (!closed) warn(note('mcp-server-lost', { server: name, detail: describe(new Error('it ended.'), transport) }))
    }
    return client
  }
}

function describe(error: unknown, transport: { diagnostics?(): string }): string {
  const diagnostics = transport.diagnostics?.() ?? ''
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  const advice = error instanceof HookFailure && error.remedy ? ` ${error.remedy}` : ''
  const message = isLockedOut(error) ? lockedOut : (error instanceof Error ? error.message : String(error)) + advice
  return diagnostics === '' ? message + cause : `${message}${cause} It printed: ${diagnostics}`
}

const isLockedOut = (error: unknown): boolean =>
  error instanceof UnauthorizedError || (error instanceof SdkHttpError && [401, 403].includes(error.status))

const lockedOut =
  'it wants to know who asks, and refuses the key it got. See `remote.headers`, or leave `Authorization` out of them to sign in with a browser.'

const mostDiagnostics = 2_000

/**
 * A server on stdin and stdout. The official transport leaves what the server started behind, and a server started by `npx` is such
 * a thing; here all of it ends.
 */
export function serverTransport(command: ServerCommand): Transport & { diagnostics(): string } {
  const buffer = new ReadBuffer()
  let server: ServerProcess | undefined
  let diagnostics = ''

  const transport: Transport & { diagnostics(): string } = {
    diagnostics: () => diagnostics.trim().split('\n').slice(-3).join(' '),
    async start() {
      server = await startServer(command)
      watch(server)
    },
    send: (message: JSONRPCMessage) =>
      new Promise((resolve, reject) => {
        if (!server) return reject(new Error('the server is not running'))
        server.stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()))
      }),
    close: async () => server?.stop(),
  }
  return transport

  function watch(started: ServerProcess): void {
    started.on('error', (error) => transport.onerror?.(error))
    started.stdin.on('error', (error) => transport.onerror?.(error))
    started.stderr.on('data', (chunk: Buffer) => {
      diagnostics = (diagnostics + chunk.toString()).slice(-mostDiagnostics)
    })
    started.stdout.on('data', (chunk: Buffer) => {
      try {
        buffer.append(chunk)
        for (let message = buffer.readMessage(); message; message = buffer.readMessage()) transport.onmessage?.(message)
      } catch (error) {
        transport.onerror?.(error as Error)
      }
    })
    void started.ended.then(() => {
      server = undefined
      transport.onclose?.()
    })
  }
}
