import type { Model } from '../model.ts'
import { type Among, rehearsalProvider, resolveModel } from './names.ts'
import { providerModel } from './provider.ts'
import { defaultScript, playRehearsal, type Rehearsal, readRehearsal } from './rehearsal/index.ts'

export { type CallOptions, callModel, type ModelCall, type Setback } from './chain.ts'
export { missingKey, rehearsalProvider, resolveModel, usualModel } from './names.ts'
export { costOf, requestTokens } from './prices.ts'
export * from './rehearsal/index.ts'

export interface ModelsOptions extends Among {
  /** The script to play; absent: the one that the name leads to, or the embedded one. */
  rehearsal?: Rehearsal
  /** Reads the script of `rehearsal/path/to/script.yaml`. */
  loadRehearsal?(path: string): Promise<Rehearsal>
}

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

async function scriptOf(path: string, { loadRehearsal }: ModelsOptions): Promise<Rehearsal> {
  if (path !== '' && path !== defaultScript.name && loadRehearsal) return loadRehearsal(path)
  return readRehearsal(defaultScript).rehearsal!
}
