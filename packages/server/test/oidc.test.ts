import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { scratch } from '../../hookline/test/support/scratch.ts'
import { readOidcSettings } from '../src/access/oidc-settings.ts'
import { openProvider, type Visitor } from './support/provider.ts'
import { home, openServer, type TestServer } from './support/server.ts'

const [clientId, clientSecret] = ['hookline', 'the-secret-of-the-client']
let provider: Awaited<ReturnType<typeof openProvider>>
let server: TestServer
const log: string[] = []

beforeAll(async () => {
  provider = await openProvider(clientId, clientSecret)
  vi.stubEnv('OIDC_SECRET', clientSecret)
  const file = join(home, 'oidc.yaml')
  writeFileSync(file, settings('person: true'))
  server = await openServer(undefined, { oidc: await readOidcSettings(file), log: (line) => log.push(line) })
})
afterAll(async () => {
  await server.end()
  provider.close()
})

const settings = (more = '') => `issuer: ${provider.issuer}
client_id: ${clientId}
client_secret: $OIDC_SECRET
claim: realm_access.roles
roles: { admin: [platform], operator: [on-call], viewer: [everybody] }
${more}
`

const setCookies = (response: Response) => response.headers.getSetCookie().map((each) => each.split(';')[0]!)

/** A browser that follows every redirect by itself, and keeps what it is given. */
async function visit(visitor: Visitor, { to = '/', tamper = (url: string) => url } = {}) {
  provider.state.next = visitor
  const begun = await fetch(`${server.url}/api/oidc/sign-in?to=${encodeURIComponent(to)}`, { redirect: 'manual' })
  const asked = await fetch(begun.headers.get('location')!, { redirect: 'manual' })
  const back = tamper(asked.headers.get('location')!)
  const cookie = setCookies(begun).join('; ')
  const done = await fetch(back, { redirect: 'manual', headers: { cookie } })
  return {
    begun,
    back,
    cookie,
    done,
    session: setCookies(done)
      .filter((each) => !each.endsWith('='))
      .join('; '),
  }
}

const as = (roles: string[]): Visitor => ({ claims: { sub: 'ann', email: 'ann@example.com', realm_access: { roles } } })
const me = async (cookie: string) => (await fetch(`${server.url}/api/me`, { headers: { cookie } })).json()

