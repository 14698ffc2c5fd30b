import { placeOf } from '../places.ts'
import { isAgentConfig, isGitInternal, isStartup } from '../sensitive.ts'
import type { Field } from '../text.ts'
import type { Danger, State } from '../types.ts'

/** What is lost, or gained by someone else, when this word is written to. */
export function judgeWrite(word: Field, state: State): Danger | undefined {
  if (isAgentConfig(word, state))
    return {
      category: 'self-protection',
      radius: 'high',
      reason: 'It changes the configuration that watches over the agent.',
    }
  if (isStartup(word, state))
    return {
      category: 'persistence',
      radius: 'high',
      reason: 'It changes a file that runs, or lets someone in, later.',
    }
  switch (placeOf(word, state)) {
    case 'device':
      return {
        category: 'block-device',
        radius: 'high',
        reason: 'It writes straight to a disk and destroys what is on it.',
      }
    case 'root':
    case 'system':
      return {
        category: 'fs-overwrite',
        radius: 'high',
        reason: 'It overwrites a file that belongs to the operating system.',
      }
    case 'home':
      return { category: 'fs-overwrite', radius: 'high', reason: 'It overwrites the home directory.' }
    default:
      if (isGitInternal(word, state))
        return { category: 'git-destroy', radius: 'medium', reason: 'It overwrites the inner files of the repository.' }
      return undefined
  }
}
