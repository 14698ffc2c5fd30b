import { readFileSync } from 'node:fs'
import { parseConfig } from 'hookline/internal'
import { formatPath, HooklineError, note, validate } from 'hookline/internal/start'
import * as z from 'zod/mini'
import { isLoopback } from '../http/listen.ts'

const text = z.string().check(z.minLength(1))
const values = z.optional(z.array(text))

/** What an administrator says of the identity provider. */
const shape = z.strictObject({
  issuer: z.url(),
  client_id: text,
  /** `$NAME` stands for a variable of the environment. Absent: a public client. */
  client_secret: z.optional(text),
  scopes: z._default(text, 'openid profile email'),
  /** Where roles come from, and which of its values gives which. Who has none of them does not come in. */
  claim: z._default(text, 'groups'),
  roles: z.strictObject({ admin: values, operator: values, viewer: values }),
  /** What people are called in the journal. */
  name_claim: z._default(text, 'email'),
  /** Signing in counts as proof of a person, for a quarter of an hour. */
  person: z._default(z.boolean(), false),
})

export interface OidcSettings {
  issuer: string
  client_id: string
  client_secret?: string | undefined
  scopes: string
  claim: string
  roles: Partial<Record<string, readonly string[] | undefined>>
  name_claim: string
  person: boolean
}

export async function readOidcSettings(file: string): Promise<OidcSettings> {
  const refused = (detail: string) => new HooklineError(note('server-oidc', { file, detail }))
  let written: string
  try {
    written = readFileSync(file, 'utf8')
  } catch {
    throw refused('it cannot be read')
  }
  const parsed = await parseConfig(written, file)
  if (!parsed.ok) throw new HooklineError(parsed.problem)
  const read = validate(shape, parsed.document)
  if (!read.ok) {
    const [first] = read.problems
    throw refused(`\`${formatPath(first?.path ?? []) || 'it'}\` ${first?.detail ?? 'is wrong'}`)
  }
  const { client_secret: given, ...settings } = read.value
  const { protocol, hostname } = new URL(settings.issuer)
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    throw refused('`issuer` must begin with https://')
  const secret = given?.replace(/\$(\w+)/g, (all, name: string) => process.env[name] ?? all)
  if (secret?.startsWith('$')) throw refused(`the environment has no ${secret.slice(1)}`)
  return { ...settings, client_secret: secret }
}
