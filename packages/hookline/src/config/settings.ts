import { mergeSettings, type Settings, settingLayers } from '../core/index.ts'
import type { ConfigFile } from './discover.ts'
import { readConfig } from './load.ts'
import { readText } from './read-file.ts'

/** A quick look, so that a file which decides nothing beside its hooks is not parsed for it. */
const mayDecide = /\b(?:journal|trust)\b/

/** What the user and the administrator have decided beside hooks. What is wrong with it is told where hooks are loaded. */
export async function readSettings(files: readonly ConfigFile[]): Promise<Settings> {
  const own = files.filter(({ layer, refused }) => settingLayers.has(layer) && !refused)
  return mergeSettings(await Promise.all(own.map(settingsOf)))
}

async function settingsOf({ file, layer, dialect }: ConfigFile): Promise<Settings> {
  const read = await readText(file)
  if (!read.ok || !mayDecide.test(read.text)) return {}
  return (await readConfig(file, { layer, text: read.text, ...(dialect !== undefined && { dialect }) })).settings
}
