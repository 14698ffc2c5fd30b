import { HookFailure, type Layer } from '../../core/index.ts'
import { checkUrl } from '../../guards/network/index.ts'
import { findProvider, keyOf, needsServer, splitModelName } from '../../platform/index.ts'

/** Which model to call, where, and with which key. */
export interface Address {
  provider: string
  model: string
  baseURL?: string
  apiKey?: string
  /** Whether the server may be on this machine or network. */
  allowLocal: boolean
}

/** Everything one question needs, in plain data: only @hookline/agent knows the library that sends it. */
export interface Question extends Address {
  instructions: string
  prompt: string
  temperature?: number
  maxOutputTokens?: number
  /** Whether the answer should be {decision, reason}. */
  decides: boolean
  outputLimit: number
  signal: AbortSignal
}

/** Layers written by the person or the machine's owner. Others may be written by whoever wrote the project. */
const ownLayers = new Set<Layer>(['managed', 'fleet', 'user', 'session', 'code'])

interface Named {
  model: string
  base_url?: string | undefined
  api_key_env?: string | undefined
}

/** What is wrong with the address of the model. Checked at load, and again before each call. */
export function endpointProblem(spec: Named, layer: Layer): { path: string; detail: string; fix: string } | undefined {
  const { provider } = splitModelName(spec.model)
  const row = findProvider(provider)
  if (spec.base_url === undefined)
    return row && !needsServer(row)
      ? undefined
      : { path: 'base_url', detail: `is needed for \`${provider}\``, fix: 'Name the server.' }
  const { verdict, why } = checkUrl(spec.base_url, undefined, { allowLocal: ownLayers.has(layer) })
  if (verdict === 'public') return undefined
  return {
    path: 'base_url',
    detail: `is refused: ${why.replace(/\.$/, '')}`,
    fix: 'Local servers can be named in your user config.',
  }
}

export function endpointFor(spec: Named, layer: Layer, env: Readonly<Record<string, string | undefined>>): Address {
  const problem = endpointProblem(spec, layer)
  if (problem) throw new HookFailure('ssrf', `\`${problem.path}\` ${problem.detail}.`, problem.fix)
  const { provider, model } = splitModelName(spec.model)
  const row = findProvider(provider) ?? {}
  const own = ownLayers.has(layer)
  // A project that names its own server gets a key only when it also names the key, where the person who approves it sees it.
  const keyVariable = spec.api_key_env ?? (spec.base_url === undefined || own ? keyOf(row, env).variable : undefined)
  const apiKey = keyVariable === undefined ? undefined : env[keyVariable]
  const keyIsNeeded = spec.api_key_env !== undefined || (spec.base_url === undefined && row.keyVariable !== undefined)
  if (keyIsNeeded && !apiKey) {
    const detail = `The variable ${keyVariable} is not set, so ${provider} cannot be called.`
    throw new HookFailure('spawn', detail, `Set ${keyVariable}.`)
  }
  return {
    provider,
    model,
    ...(spec.base_url === undefined ? {} : { baseURL: spec.base_url }),
    ...(apiKey === undefined ? {} : { apiKey }),
    // Where our own table points is not the project's choice.
    allowLocal: own || spec.base_url === undefined,
  }
}
