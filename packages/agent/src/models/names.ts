import { didYouMean, findProvider, HooklineError, keyOf, note, providers, splitModelName } from 'hookline/internal'
import type { Environment, ModelSpec, Team } from '../core/index.ts'

/** Where a model is looked up by name, and where keys are found. */
export interface ModelSources {
  team: Pick<Team, 'models'>
  env: Environment
}

/** `rehearsal`, or `rehearsal/` and the path of a script. */
export const rehearsalProvider = 'rehearsal'

/** What a name stands for. Throws, with what may have been meant, when it stands for nothing. */
export function resolveModel(name: string, { team, env }: ModelSources): ModelSpec {
  if (Object.hasOwn(team.models, name)) return team.models[name]!
  if (name === 'auto') return resolveModel(usualModel(env), { team, env })
  const { provider, model } = splitModelName(name)
  if (provider === rehearsalProvider) return { provider, model }
  if (model !== '' && findProvider(provider)) return { provider, model }
  const known = model === '' ? [...Object.keys(team.models), rehearsalProvider, 'auto'] : Object.keys(providers)
  const hint = didYouMean(model === '' ? name : provider, known)
  throw new HooklineError(note('model-unknown', { model: name, hint, known: known.join(', ') }))
}

/** The error when this model cannot be called, most often for want of its key. Throws for an unknown name. */
export function missingKey(name: string, options: ModelSources): HooklineError | undefined {
  const { provider, keyVariable, baseURL, harness } = resolveModel(name, options)
  if (harness) return undefined
  if (baseURL === undefined && provider !== rehearsalProvider && !findProvider(provider)) return unsupported(provider)
  const { variable, key } = keyVariable
    ? { variable: keyVariable, key: options.env[keyVariable] }
    : keyOf(findProvider(provider) ?? {}, options.env)
  const needed = variable !== undefined && (keyVariable !== undefined || baseURL === undefined)
  return needed && !key ? keyMissing(provider, variable) : undefined
}

/** The usual model of the first provider whose key is set; else the rehearsal model, which needs none. */
export function usualModel(env: Environment): string {
  const found = Object.entries(providers).find(([, provider]) => provider.usual && keyOf(provider, env).key)
  return found ? `${found[0]}/${found[1].usual}` : rehearsalProvider
}

/** The error for a provider that only a file of another program knows. */
export const unsupported = (provider: string): HooklineError =>
  new HooklineError(note('agent-provider-unsupported', { provider, known: Object.keys(providers).join(', ') }))

/** The error for a missing key. */
export function keyMissing(provider: string, variable: string): HooklineError {
  return new HooklineError(note('model-key-missing', { provider, variable }))
}
