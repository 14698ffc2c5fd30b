import type { Model, ModelSpec } from '../core/index.ts'
import { routed } from './chain.ts'
import { type HarnessPlace, harnessModel } from './harness/index.ts'
import { type ModelSources, rehearsalProvider, resolveModel } from './names.ts'
import { providerModel } from './provider.ts'
import { playRehearsal } from './rehearsal/play.ts'
import { ownRehearsal, type Rehearsal } from './rehearsal/read.ts'
import { defaultScript } from './rehearsal/script.ts'

export { type CallOptions, callModel, type ModelCall, type Setback } from './chain.ts'
export { type HarnessPlace, harnesses } from './harness/index.ts'
export { askModel } from './judge.ts'
export { missingKey, rehearsalProvider, resolveModel, usualModel } from './names.ts'
export { costOf, requestTokens } from './prices.ts'
export { rehearsalLanguageModel } from './rehearsal/language-model.ts'
export { playRehearsal, rehearse } from './rehearsal/play.ts'
export { type Rehearsal, readRehearsal } from './rehearsal/read.ts'
export { defaultScript, type Script, scriptSchema } from './rehearsal/script.ts'

export interface ModelsOptions extends ModelSources {
  /** The script to play; absent: the one that the name leads to, or the embedded one. */
  rehearsal?: Rehearsal
  /** Where other coding agents work, for agents with a `harness`. Absent: they do not. */
  harness?: HarnessPlace
  /** Reads the script of `rehearsal/path/to/script.yaml`. */
  loadRehearsal?(path: string): Promise<Rehearsal>
}

/**
 * Opens models by name: one of the team's, or `provider/model`. An unknown name throws here; a missing key fails when
 * the model is called, so that a fallback can take over.
 */
export function openModels(options: ModelsOptions): (name: string) => Promise<Model> {
  const open = async (spec: ModelSpec): Promise<Model> => {
    if (spec.harness) return harnessModel(spec.harness, options.harness)
    if (spec.provider !== rehearsalProvider) return providerModel(spec, options.env)
    return playRehearsal(options.rehearsal ?? (await scriptOf(spec.model, options)))
  }
  return async (name) => {
    const spec = resolveModel(name, options)
    const model = await open(spec)
    if (!spec.routes) return model
    const routes = spec.routes.map(async ({ model: other, examples }) => ({
      model: await open(resolveModel(other, options)),
      examples,
    }))
    return routed(model, await Promise.all(routes))
  }
}

async function scriptOf(path: string, { loadRehearsal }: ModelsOptions): Promise<Rehearsal> {
  if (path !== '' && path !== defaultScript.name && loadRehearsal) return loadRehearsal(path)
  return ownRehearsal(defaultScript)
}
