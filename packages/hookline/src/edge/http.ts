import { type Call, defineExecutor, type Executor, HookFailure, type WireReply } from '../core/index.ts'
import { checkHttpSpec, type HttpSpec, httpSpec } from '../executors/http/spec.ts'
import { callerEnvironment } from './platform.ts'

const defaultBodyLimit = 1024 * 1024

/**
 * POSTs the payload with the `fetch` of the runtime. Addresses are checked as they are written: what a name leads to is
 * the business of the runtime, which has no private network. Redirects are not followed.
 */
export function createHttpExecutor(): Executor<HttpSpec> {
  return defineExecutor<HttpSpec>({
    type: 'http',
    contained: true,
    doc: 'POSTs the payload to a URL; the answer is the decision as JSON.',
    spec: httpSpec,
    pins: () => [],
    check: (spec, { origin }) => checkHttpSpec(spec, origin.layer),
    async run(spec, call) {
      const [problem] = checkHttpSpec(spec, call.hook.origin.layer)
      if (problem) throw new HookFailure('ssrf', problem.message, problem.remedy)
      const { body } = call.request()
      const response = await send(spec, call, body)
      return replyOf(spec, response, call)
    },
  })
}

async function send(spec: HttpSpec, { signal }: Call, body: string): Promise<Response> {
  for (const option of ['ca_file', 'secret_env'] as const)
    if (spec[option] !== undefined)
      throw new HookFailure('http', `\`${option}\` cannot be used in an edge runtime.`, 'Leave it out.')
  const headers = { 'content-type': 'application/json', ...headersOf(spec) }
  try {
    return await fetch(spec.url, { method: 'POST', headers, body, signal, redirect: 'manual' })
  } catch (error) {
    throw new HookFailure('http', `${new URL(spec.url).origin} did not answer: ${String(error)}`)
  }
}

async function replyOf(spec: HttpSpec, response: Response, call: Call): Promise<WireReply> {
  const text = await response.text()
  if (text.length > (spec.body_limit ?? defaultBodyLimit))
    throw new HookFailure('output-limit', `The answer is longer than ${spec.body_limit ?? defaultBodyLimit} bytes.`)
  if (!response.ok)
    throw new HookFailure('http', `${new URL(spec.url).origin} answered with status ${response.status}.`)
  call.measure({ stdout: text.length })
  return { kind: 'wire', stdout: text, stderr: '', exit: 0 }
}

/** `${env:NAME}` in a header, for the variables that the hook lists. */
function headersOf({ headers = {}, allowed_env = [] }: HttpSpec): Record<string, string> {
  const environment = callerEnvironment()
  const filled = (value: string) =>
    value.replace(/\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) =>
      allowed_env.includes(name) ? (environment[name] ?? '') : whole,
    )
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]))
}
