import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Who signs in next, and how the provider misbehaves. */
export interface Visitor {
  claims: Record<string, unknown>
  /** Only in the answer to who asks with the access token. */
  userinfo?: Record<string, unknown>
  /** Claims that replace those of an honest token. */
  forged?: Record<string, unknown>
  /** Signed by somebody else. */
  isForeign?: boolean
}

/** A small OpenID provider: it lets everybody in at once, as `next` says, and holds clients to PKCE. */
export async function openProvider(clientId: string, clientSecret: string) {
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const codes = new Map<string, { challenge: string; nonce: string; redirect: string; visitor: Visitor }>()
  const state = { next: { claims: { sub: 'ann' } } as Visitor, asked: [] as URLSearchParams[] }
  const server = createServer((request, response) => {
    const answer = (body: object, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    void respond(request, answer, (location) => response.writeHead(302, { location }).end()).catch((error: Error) =>
      answer({ error: 'invalid_request', error_description: error.message }, 400),
    )
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function respond(
    request: IncomingMessage,
    answer: (body: object, status?: number) => unknown,
    redirect: (to: string) => unknown,
  ): Promise<unknown> {
    const { pathname, searchParams: query } = new URL(request.url!, issuer)
    if (pathname === '/.well-known/openid-configuration')
      return answer({
        ...{ issuer, jwks_uri: `${issuer}/jwks`, authorization_endpoint: `${issuer}/authorize` },
        ...{ token_endpoint: `${issuer}/token`, userinfo_endpoint: `${issuer}/userinfo` },
        ...{ response_types_supported: ['code'], subject_types_supported: ['public'] },
        ...{ id_token_signing_alg_values_supported: ['RS256'], code_challenge_methods_supported: ['S256'] },
      })
    if (pathname === '/jwks')
      return answer({ keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'RS256' }] })
    if (pathname === '/authorize') {
      state.asked.push(query)
      const code = randomUUID()
      const [challenge, nonce, redirectTo] = ['code_challenge', 'nonce', 'redirect_uri'].map((name) => query.get(name)!)
      codes.set(code, { challenge: challenge!, nonce: nonce!, redirect: redirectTo!, visitor: state.next })
      return redirect(`${redirectTo}?${new URLSearchParams({ code, state: query.get('state')!, iss: issuer })}`)
    }
    if (pathname === '/token') {
      const given = new URLSearchParams(await textOf(request))
      const code = codes.get(given.get('code') ?? '')
      codes.delete(given.get('code') ?? '')
      const challenge = createHash('sha256')
        .update(given.get('code_verifier') ?? '')
        .digest('base64url')
      const isClient = given.get('client_id') === clientId && given.get('client_secret') === clientSecret
      if (!code || !isClient || challenge !== code.challenge || given.get('redirect_uri') !== code.redirect)
        return answer({ error: 'invalid_grant' }, 400)
      const now = Math.floor(Date.now() / 1000)
      const claims = {
        ...{ iss: issuer, aud: clientId, iat: now, exp: now + 60, auth_time: now, nonce: code.nonce },
        ...{ ...code.visitor.claims, ...code.visitor.forged },
      }
      const key = code.visitor.isForeign ? foreign.privateKey : own.privateKey
      tokens.set('an-access-token', { sub: code.visitor.claims['sub'], ...code.visitor.userinfo })
      return answer({ access_token: 'an-access-token', token_type: 'Bearer', id_token: signed(claims, key) })
    }
    if (pathname === '/userinfo')
      return answer(tokens.get(request.headers.authorization?.replace(/^bearer /i, '') ?? '') ?? {})
    return answer({}, 404)
  }
  const tokens = new Map<string, object>()
  return { ...{ issuer, state }, close: () => server.close() }
}

function signed(claims: object, key: Parameters<typeof sign>[2]): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'RS256', kid: 'k1' })}.${part(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
