import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { isRecord } from 'hookline/internal/start'
import type { Configuration } from 'openid-client'
import { isLoopback } from '../http/listen.ts'
import { type Role, roles } from '../http/route.ts'
import type { OidcSettings } from './oidc-settings.ts'

/** Who the provider says somebody is, and what they may do here. */
export interface Vouched {
  name: string
  role: Role
  /** The provider saw them sign in just now, and whoever runs the server takes that for proof of a person. */
  isPerson: boolean
  /** Where they were before. */
  to: string
}

/** Signing in with an identity provider: OpenID Connect, the authorization code flow with PKCE. */
export interface Oidc {
  /** What people know it by. */
  readonly provider: string
  readonly provesPerson: boolean
  /** Where the browser goes now, and what it keeps until it comes back: sealed, so that no other server on its machine reads it. */
  begin(redirectUri: string, to: string): Promise<{ location: string; ticket: string }>
  /** What the browser came back with. Undefined: they have no role here. Throws where the provider did not let them in. */
  finish(at: URL, ticket: string): Promise<Vouched | undefined>
}

interface Ticket {
  state: string
  nonce: string
  verifier: string
  to: string
  expires: number
}

const ticketMs = 10 * 60_000
/** So long ago the provider may have seen them, for it to be proof of a person. */
const freshSeconds = 300

export function openOidc(settings: OidcSettings): Oidc {
  const { issuer, client_id, client_secret, scopes, claim, name_claim, person } = settings
  const seal = makeSeal()
  let known: Promise<Configuration> | undefined

  /** The provider is asked when somebody signs in first: it need not be there when the server starts. */
  function discovered(): Promise<Configuration> {
    known ??= discover().catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }

  async function discover(): Promise<Configuration> {
    const { allowInsecureRequests, discovery, enableNonRepudiationChecks } = await import('openid-client')
    const url = new URL(issuer)
    const isPlain = url.protocol === 'http:' && isLoopback(url.hostname)
    // Signatures are checked, though the token comes from the provider itself: more than TLS stands between it and a role.
    const execute = [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])]
    return discovery(url, client_id, client_secret, undefined, { execute, timeout: 10 })
  }

  return {
    provider: new URL(issuer).host,
    provesPerson: person,
    async begin(redirectUri, to) {
      const oidc = await import('openid-client')
      const config = await discovered()
      const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()]
      const location = oidc.buildAuthorizationUrl(config, {
        ...{ redirect_uri: redirectUri, scope: scopes, state, nonce },
        ...{ code_challenge: await oidc.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
        ...(person && { max_age: String(freshSeconds) }),
      })
      const ticket: Ticket = { state, nonce, verifier, to, expires: Date.now() + ticketMs }
      return { location: location.href, ticket: seal.close(JSON.stringify(ticket)) }
    },
    async finish(at, sealed) {
      const { state, nonce, verifier, to, expires } = JSON.parse(seal.open(sealed)) as Ticket
      if (expires < Date.now()) throw new Error('it took longer than ten minutes')
      const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client')
      const config = await discovered()
      const tokens = await authorizationCodeGrant(config, at, {
        ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
        ...(person && { maxAge: freshSeconds }),
      })
      const claims = tokens.claims()!
      // Some providers put groups only there.
      const isElsewhere =
        valuesAt(claims, claim).length === 0 && config.serverMetadata().userinfo_endpoint !== undefined
      const about = isElsewhere ? await fetchUserInfo(config, tokens.access_token, claims.sub) : claims
      const role = roleFor(valuesAt(about, claim), settings)
      const [name = claims.sub] = [...valuesAt(claims, name_claim), ...valuesAt(about, name_claim)]
      return role && { name, role, isPerson: person, to }
    },
  }
}

/** What a claim holds: one text or several, also inside of others (`realm_access.roles`). */
function valuesAt(claims: object, path: string): string[] {
  let value: unknown = (claims as Record<string, unknown>)[path]
  if (value === undefined)
    value = path.split('.').reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), claims)
  return (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string')
}

/** The strongest that any of them gives. */
function roleFor(values: readonly string[], { roles: given }: OidcSettings): Role | undefined {
  return roles.findLast((role) => (given[role] ?? []).some((wanted) => values.includes(wanted)))
}

/** Readable and made only here, as long as this server runs. */
function makeSeal() {
  const key = randomBytes(32)
  return {
    close(text: string): string {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    open(text: string): string {
      const bytes = Buffer.from(text, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
  }
}