describe('signing in with an identity provider', () => {
  it('gives the strongest role that the claim has, in a cookie like that of the link, and is written down', async () => {
    const { begun, done, session } = await visit(as(['everybody', 'on-call', 'something else']), { to: '/inbox' })
    expect(begun.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax; Max-Age=600$/)
    const asked = provider.state.asked.at(-1)!
    expect(asked.get('code_challenge_method')).toBe('S256')
    expect(asked.get('redirect_uri')).toBe(`${server.url}/api/oidc/callback`)
    expect(done.headers.get('location')).toMatch(/^\/inbox#proof=[\w-]{40,}$/)
    expect(done.headers.getSetCookie().at(-1)).toMatch(/; HttpOnly; SameSite=Strict$/)
    expect(await me(session)).toMatchObject({ name: 'ann@example.com', role: 'operator', proven: false })
    const audited = () => server.json<{ decisions: unknown[] }>('/api/decisions?all=true&text=ann@example.com')
    await expect.poll(async () => (await audited()).decisions.length).toBe(1)
  })

  it('is proof of a person where whoever runs the server says so: for the page that brought it, and only after a fresh sign-in', async () => {
    const { done, session } = await visit(as(['platform']))
    const proof = done.headers.get('location')!.slice('/#proof='.length)
    const headers = { cookie: session, origin: server.url, 'x-hookline-proof': proof }
    const proven = async (given: Record<string, string>) =>
      ((await (await fetch(`${server.url}/api/me`, { headers: given })).json()) as { proven: boolean }).proven
    expect([await proven(headers), await proven({ cookie: session })]).toEqual([true, false])
    const asked = await fetch(`${server.url}/api/proof`, {
      method: 'POST',
      headers: { cookie: session, origin: server.url },
    })
    expect(await asked.json()).toEqual({ proven: false, sign_in: '/api/oidc/sign-in' })
    expect(provider.state.asked.at(-1)!.get('max_age')).toBe('300')
    const hourAgo = Math.floor(Date.now() / 1000) - 3_600
    const stale = await visit({ ...as(['platform']), forged: { auth_time: hourAgo } })
    expect([stale.done.headers.get('location'), stale.session]).toEqual(['/#sign-in-failed', ''])
  })

  it('reads the claim from the user info where the token has none, and lets nobody in without a role', async () => {
    const { claims } = as([])
    const { session } = await visit({ claims, userinfo: { realm_access: { roles: ['everybody'] } } })
    expect(await me(session)).toMatchObject({ role: 'viewer' })
    const stranger = await visit(as(['marketing']))
    expect([stranger.done.headers.get('location'), stranger.session]).toEqual(['/#sign-in-refused', ''])
  })

  it.each<[string, Visitor, ((url: string) => string)?]>([
    ['signed by somebody else', { ...as(['platform']), isForeign: true }],
    ['for another client', { ...as(['platform']), forged: { aud: 'another' } }],
    ['of another issuer', { ...as(['platform']), forged: { iss: 'https://evil.example' } }],
    ['too old', { ...as(['platform']), forged: { exp: 1 } }],
    ['of another sign-in', { ...as(['platform']), forged: { nonce: 'another' } }],
    ['with another state', as(['platform']), (url) => url.replace(/state=[^&]+/, 'state=another')],
    ['with another code', as(['platform']), (url) => url.replace(/code=[^&]+/, 'code=another')],
  ])('lets nobody in with a token %s', async (_, visitor, tamper) => {
    const { done, session } = await visit(visitor, tamper ? { tamper } : {})
    expect([done.headers.get('location'), session]).toEqual(['/#sign-in-failed', ''])
    expect(log.at(-1)).toContain('Signing in with the identity provider failed')
  })

  it('takes a way back only in the browser that began it, once, and leads nowhere else', async () => {
    const { back, cookie } = await visit(as(['platform']))
    for (const headers of [{}, { cookie }, { cookie: cookie.replace(/=.{8}/, '=AAAAAAAA') }])
      expect((await fetch(back, { redirect: 'manual', headers })).headers.get('location')).toBe('/#sign-in-failed')
    for (const to of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])
      expect((await fetch(`${server.url}/api/oidc/sign-in?to=${encodeURIComponent(to)}`)).status).toBe(400)
  })
})

it('a server without a provider has no such way in', async () => {
  const other = await openServer()
  expect(await other.json('/api/oidc')).toEqual({ provider: null })
  expect((await other.get('/api/oidc/sign-in')).status).toBe(404)
  expect((await other.get('/api/oidc/callback?code=1&state=2')).status).toBe(404)
  await other.end()
})

it('reads the settings that the manual shows', async () => {
  const manual = readFileSync(new URL('../../../docs/server.md', import.meta.url), 'utf8')
  const file = join(scratch({}), 'oidc.yaml')
  writeFileSync(file, /```yaml\n(issuer:[^`]+)```/.exec(manual)![1]!)
  const shown = { claim: 'realm_access.roles', person: true, client_secret: clientSecret }
  expect(await readOidcSettings(file)).toMatchObject(shown)
})

it.each([
  [
    'an issuer that nothing encrypts',
    (text: string) => text.replace(/issuer: .*/, 'issuer: http://login.example.com'),
    'https://',
  ],
  ['a secret that is not there', (text: string) => text.replace('$OIDC_SECRET', '$NO_SUCH_SECRET'), 'NO_SUCH_SECRET'],
  ['a role that does not exist', (text: string) => text.replace('viewer:', 'root:'), 'roles'],
  ['an unknown word', (text: string) => `${text}\nclaims: x\n`, '`claims` is not known here'],
])('refuses settings with %s', async (_, change, shown) => {
  const root = scratch({})
  writeFileSync(join(root, 'oidc.yaml'), change(settings()))
  await expect(readOidcSettings(join(root, 'oidc.yaml'))).rejects.toThrow(shown)
})
