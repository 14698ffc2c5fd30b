import type { Model } from '../../model.ts'
import { playRehearsal } from './play.ts'
import { checkRehearsal } from './read.ts'
import type { Script } from './script.ts'

export { defaultScript } from './default.ts'
export { rehearsalLanguageModel } from './language-model.ts'
export { playRehearsal } from './play.ts'
export { type Rehearsal, readRehearsal } from './read.ts'
export { type Script, scriptSchema } from './script.ts'

/** A model that plays this script. Throws when something is wrong with it, and lists all that is. */
export function rehearse(script: Omit<Script, 'rehearsal'>): Model {
  return playRehearsal(checkRehearsal({ rehearsal: 1, ...script }))
}
