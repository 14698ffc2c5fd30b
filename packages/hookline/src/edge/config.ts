import type { Bundles } from '../config/bundles.ts'
import type { ConfigFile } from '../config/discover.ts'
import type { ReadFiles } from '../config/layers.ts'
import { type Layered, muteDownwards } from '../config/settle.ts'
import type { DecodedConfig, Dialect, Hook, Source } from '../core/index.ts'
import { missingHere } from './missing.ts'

export { type AloneEntry, isBrokenGuard, settle } from '../config/settle.ts'
export { type ValidatedHooks, validateHooks, withReadableTests } from '../config/validate.ts'

/** Hooks and rules in code only. */
export async function readFiles(
  named: readonly ConfigFile[],
  _members: object,
  weaker: readonly Layered[] = [],
): Promise<ReadFiles> {
  if (named[0]) throw missingHere(`The config file ${named[0].file}`, 'Give `hooks` and `rules` in code.')
  const { hooks, notes } = muteDownwards(weaker)
  return { files: [], hooks, notes, problems: [], alone: [], settings: {}, tools: {}, locateIn: () => undefined }
}

export async function withBundles(
  config: DecodedConfig,
  _dialect: Dialect,
  _source: Source,
  _bundles: Bundles,
): Promise<DecodedConfig> {
  if (config.uses?.length) throw missingHere('`use`', 'Call the guards in a function: `redactText`, `analyseCommand`.')
  return config
}

export function withoutPlace({ origin: { layer }, ...hook }: Hook): Hook {
  return { ...hook, origin: { layer } }
}
