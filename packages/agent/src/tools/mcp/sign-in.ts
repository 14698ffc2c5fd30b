import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { auth, type FetchLike, type OAuthClientProvider, type OAuthDiscoveryState } from '@modelcontextprotocol/client'
import * as z from 'zod/mini'
import { ToolFailure } from '../../core/index.ts'
import { awaitCallback, callbackPath } from './callback.ts'
import { type Kept, readKept, writeKept } from './kept.ts'

/** Where accounts at MCP servers are kept, and how a person comes to sign in. */
export interface SignIn {
  /** Tokens lie here, each in a file that only the user can read. */
  directory: string
  /** Shows a person where to sign in. Absent: nobody is there, and a server that wants a sign-in is a warning. */
  invite?(invitation: Invitation): void
}

export interface Invitation {
  server: string
  /** To be opened in a browser. */
  url: string
  /** Where the browser comes back to, on this machine. */
  port: number
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: it is docker-agent's
const portName = '${callbackPort}'

/** docker-agent's `remote.oauth`, for servers at which no client can register itself. */
export const oauthOptions = z.strictObject({
  clientId: z.string().check(z.describe('The client that was registered with the server.')),
  clientSecret: z.optional(z.string().check(z.describe('Its secret, from the environment: `$NAME`.'))),
  callbackPort: z.optional(z.int().check(z.gte(1), z.lte(65_535))),
  callbackRedirectURL: z.optional(
    z.string().check(z.describe(`The address that is registered instead; \`${portName}\` is put in.`)),
  ),
  scopes: z.optional(z.array(z.string())),
})
export type OAuthOptions = z.infer<typeof oauthOptions>

/** The user's account at one server: what requests carry, and signing in when they carry too little. */
export interface Account {
  provider: OAuthClientProvider
  /** After a request was refused: waits until the person has signed in. Throws `ToolFailure` when nobody does. */
  renew(): Promise<void>
  close(): void
}

export interface AccountOptions {
  server: string
  url: URL
  oauth: OAuthOptions | undefined
  /** The one that guards all requests of the toolset. */
  fetch: FetchLike
}

const patienceMs = 5 * 60_000

/** Of several agents that use one server, one asks the person, and the others wait for it. */
const pending = new Map<string, Promise<void>>()

export async function openAccount({ server, url, oauth, fetch }: AccountOptions, signIn: SignIn): Promise<Account> {
  const file = join(signIn.directory, `${createHash('sha256').update(url.href).digest('hex').slice(0, 32)}.json`)
  const port = oauth?.callbackPort ?? readKept(file).port ?? (await freePort())
  const redirect = redirectOf(oauth, port)
  const scope = oauth?.scopes?.join(' ')
  const closing = new AbortController()
  let wanted: { url: URL; state: string } | undefined
  let [state, verifier] = ['', '']
  let discovery: OAuthDiscoveryState | undefined

  const keep = (change: Kept) => writeKept(file, { url: url.href, ...readKept(file), port, ...change })

  const provider: OAuthClientProvider = {
    redirectUrl: redirect,
    clientMetadata: {
      client_name: 'Hookline',
      redirect_uris: [redirect],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: oauth?.clientSecret === undefined ? 'none' : 'client_secret_post',
      ...(scope === undefined ? {} : { scope }),
    },
    state() {
      state = randomBytes(24).toString('base64url')
      return state
    },
    clientInformation(context) {
      const { clientId, clientSecret } = oauth ?? {}
      if (clientId !== undefined)
        return { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }), ...context }
      const { client } = readKept(file)
      // To register a client that nobody will sign in with helps nobody.
      if (!client && !signIn.invite) throw new ToolFailure(nobodyHere)
      return client
    },
    saveClientInformation: (client) => (oauth ? undefined : keep({ client })),
    // Another process may have renewed them meanwhile.
    tokens: () => readKept(file).tokens,
    saveTokens: (tokens) => keep({ tokens }),
    redirectToAuthorization(to) {
      if (!/^https?:$/.test(to.protocol))
        throw new ToolFailure(`it wants you to sign in at ${to.protocol}, not at https.`)
      wanted = { url: to, state }
    },
    saveCodeVerifier(next) {
      verifier = next
    },
    codeVerifier: () => verifier,
    saveDiscoveryState(next) {
      discovery = next
    },
    discoveryState: () => discovery,
    invalidateCredentials(what) {
      if (what === 'all' || what === 'discovery') discovery = undefined
      if (what === 'all' || what === 'client') keep({ client: undefined })
      if (what === 'all' || what === 'tokens') keep({ tokens: undefined })
    },
  }

  async function askPerson(): Promise<void> {
    const { invite } = signIn
    if (!wanted || !invite) throw new ToolFailure(nobodyHere)
    const { url: to, state: expected } = wanted
    wanted = undefined
    const patience = AbortSignal.any([closing.signal, AbortSignal.timeout(patienceMs)])
    const callback = await awaitCallback(port, expected, patience).catch((error: Error) => {
      // The next try takes another port, and with it registers anew.
      if (!oauth) writeKept(file, {})
      throw error
    })
    try {
      invite({ server, url: to.href, port })
      const answer = await callback.answer
      const iss = answer.get('iss')
      await auth(provider, {
        serverUrl: url,
        authorizationCode: answer.get('code') ?? '',
        ...(iss === null ? {} : { iss }),
        fetchFn: fetch,
      })
    } finally {
      callback.close()
    }
  }

  return {
    provider,
    async renew() {
      const asked = pending.get(file)
      if (asked) return asked
      const asking = askPerson().finally(() => pending.delete(file))
      pending.set(file, asking)
      return asking
    },
    close: () => closing.abort(),
  }
}

export const nobodyHere =
  'it wants you to sign in, and nobody is here to do that. Run the agent at a terminal once and sign in there: that is remembered. Or name a key in `remote.headers`, such as `Authorization: Bearer $TOKEN`.'

/** A client registers with one address to come back to, so the port stays the same. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Plain HTTP only to this machine: what comes back is a key (RFC 8252, 7.3). */
function redirectOf(oauth: OAuthOptions | undefined, port: number): string {
  const given = oauth?.callbackRedirectURL?.replaceAll(portName, String(port))
  if (given === undefined) return `http://127.0.0.1:${port}${callbackPath}`
  const url = URL.canParse(given) ? new URL(given) : undefined
  const isHere = url !== undefined && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)) return given
  throw new ToolFailure(`\`callbackRedirectURL\` must be an https address, or one of this machine: ${given}`)
}
