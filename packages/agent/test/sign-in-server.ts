import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { serve } from '../../hookline/test/executors/http-server.ts'

/** An MCP server that wants to know who asks, with the authorization server that knows them. */
export interface GuardedServer {
  url: string
  /** What was asked of it, in order: `register`, `authorize`, `token authorization_code`, `token refresh_token`, `call`. */
  seen: string[]
  /** Tokens given so far count no more; of `all`, those to renew them neither. */
  expire(what: 'access' | 'all'): void
  /** Whoever signs in from now on is refused. */
  refuse(): void
}

export async function guardedServer({ registers = true } = {}): Promise<GuardedServer> {
  const seen: string[] = []
  const clients = new Map<string, string[]>([['known-client', []]])
  const codes = new Map<string, { client: string; challenge: string; redirect: string }>()
  const [access, refresh] = [new Set<string>(), new Set<string>()]
  let refuses = false
  let base = ''

  const routes: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => unknown>> = {
    '/.well-known/oauth-protected-resource/mcp': (_, response) =>
      json(response, { resource: `${base}/mcp`, authorization_servers: [base] }),
    '/.well-known/oauth-authorization-server': (_, response) =>
      json(response, {
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        ...(registers ? { registration_endpoint: `${base}/register` } : {}),
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      }),
    async '/register'(request, response) {
      seen.push('register')
      const asked = JSON.parse(await bodyOf(request))
      const client_id = randomUUID()
      clients.set(client_id, asked.redirect_uris)
      json(response, { ...asked, client_id }, 201)
    },
    '/authorize'({ url = '' }, response) {
      seen.push('authorize')
      const asked = new URL(url, base).searchParams
      const [client = '', redirect = ''] = [asked.get('client_id') ?? '', asked.get('redirect_uri') ?? '']
      const registered = clients.get(client)
      if (!registered || (registered.length > 0 && !registered.includes(redirect))) return json(response, {}, 400)
      const back = new URL(redirect)
      back.searchParams.set('state', asked.get('state') ?? '')
      if (refuses) back.searchParams.set('error', 'access_denied')
      else {
        const code = randomUUID()
        codes.set(code, { client, challenge: asked.get('code_challenge') ?? '', redirect })
        back.searchParams.set('code', code)
      }
      response.writeHead(302, { location: back.href }).end()
    },
    async '/token'(request, response) {
      const asked = new URLSearchParams(await bodyOf(request))
      const grant = asked.get('grant_type') ?? ''
      seen.push(`token ${grant}`)
      if (grant === 'refresh_token' && !refresh.delete(asked.get('refresh_token') ?? ''))
        return json(response, { error: 'invalid_grant' }, 400)
      if (grant === 'authorization_code') {
        const given = codes.get(asked.get('code') ?? '')
        const proof = createHash('sha256')
          .update(asked.get('code_verifier') ?? '')
          .digest('base64url')
        const isRight = given?.challenge === proof && given.redirect === asked.get('redirect_uri')
        if (!isRight || !codes.delete(asked.get('code') ?? '')) return json(response, { error: 'invalid_grant' }, 400)
      }
      const [access_token, refresh_token] = [randomUUID(), randomUUID()]
      access.add(access_token)
      refresh.add(refresh_token)
      json(response, { access_token, refresh_token, token_type: 'Bearer', expires_in: 3600 })
    },
    async '/mcp'(request, response) {
      const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
      if (!access.has(token)) {
        const metadata = `${base}/.well-known/oauth-protected-resource/mcp`
        return response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end()
      }
      if (request.method !== 'POST') return response.writeHead(405).end()
      const { id, method, params } = JSON.parse(await bodyOf(request))
      if (id === undefined) return response.writeHead(202).end()
      if (method === 'tools/call') seen.push('call')
      json(response, { jsonrpc: '2.0', id, ...answerTo(method, params) })
    },
  }

  const port = await serve((request, response) => {
    const route = routes[new URL(request.url ?? '/', 'http://localhost').pathname]
    if (route) void route(request, response)
    else response.writeHead(404).end()
  })
  base = `http://127.0.0.1:${port}`
  return {
    url: `${base}/mcp`,
    seen,
    expire(what) {
      access.clear()
      if (what === 'all') refresh.clear()
    },
    refuse() {
      refuses = true
    },
  }
}

/** A picture of one pixel. */
export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

function answerTo(method: string, params: Record<string, unknown>): object {
  const tools = ['whoami', 'portrait'].map((name) => ({ name, inputSchema: { type: 'object' } }))
  if (method === 'initialize')
    return {
      result: {
        protocolVersion: params['protocolVersion'],
        capabilities: { tools: {} },
        serverInfo: { name: 'guarded', version: '1' },
      },
    }
  if (method === 'tools/list') return { result: { tools } }
  if (method !== 'tools/call') return { error: { code: -32_601, message: 'no such method' } }
  const text = { type: 'text', text: 'You are Ada.' }
  const image = { type: 'image', mimeType: 'image/png', data: pixel }
  return { result: { content: params['name'] === 'portrait' ? [text, image] : [text] } }
}

function json(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
