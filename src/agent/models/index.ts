import { didYouMean, HooklineError, note } from '../../core/index.ts'
import { findProvider, keyOf, providers, splitModelName } from '../../platform/providers.ts'
import type { Model } from '../model.ts'
import type { ModelSpec, Team } from '../team.ts'
import { type Environment, keyMissing, providerModel } from './provider.ts'
import { defaultScript, playRehearsal, type Rehearsal, readRehearsal } from './rehearsal/index.ts'

export { type CallOptions, callModel, type ModelCall, type Setback } from './chain.ts'
export { costOf, requestTokens } from './prices.ts'
export * from './rehearsal/index.ts'

export interface ModelsOptions {
  team: Pick<Team, 'models'>
  /** Where keys are found. */
  env: Environment
  /** The script to play; absent: the one that the name leads to, or the embedded one. */
  rehearsal?: Rehearsal
  /** Reads the script of `rehearsal/path/to/script.yaml`. */
  loadRehearsal?(path: string): Promise<Rehearsal>
}

/** `rehearsal`, or `rehearsal/` and the path of a script. */
export const rehearsalProvider = 'rehearsal'

/**
 * How models are opened by name: one of the team's, or `provider/model`. A name that leads nowhere throws here; a key
 * that is missing is told when the model is asked, so that a fallback can take over.
 */
export function openModels(options: ModelsOptions): (name: string) => Promise<Model> {
  return async (name) => {
    const spec = resolveModel(name, options)
    if (spec.provider !== rehearsalProvider) return providerModel(spec, options.env)
    return playRehearsal(options.rehearsal ?? (await scriptOf(spec.model, options)))
  }
}

/** What a name stands for. Throws, with what may have been meant, when it stands for nothing. */
export function resolveModel(name: string, { team, env }: Pick<ModelsOptions, 'team' | 'env'>): ModelSpec {
  if (Object.hasOwn(team.models, name)) return team.models[name]!
  if (name === 'auto') return resolveModel(usualModel(env), { team, env })
  const { provider, model } = splitModelName(name)
  if (provider === rehearsalProvider) return { provider, model }
  if (model !== '' && findProvider(provider)) return { provider, model }
  const known = model === '' ? [...Object.keys(team.models), rehearsalProvider, 'auto'] : Object.keys(providers)
  const hint = didYouMean(model === '' ? name : provider, known)
  throw new HooklineError(note('model-unknown', { model: name, hint, known: known.join(', ') }))
}

/** Why this model cannot be asked now: its key is missing. Throws for a name that leads nowhere. */
export function missingKey(name: string, options: Pick<ModelsOptions, 'team' | 'env'>): HooklineError | undefined {
  const { provider, keyVariable, baseURL } = resolveModel(name, options)
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

async function scriptOf(path: string, { loadRehearsal }: ModelsOptions): Promise<Rehearsal> {
  if (path !== '' && path !== defaultScript.name && loadRehearsal) return loadRehearsal(path)
  return readRehearsal(defaultScript).rehearsal!
}
