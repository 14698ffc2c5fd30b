import { HookFailure, type Layer } from '../../core/index.ts'
import { checkUrl } from '../../guards/network/index.ts'
import { providers } from './providers.ts'

/** Who is asked, where, and with which key. */
export interface Address {
  provider: string
  model: string
  baseURL?: string
  apiKey?: string
}

/** Layers written by the person or the machine's owner. Others may be written by whoever wrote the project. */
const ownLayers = new Set<Layer>(['managed', 'user', 'session', 'code'])

export function endpointFor(
  spec: { model: string; base_url?: string | undefined; api_key_env?: string | undefined },
  layer: Layer,
  env: Readonly<Record<string, string | undefined>>,
): Address {
  const [provider = '', model = ''] = spec.model.split(/\/(.*)/s)
  const row = providers[provider]
  if (!row)
    throw new HookFailure('spawn', `Unknown provider \`${provider}\`.`, `Known: ${Object.keys(providers).join(', ')}.`)
  if (!spec.base_url && !row.baseURL && !row.open)
    throw new HookFailure('spawn', `\`${provider}\` needs a \`base_url\`.`)
  const own = ownLayers.has(layer)
  if (spec.base_url !== undefined) {
    const { verdict, why } = checkUrl(spec.base_url, undefined, { allowLocal: own })
    if (verdict === 'refused') throw new HookFailure('ssrf', why, 'Local servers can be named in your user config.')
  }
  // A project that names its own server gets a key only when it also names the key, where the person who approves it sees it.
  const keyVariable = spec.api_key_env ?? (spec.base_url === undefined || own ? row.keyVariable : undefined)
  const apiKey = keyVariable === undefined ? undefined : env[keyVariable]
  const keyIsNeeded = spec.api_key_env !== undefined || (spec.base_url === undefined && row.keyVariable !== undefined)
  if (keyIsNeeded && !apiKey)
    throw new HookFailure(
      'spawn',
      `The variable ${keyVariable} is not set, so ${provider} cannot be asked.`,
      `Set ${keyVariable}.`,
    )
  return {
    provider,
    model,
    ...(spec.base_url === undefined ? {} : { baseURL: spec.base_url }),
    ...(apiKey === undefined ? {} : { apiKey }),
  }
}
