import { type KeyObject, randomUUID, sign } from 'node:crypto'
import { HooklineError, note } from '../core/index.ts'
import { version } from '../platform/index.ts'
import { type Enrolment, keyIn, publicHalf, readEnrolment, readKey, writeEnrolment } from './enrolment.ts'
import { openTold, policyHeader } from './told.ts'

/** This machine, as its server knows it. */
export interface MachineClient {
  readonly enrolment: Enrolment
  /** Where that lies. */
  readonly directory: string
  /** A request to the server as this machine. A pass that has run out, or that the server no longer accepts, is replaced once. */
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/** How long a request may take that does not wait for anything. */
const usualMs = 30_000
/** A pass is replaced so long before its end: it may still be on its way. */
const spareMs = 60_000
/** A proof of the machine's key is good for so long. */
const proofSeconds = 60

/** Throws where the machine's key cannot be read: where root has enrolled, only root can. */
export function openMachine(directory: string): MachineClient {
  const enrolment = readEnrolment(directory)
  const key = readKey(directory)
  const { server, machine } = enrolment
  const told = openTold(directory)
  let pass: { token: string; until: number } | undefined
  const clock = serverClock()

  async function passNow(): Promise<string> {
    if (pass && pass.until > Date.now()) return pass.token
    const response = await clock.shown(() => {
      const proof = signed(key, clock.now(), { kid: machine }, { iss: machine, aud: server, version: version() })
      return reach(server, '/api/machines/pass', { method: 'POST', ...json({ proof }) })
    })
    if (!response.ok) throw await refusalOf(server, response)
    const { token, expires_in } = (await response.json()) as { token: string; expires_in: number }
    pass = { token, until: Date.now() + Math.max(0, expires_in * 1000 - spareMs) }
    return token
  }

  async function attempt(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${await passNow()}`)
    headers.set(policyHeader, told())
    return reach(server, path, { ...init, headers })
  }

  return {
    enrolment,
    directory,
    async fetch(path, init = {}) {
      const response = await attempt(path, init)
      if (response.status !== 401) return response
      await response.body?.cancel()
      pass = undefined
      return attempt(path, init)
    },
  }
}

/** Makes a key pair in this directory and lets the server know its public half. What it gives back is written there already. */
export async function enrol(
  directory: string,
  given: { url: string; token: string; name: string; policy?: string | undefined; root?: string | undefined },
): Promise<Enrolment> {
  const server = addressOf(given.url)
  const key = keyIn(directory)
  const clock = serverClock()
  const response = await clock.shown(() => {
    const proof = signed(key, clock.now(), { jwk: publicHalf(key) }, { aud: server })
    const body = { token: given.token, proof, name: given.name, version: version() }
    return reach(server, '/api/machines', { method: 'POST', ...json(body) })
  })
  if (!response.ok) throw await refusalOf(server, response)
  const { id, name, group, enrolled } = (await response.json()) as Record<'id' | 'name' | 'group' | 'enrolled', string>
  const { policy, root } = given
  const enrolment: Enrolment = {
    ...{ version: 1, server, machine: id, name, group, enrolled },
    ...(policy !== undefined && { policy }),
    ...(root !== undefined && { root }),
  }
  writeEnrolment(directory, enrolment)
  return enrolment
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/** Whoever listens on the way would read the token: it goes encrypted, or not beyond this machine. */
export function addressOf(url: string): string {
  const read = URL.canParse(url) ? new URL(url) : undefined
  const safe = read?.protocol === 'https:' || (read?.protocol === 'http:' && loopback.test(read.hostname))
  if (!read || !safe) throw new HooklineError(note('enroll-address', { url }))
  return read.origin
}

/** What the server says is wrong, in its words: it has the same table of errors. */
export async function refusalOf(server: string, response: Response): Promise<HooklineError> {
  const said = (await response.json().catch(() => undefined)) as { title?: unknown; remedy?: unknown } | undefined
  const words = (text: unknown) => (typeof text === 'string' ? text.slice(0, 300) : undefined)
  const detail = words(said?.title) ?? `it answered with ${response.status}.`
  const remedy = words(said?.remedy) ?? 'Check that this is the address of a Hookline server.'
  return new HooklineError(note('enroll-refused', { server, detail, remedy }))
}

async function reach(server: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(server + path, { redirect: 'error', signal: AbortSignal.timeout(usualMs), ...init })
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { message?: string; code?: string } }
    const detail = cause?.code ?? cause?.message ?? message
    throw new HooklineError(note('enroll-unreachable', { server, detail }))
  }
}

const json = (body: object): RequestInit => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** So far may the clocks of both be apart without anybody minding. */
const apartMs = 30_000

/**
 * What is signed for a server has its time: were it that of a machine whose clock is wrong, the server would hear nothing
 * of that machine, not even that its clock is wrong. What is signed is for that server alone, and it keeps its own time.
 */
function serverClock() {
  let aheadMs = 0
  return {
    now: () => Date.now() + aheadMs,
    /** Tries; where that was refused and the clocks differ, once more by the server's. */
    async shown(attempt: () => Promise<Response>): Promise<Response> {
      const response = await attempt()
      const said = Date.parse(response.headers.get('date') ?? '') - Date.now()
      if (response.status !== 401 || !(Math.abs(said - aheadMs) > apartMs)) return response
      await response.body?.cancel()
      aheadMs = said
      return attempt()
    },
  }
}

/** A JWT (RFC 7519) with Ed25519 (RFC 8037), of a minute's life and for one use. */
function signed(key: KeyObject, now: number, header: object, claims: object): string {
  const at = Math.floor(now / 1000)
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const said = `${part({ alg: 'EdDSA', typ: 'JWT', ...header })}.${part({ ...claims, iat: at, exp: at + proofSeconds, jti: randomUUID() })}`
  return `${said}.${sign(null, Buffer.from(said), key).toString('base64url')}`
}
