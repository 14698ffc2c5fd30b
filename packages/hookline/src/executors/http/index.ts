import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type OutgoingHttpHeaders, validateHeaderValue } from 'node:http'
import { dirname, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Call, defineExecutor, type Executor, HookFailure, type WireReply } from '../../core/index.ts'
import {
  type Admission,
  type Answer,
  admit,
  admitRedirect,
  createConnections,
  NothingReceived,
  type Request,
  type Resolve,
  systemResolve,
} from '../../platform/http/index.ts'
import { callerEnvironment, type Variables } from '../../platform/index.ts'
import { openCalls } from '../calls.ts'
import { checkHttpSpec, type HttpSpec, httpSpec } from './spec.ts'

export { checkHttpSpec, type HttpSpec } from './spec.ts'

const defaultBodyLimit = 1024 * 1024
const retryDelayMs = 100

/** POSTs the payload and takes the answer's body for the reply. The guard runs at every call, redirects and retries included. */
export function createHttpExecutor(options: { resolve?: Resolve } = {}): Executor<HttpSpec> {
  const connections = createConnections()
  const calls = openCalls()

  return defineExecutor<HttpSpec>({
    type: 'http',
    contained: true,
    doc: 'POSTs the payload to a URL; the answer is the decision as JSON. Local addresses are refused unless allowed.',
    spec: httpSpec,
    pins: () => [],
    check: (spec, { origin }) => checkHttpSpec(spec, origin.layer),
    async run(spec, call) {
      const [problem] = checkHttpSpec(spec, call.hook.origin.layer)
      if (problem) throw new HookFailure('ssrf', problem.message, problem.remedy)
      return calls.during(call.signal, (signal) => ask(spec, call, signal))
    },
    async close() {
      calls.close()
      connections.close()
    },
  })

  async function ask(spec: HttpSpec, call: Call, signal: AbortSignal): Promise<WireReply> {
    const { body } = call.request()
    call.measure({ stdin: Buffer.byteLength(body) })
    const request = {
      method: 'POST',
      headers: headersFor(spec, body, callerEnvironment()),
      body,
      limit: Math.min(spec.body_limit ?? call.outputLimit ?? defaultBodyLimit, call.outputLimit ?? Infinity),
      signal,
      ...(spec.ca_file === undefined ? {} : { ca: await readAuthorities(spec.ca_file, call) }),
    }
    const admission = { resolve: options.resolve ?? systemResolve, allowLocal: spec.allow_local === true, signal }
    const answer = await askPatiently(spec.retries ?? 0, signal, () => askThrough(spec, request, admission))
    return replyOf(answer, call)
  }

  /** Follows redirects, if the hook allows any; the payload is sent anew to each hop. */
  async function askThrough(
    spec: HttpSpec,
    request: Omit<Request, 'url' | 'addresses'>,
    admission: Admission,
  ): Promise<Answer> {
    const visited: URL[] = []
    let url = new URL(spec.url)
    let addresses = await admit(url, admission)
    for (;;) {
      visited.push(url)
      const answer = await connections.exchange({ ...request, url, addresses }, admission.allowLocal)
      const { location } = answer.headers
      if (!redirects.has(answer.status) || location === undefined) return answer
      if (visited.length > (spec.follow_redirects ?? 0))
        throw new HookFailure(
          'http',
          `${url.origin} answered with a redirect to ${quote(location)}, which is not followed.`,
          'Use the final URL, or set `follow_redirects`.',
        )
      url = parse(location, url)
      addresses = await admitRedirect(visited, url, admission)
    }
  }
}

async function askPatiently(retries: number, signal: AbortSignal, ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof NothingReceived) || attempt >= retries) throw error
      await delay(retryDelayMs * 2 ** attempt, undefined, { signal }).catch(() => {})
    }
  }
}

/** 303 is not among them: it asks for a GET, and what it leads to is not an answer to the payload. */
const redirects = new Set([301, 302, 307, 308])

function replyOf({ status, statusText, headers, body }: Answer, call: Call): WireReply {
  call.measure({ stdout: body.length })
  if (status < 200 || status > 299)
    throw new HookFailure('http', `The answer has the status ${status} ${statusText}`.trimEnd() + excerpt(body))
  const type = headers['content-type']
  if (body.length > 0 && type !== undefined && !isJson(type))
    throw new HookFailure(
      'http',
      `The answer is ${type}, not JSON.${excerpt(body)}`,
      'Check that the URL is the hook and not a page.',
    )
  return { kind: 'wire', exit: 0, stdout: decode(body), stderr: '' }
}

const isJson = (type: string) => /^(?:application|text)\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new HookFailure('invalid-output', 'The answer is not valid UTF-8.')
  }
}

/** A file is found from the config file that names it. */
async function readAuthorities(file: string, { hook }: Call): Promise<string> {
  try {
    return await readFile(resolve(dirname(hook.origin.where?.file ?? './'), file), 'utf8')
  } catch (error) {
    throw new HookFailure('spawn', `The ca_file cannot be read: ${(error as Error).message}`)
  }
}

function parse(location: string, base: URL): URL {
  try {
    return new URL(location, base)
  } catch {
    throw new HookFailure('http', `The answer redirects to ${quote(location)}, which is not a URL.`)
  }
}

function excerpt(body: Buffer): string {
  const text = body.toString('utf8', 0, 200).trim()
  return text === '' ? '' : ` It says: ${quote(text)}`
}

const quote = (text: string) => JSON.stringify(text.length > 160 ? `${text.slice(0, 160)}…` : text)

function headersFor(spec: HttpSpec, body: string, env: Variables): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { accept: 'application/json', 'user-agent': 'hookline' }
  for (const [name, template] of Object.entries(spec.headers ?? {}))
    headers[name.toLowerCase()] = checked(name, expand(template, spec.allowed_env ?? [], env))
  if (spec.secret_env) headers['x-hookline-signature'] = sign(body, variable(spec.secret_env, env))
  return { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
}

/** The value may be a secret, so the message has only the name. */
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
