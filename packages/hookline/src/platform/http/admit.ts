import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { HookFailure } from '../../core/index.ts'
import { checkRedirect, checkUrl, type NetworkVerdict } from '../../guards/network/index.ts'

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>

export interface Admission {
  resolve: Resolve
  allowLocal: boolean
  signal: AbortSignal
  /** What to do about a refusal, where the usual advice does not fit. */
  remedy?: string
}

/**
 * The addresses that a request to this URL may connect to, every one of them checked; connect to no other. Throws
 * HookFailure `ssrf` for a URL that must not be requested. Call it for every request: what a name leads to can change
 * between two of them.
 */
export function admit(url: URL, admission: Admission): Promise<readonly string[]> {
  const { allowLocal } = admission
  return check(url, admission, (addresses) => checkUrl(url.href, addresses, { allowLocal }))
}

/** The same for a redirect of a request that carries data; `visited` holds the URLs requested so far. */
export function admitRedirect(
  visited: readonly URL[],
  location: URL,
  admission: Admission,
): Promise<readonly string[]> {
  const { allowLocal } = admission
  const hrefs = visited.map((url) => url.href)
  return check(location, admission, (addresses) => checkRedirect(hrefs, location.href, addresses, { allowLocal }))
}

/** Node asks no resolver for a literal address, so a literal is its own answer. */
async function check(
  url: URL,
  { resolve, signal, remedy = forHooks }: Admission,
  judge: (addresses?: readonly string[]) => NetworkVerdict,
): Promise<readonly string[]> {
  refuse(judge(), remedy)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host)) return [host]
  const addresses = await untilAborted(answersFor(host, resolve), signal)
  refuse(judge(addresses), remedy)
  return addresses
}

export async function systemResolve(name: string): Promise<readonly string[]> {
  const answers = await lookup(name, { all: true })
  return answers.map(({ address }) => address)
}

async function answersFor(name: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    return await resolve(name)
  } catch (error) {
    throw new HookFailure('http', `The name ${name} cannot be resolved: ${(error as Error).message}`)
  }
}

function refuse({ verdict, why }: NetworkVerdict, remedy: string): void {
  if (verdict === 'refused') throw new HookFailure('ssrf', why, remedy)
}

const forHooks =
  'Use a public URL; for a service of your own, set `allow_local: true` on the hook in a user or managed config.'

/** A system's resolver cannot be called off; its late answer is ignored. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new HookFailure('aborted', 'Stopped while the name was being resolved.'))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
