import {
  Client,
  type Tool as McpTool,
  SdkHttpError,
  type Transport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { HookFailure, note, version } from 'hookline/internal'
import { ToolFailure } from '../define.ts'
import type { World } from '../toolset.ts'

export interface ServerOptions {
  name: string
  transport(): Transport & { diagnostics?(): string }
  startMs: number
  tell: World['tell']
}

/** A server that is connected when it is needed: one that died is started again by the next call. */
export interface Server {
  readonly name: string
  /** As the server last said. */
  readonly tools: readonly McpTool[]
  client(): Promise<Client>
  close(): Promise<void>
}

/** Connects at once, and throws `ToolFailure` when that does not work. */
export async function connect(options: ServerOptions): Promise<Server> {
  const { name, tell } = options
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
      current ??= open().catch((error) => {
        current = undefined
        throw error
      })
      return current
    },
    async close() {
      closed = true
      const client = await current?.catch(() => undefined)
      await client?.close().catch(() => {})
    },
  }
  await server.client()
  return server

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
      throw new ToolFailure(`The MCP server ${name} did not answer: ${describe(error, transport)}`)
    }
    client.onclose = () => {
      current = undefined
      if (!closed) tell(note('mcp-server-lost', { server: name, detail: describe(new Error('it ended.'), transport) }))
    }
    return client
  }
}

function describe(error: unknown, transport: { diagnostics?(): string }): string {
  const said = transport.diagnostics?.() ?? ''
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  const advice = error instanceof HookFailure && error.remedy ? ` ${error.remedy}` : ''
  const message = isLockedOut(error) ? lockedOut : (error instanceof Error ? error.message : String(error)) + advice
  return said === '' ? message + cause : `${message}${cause} It said: ${said}`
}

const isLockedOut = (error: unknown): boolean =>
  error instanceof UnauthorizedError || (error instanceof SdkHttpError && [401, 403].includes(error.status))

const lockedOut =
  'it wants to know who asks. Name a key in `remote.headers`, such as `Authorization: Bearer $TOKEN`; signing in with a browser is not done here.'
