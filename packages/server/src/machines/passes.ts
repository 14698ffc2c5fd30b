import { newKey } from 'hookline/internal'
import {
  calculateJwkThumbprint,
  EmbeddedJWK,
  errors,
  importJWK,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose'
import { one, type Sql } from '../store/index.ts'

/**
 * What machines sign for the server, and what it signs for them. Both are JWTs, with Ed25519 alone: a machine proves that
 * it has its key, once per minute of a proof's life, and gets a pass of some minutes.
 */
export interface Passes {
  /** The public key that a proof carries and is signed with; undefined: it is not. */
  keyIn(proof: string, origins: ReadonlySet<string>): Promise<string | undefined>
  /** Whose proof it is; undefined: nobody's, another server's, too old, or used before. */
  proven(
    proof: string,
    origins: ReadonlySet<string>,
    keyOf: (id: string) => Promise<JWK | undefined>,
  ): Promise<{ id: string; version?: string } | undefined>
  issue(id: string): Promise<{ token: string; expires_in: number }>
  /** Whose pass it is. */
  read(token: string): Promise<string | undefined>
}

const passSeconds = 600
const mostRead = 20_000
const proofSeconds = 60
const issuer = 'hookline-server'
const algorithms = ['EdDSA']

export async function openPasses(sql: Sql, now: () => number): Promise<Passes> {
  const jwk = await ownKey(sql)
  const [key, publicKey] = await Promise.all([importJWK(jwk, 'EdDSA'), importJWK(publicHalf(jwk), 'EdDSA')])
  const used = new Map<string, number>()
  /** Those that were read before, until they end: verifying one takes longer than the rest of a request. */
  const readBefore = new Map<string, { id: string; until: number }>()

  /** A proof counts once: whoever reads one on its way gains nothing. */
  function isNew(id: string, { jti }: JWTPayload): boolean {
    for (const [each, until] of used) {
      if (until > now()) break
      used.delete(each)
    }
    const name = `${id} ${jti}`
    if (typeof jti !== 'string' || jti.length > 100 || used.has(name)) return false
    used.set(name, now() + 2 * proofSeconds * 1000)
    return true
  }
  const limits = (origins: ReadonlySet<string>) => ({
    ...{ algorithms, audience: [...origins], maxTokenAge: proofSeconds, clockTolerance: proofSeconds },
    currentDate: new Date(now()),
  })

  return {
    keyIn: (proof, origins) =>
      verified(async () => {
        const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, limits(origins))
        const { x } = protectedHeader.jwk ?? {}
        return x !== undefined && isNew(x, payload) ? x : undefined
      }),
    proven: (proof, origins, keyOf) =>
      verified(async () => {
        const given = async ({ kid }: { kid?: string }) => {
          const found = kid === undefined ? undefined : await keyOf(kid)
          if (!found) throw new errors.JWKSNoMatchingKey()
          return importJWK(found, 'EdDSA')
        }
        const { payload, protectedHeader } = await jwtVerify(proof, given, limits(origins))
        const id = protectedHeader.kid!
        if (payload.iss !== id || !isNew(id, payload)) return undefined
        const version = payload['version']
        return { id, ...(typeof version === 'string' && { version: version.slice(0, 40) }) }
      }),
    async issue(id) {
      const at = Math.floor(now() / 1000)
      const token = await new SignJWT()
        .setProtectedHeader({ alg: 'EdDSA', kid: jwk.kid! })
        .setIssuer(issuer)
        .setAudience(issuer)
        .setSubject(id)
        .setIssuedAt(at)
        .setExpirationTime(at + passSeconds)
        .sign(key)
      return { token, expires_in: passSeconds }
    },
    read: (token) =>
      verified(async () => {
        const known = readBefore.get(token)
        if (known && known.until > now()) return known.id
        readBefore.delete(token)
        const expected = { algorithms, issuer, audience: issuer, currentDate: new Date(now()) }
        const { sub: id, exp } = (await jwtVerify(token, publicKey, expected)).payload
        if (id === undefined || exp === undefined) return undefined
        if (readBefore.size >= mostRead) readBefore.delete(readBefore.keys().next().value!)
        readBefore.set(token, { id, until: exp * 1000 })
        return id
      }),
  }
}

/** What does not hold is nobody's. What is wrong with us is no fault of whoever sent it. */
async function verified<T>(read: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    // jose's own errors, and what its cryptography says of a key that is none.
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException)
      return undefined
    throw error
  }
}

/** In the store, since several servers may share it: what one has signed, the others accept. */
async function ownKey(sql: Sql): Promise<JWK> {
  const name = 'machines-key'
  const read = () => one<{ value: string }>(sql, 'select value from meta where name = $1', [name])
  if (!(await read())) {
    const made = newKey().export({ format: 'jwk' }) as JWK
    const value = JSON.stringify({ ...made, kid: await calculateJwkThumbprint(made) })
    await sql.run('insert into meta (name, value) values ($1, $2) on conflict (name) do nothing', [name, value])
  }
  return JSON.parse((await read())!.value) as JWK
}

const publicHalf = ({ d: _, ...jwk }: JWK): JWK => jwk
