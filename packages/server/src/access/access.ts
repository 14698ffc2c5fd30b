import { randomBytes, timingSafeEqual } from 'node:crypto'
import { userInfo } from 'node:os'
import { digestOf } from '../digest.ts'
import type { GivenRole, Role } from '../http/route.ts'
import { one, type Sql } from '../store/index.ts'

/** Who sends a request. */
export interface Who {
  kind: 'session' | 'token' | 'machine' | 'nobody'
  /** Names the session, token or machine, and is no secret. */
  id: string
  name: string
  role: Role
  /** An identity provider lets them in, and can show again that they are a person. */
  isVouched?: boolean
  /** Of a machine: the group that it is in. */
  group?: string
  /** What the page has that was proven to be a person's; it is no part of who they are. */
  proof?: string
}

export const nobody: Who = { kind: 'nobody', id: '', name: 'Somebody on this machine', role: 'agent' }

export interface Token {
  id: string
  name: string
  role: GivenRole
  created: string
  used: string | null
}

/** What signs a browser in: a cookie that no page can read, and that browsers forget when they are closed. */
export interface SignedIn {
  cookie: string
  who: Who
}

export interface Access {
  /** A code that signs a browser in, once, within minutes. */
  newCode(): string
  signIn(code: string): SignedIn | undefined
  /** A session for somebody whom an identity provider has let in. */
  open(name: string, role: Role, more?: Pick<Who, 'isVouched'>): SignedIn
  signOut(cookie: string): void
  /** By what a request carries; undefined: nothing that counts. */
  byToken(token: string): Promise<Who | undefined>
  bySession(cookie: string): Who | undefined
  /** Whether what let them in still does: for whatever lasts longer than a request. */
  stillIn(who: Who): Promise<boolean>
  /** The secret is shown once. */
  makeToken(name: string, role: GivenRole): Promise<{ token: Token; secret: string }>
  tokens(): Promise<Token[]>
  revokeToken(id: string): Promise<boolean>
}

const codeMs = 10 * 60_000
const sessionMs = 12 * 3_600_000
const mostSessions = 1_000

const secret = (): string => randomBytes(32).toString('base64url')

/**
 * `startToken` is the token of this run: it is on the terminal and in memory, nowhere else. Sessions are in memory alone, too:
 * no file that another program could write signs a browser in.
 */
export function openAccess(sql: Sql, startToken: string, now = () => Date.now()): Access {
  const codes = new Map<string, number>()
  const sessions = new Map<string, { who: Who; expires: number }>()
  const own = digestOf(startToken)

  function open(name: string, role: Role, more: Pick<Who, 'isVouched'> = {}): SignedIn {
    const cookie = secret()
    const digest = digestOf(cookie)
    const who: Who = { kind: 'session', id: digest.slice(0, 16), name, role, ...more }
    for (const [each, { expires }] of sessions) if (expires < now()) sessions.delete(each)
    if (sessions.size >= mostSessions) sessions.delete(sessions.keys().next().value!)
    sessions.set(digest, { who, expires: now() + sessionMs })
    return { cookie, who }
  }

  return {
    newCode() {
      const code = secret()
      codes.set(digestOf(code), now() + codeMs)
      return code
    },
    signIn(code) {
      const digest = digestOf(code)
      const expires = codes.get(digest) ?? 0
      codes.delete(digest)
      return expires < now() ? undefined : open(user(), 'admin')
    },
    open,
    signOut(cookie) {
      sessions.delete(digestOf(cookie))
    },
    async byToken(token) {
      const digest = digestOf(token)
      if (isSame(digest, own)) return { kind: 'token', id: 'start', name: 'the token of this run', role: 'admin' }
      const row = await one<{ id: string; name: string; role: Role; used: number | null }>(
        sql,
        'select id, name, role, used from tokens where digest = $1',
        [digest],
      )
      if (!row) return undefined
      // To the minute is enough, and spares the disk.
      if (now() - (row.used ?? 0) > 60_000) await sql.run('update tokens set used = $1 where id = $2', [now(), row.id])
      return { kind: 'token', id: row.id, name: row.name, role: row.role }
    },
    bySession(cookie) {
      const found = sessions.get(digestOf(cookie))
      return found && found.expires >= now() ? found.who : undefined
    },
    async stillIn({ kind, id }) {
      if (kind === 'token')
        return id === 'start' || (await one(sql, 'select id from tokens where id = $1', [id])) !== undefined
      return [...sessions.values()].some(({ who, expires }) => who.id === id && expires >= now())
    },
    async makeToken(name, role) {
      const [id, value] = [randomBytes(6).toString('hex'), `hl_${secret()}`]
      await sql.run('insert into tokens (id, digest, name, role, created) values ($1, $2, $3, $4, $5)', [
        ...[id, digestOf(value), name, role, now()],
      ])
      return { token: { id, name, role, created: new Date(now()).toISOString(), used: null }, secret: value }
    },
    async tokens() {
      const rows = await sql.all<{ id: string; name: string; role: GivenRole; created: number; used: number | null }>(
        'select id, name, role, created, used from tokens order by created',
      )
      return rows.map(({ created, used, ...row }) => ({
        ...row,
        created: new Date(created).toISOString(),
        used: used === null ? null : new Date(used).toISOString(),
      }))
    },
    async revokeToken(id) {
      return (await sql.run('delete from tokens where id = $1', [id])) > 0
    },
  }
}

/** Whoever reads the terminal of the server is its user. */
function user(): string {
  try {
    return userInfo().username
  } catch {
    return 'its user'
  }
}

const isSame = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))
