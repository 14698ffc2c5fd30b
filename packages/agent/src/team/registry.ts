import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConnections, guardedFetch, HooklineError, isRecord, makeDirectory, note } from 'hookline/internal'

/** An agent file in a registry of images, as docker-agent shares them: `agentcatalog/coder`, `ghcr.io/me/agent:2`. */
interface Reference {
  registry: string
  repository: string
  tag: string
}

const hub = 'registry-1.docker.io'

/** `owner/name`, with a registry before it and a tag behind it, perhaps; undefined for anything else, such as a prompt. */
export function parseReference(word: string): Reference | undefined {
  const parts =
    /^(?:([\w.-]+(?:\.[\w.-]+|:\d+)|localhost(?::\d+)?)\/)?([a-z0-9][\w.-]*(?:\/[a-z0-9][\w.-]*)+)(?::([\w.-]+))?$/.exec(
      word,
    )
  if (!parts) return undefined
  const [, registry = hub, repository = '', tag = 'latest'] = parts
  return { registry, repository, tag }
}

const mostBytes = 1024 * 1024
const accepted = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.oci.image.index.v1+json',
].join(', ')

/**
 * Fetches it, checks its digest and keeps it in this directory; gives back the file. What it starts, reaches and allows is approved
 * like that of any agent file. Throws, with what was asked and why it failed, when it cannot be had.
 */
export async function fetchAgentFile(word: string, reference: Reference, directory: string): Promise<string> {
  const connections = createConnections()
  // A registry on this machine is one that the person has named.
  const isHere = /^(?:localhost|127\.)/.test(reference.registry)
  const fetch = guardedFetch({ connections, allowLocal: isHere, limit: mostBytes })
  const origin = `${isHere ? 'http' : 'https'}://${reference.registry}`
  try {
    const get = await signedIn(fetch, origin, reference)
    const manifest: unknown = JSON.parse(await get(`manifests/${reference.tag}`, accepted))
    const layers = isRecord(manifest) && Array.isArray(manifest['layers']) ? manifest['layers'].filter(isRecord) : []
    const digest = String(layers[0]?.['digest'] ?? '')
    if (layers.length !== 1 || !/^sha256:[0-9a-f]{64}$/.test(digest))
      throw new Error('it is no agent file, but an image')
    const text = await get(`blobs/${digest}`, '*/*')
    const found = `sha256:${createHash('sha256').update(text).digest('hex')}`
    if (found !== digest) throw new Error('what came is not what the registry has signed for')
    makeDirectory(directory)
    const file = join(directory, `${reference.repository.replaceAll('/', '-')}-${digest.slice(7, 19)}.yaml`)
    writeFileSync(file, text, { mode: 0o600 })
    return file
  } catch (error) {
    if (error instanceof HooklineError) throw error
    throw new HooklineError(note('agent-registry', { agent: word, detail: (error as Error).message }))
  } finally {
    connections.close()
  }
}

type Get = (path: string, accept: string) => Promise<string>

/** Registries give anonymous readers a token, at the address that their refusal names. */
async function signedIn(fetch: typeof globalThis.fetch, origin: string, { repository }: Reference): Promise<Get> {
  let token = ''
  const ask = (path: string, accept: string) =>
    fetch(`${origin}/v2/${repository}/${path}`, {
      headers: { accept, ...(token === '' ? {} : { authorization: `Bearer ${token}` }) },
      signal: AbortSignal.timeout(20_000),
    })
  return async (path, accept) => {
    let answer = await ask(path, accept)
    if (answer.status === 401 && token === '') {
      token = await tokenFrom(fetch, answer.headers.get('www-authenticate') ?? '', repository)
      answer = await ask(path, accept)
    }
    if (!answer.ok) throw new Error(`the registry answered ${answer.status}`)
    return answer.text()
  }
}

async function tokenFrom(fetch: typeof globalThis.fetch, challenge: string, repository: string): Promise<string> {
  const value = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? ''
  const realm = value('realm')
  if (!realm.startsWith('https://')) throw new Error('the registry wants to know who asks')
  const query = new URLSearchParams({ service: value('service'), scope: `repository:${repository}:pull` })
  const answer = await fetch(`${realm}?${query}`, { signal: AbortSignal.timeout(20_000) })
  const body: unknown = await answer.json()
  return isRecord(body) ? String(body['token'] ?? body['access_token'] ?? '') : ''
}
