import { randomUUID } from 'node:crypto'
import { createAdaptorServer } from '@hono/node-server'
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Link } from 'hookline/internal'

export interface ListenOptions {
  host: string
  port: number
  /** Stands a guard between this client and the server; called for each client that connects. */
  connect(client: Link): Promise<{ closed: Promise<void>; close(): Promise<void> }>
}

export interface Listening {
  url: string
  close(): Promise<void>
}

const path = '/mcp'
/** More clients than this at once: something goes wrong. */
const mostClients = 100

/** Streamable HTTP, a connection to the server for each session. Only programs of this machine get in, and no web page. */
export async function listen({ host, port, connect }: ListenOptions): Promise<Listening> {
  const clients = new Map<string, { transport: WebStandardStreamableHTTPServerTransport; close(): Promise<void> }>()
  const server = createAdaptorServer({ fetch: (request: Request) => answer(request) })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address() as { port: number }
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}${path}`,
    async close() {
      await Promise.allSettled([...clients.values()].map((client) => client.close()))
      await new Promise((resolve) => {
        server.close(resolve)
        if ('closeAllConnections' in server) server.closeAllConnections()
      })
    },
  }

  async function answer(request: Request): Promise<Response> {
    const refused =
      hostHeaderValidationResponse(request, [...localhostAllowedHostnames(), host]) ??
      originValidationResponse(request, [...localhostAllowedOrigins(), host])
    if (refused) return refused
    if (new URL(request.url).pathname !== path) return new Response('Not found: MCP is at /mcp.\n', { status: 404 })
    const session = request.headers.get('mcp-session-id')
    const known = session === null ? undefined : clients.get(session)
    if (session !== null && !known) return new Response('There is no such session.\n', { status: 404 })
    if (known) return known.transport.handleRequest(request)
    if (clients.size >= mostClients) return new Response('Too many sessions are open.\n', { status: 503 })
    return begin(request)
  }

  async function begin(request: Request): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void clients.set(id, { transport, close: () => guard.close() }),
      onsessionclosed: () => guard.close(),
    })
    const guard = await connect(transport as unknown as Link)
    void guard.closed.then(() => {
      if (transport.sessionId !== undefined) clients.delete(transport.sessionId)
    })
    const response = await transport.handleRequest(request)
    // Whatever did not begin a session leaves nothing behind.
    if (transport.sessionId === undefined) await guard.close()
    return response
  }
}
