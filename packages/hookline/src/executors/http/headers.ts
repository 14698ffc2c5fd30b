import { createHmac } from 'node:crypto'
import { type OutgoingHttpHeaders, validateHeaderValue } from 'node:http'
import { HookFailure } from '../../core/outcome.ts'
import type { HttpSpec } from './spec.ts'

export function headersFor(spec: HttpSpec, body: string, env: NodeJS.ProcessEnv): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { accept: 'application/json', 'user-agent': 'hookline' }
  for (const [name, template] of Object.entries(spec.headers ?? {}))
    headers[name.toLowerCase()] = checked(name, expand(template, spec.allowed_env ?? [], env))
  if (spec.secret_env) headers['x-hookline-signature'] = sign(body, variable(spec.secret_env, env))
  return { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
}

/** The value may be a secret, so only the name is told. */
function checked(name: string, value: string): string {
  try {
    validateHeaderValue(name, value)
    return value
  } catch {
    throw new HookFailure('spawn', `The header ${name} has a character that no header may have, such as a line break.`)
  }
}

function expand(template: string, allowed: readonly string[], env: NodeJS.ProcessEnv): string {
  return template.replace(/\$\{env:(\w+)\}/g, (_, name: string) => {
    if (!allowed.includes(name))
      throw new HookFailure('spawn', `A header uses $\{env:${name}}.`, `List ${name} in \`allowed_env\`.`)
    return variable(name, env)
  })
}

function variable(name: string, env: NodeJS.ProcessEnv): string {
  const value = env[name]
  if (value) return value
  throw new HookFailure(
    'spawn',
    `The environment variable ${name} is not set.`,
    `Set ${name} where the agent is started.`,
  )
}

/** `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`: the time is signed too, so that a receiver can refuse a replay. */
function sign(body: string, key: string): string {
  const time = Math.floor(Date.now() / 1_000)
  return `t=${time},v1=${createHmac('sha256', key).update(`${time}.${body}`).digest('hex')}`
}
