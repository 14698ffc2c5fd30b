import { asOpened, type Place, placeOf } from './places.ts'
import { isAgentConfig, isGitInternal, isSecret, isStartup, isTyped } from './sensitive.ts'
import type { Field } from './text.ts'
import type { Danger, State } from './types.ts'

const danger = (category: Danger['category'], radius: Danger['radius'], reason: string, at?: Place): Danger => ({
  category,
  radius,
  reason,
  ...(at && { at }),
})

/** What is lost when this word is deleted. Recursion and force decide only where the place alone does not. */
export function judgeDelete(word: Field, recursive: boolean, force: boolean, state: State): Danger[] {
  const dangers: Danger[] = []
  const both = recursive && force
  const place = placeOf(word, state)
  switch (place) {
    case 'root':
      dangers.push(danger('fs-delete', 'high', 'It deletes the whole file system.', place))
      break
    case 'system':
      dangers.push(danger('fs-delete', 'high', 'It deletes files that the operating system needs.', place))
      break
    case 'device':
      dangers.push(danger('block-device', 'high', 'It deletes a device.', place))
      break
    case 'home':
      if (recursive || word.glob || word.taints.includes('listed'))
        dangers.push(danger('fs-delete', 'high', 'It deletes a whole home directory.', place))
      break
    case 'home-child':
      if (both) dangers.push(danger('fs-delete', 'high', 'It deletes a whole directory of the home directory.', place))
      break
    case 'start':
      if (both) dangers.push(danger('fs-delete', 'high', 'It deletes everything in the working directory.', place))
      break
    case 'above':
      if (both) dangers.push(danger('fs-delete', 'high', 'It deletes files outside the working directory.', place))
      break
    case 'outside':
      if (both)
        dangers.push(danger('fs-delete', 'high', 'It deletes a directory outside the working directory.', place))
      break
    default:
      if (both && word.taints.includes('listed'))
        dangers.push(danger('fs-delete', 'medium', 'It deletes whatever another command lists, unseen.', place))
  }
  if (isAgentConfig(word, state))
    dangers.push(danger('self-protection', 'high', 'It deletes the configuration that watches over the agent.'))
  // A lock is what a crash has left behind.
  if (isGitInternal(word, state) && !/\.lock$/.test(word.text))
    dangers.push(danger('git-destroy', 'high', 'It deletes the history of the repository.'))
  return dangers
}

/** What is lost, or gained by someone else, when this word is written to. */
export function judgeWrite(named: Field, state: State): Danger | undefined {
  const word = asOpened(named, state)
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
  if (isTyped(word, state))
    return { category: 'system', radius: 'medium', reason: 'It changes the record of what was done.' }
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

/** What is lost when a file of the person is emptied: nothing takes the place of what was in it. */
export const judgeEmptied = (word: Field, state: State): Danger[] =>
  isPersonal(word, state) || isSecret(word, state) ? [EMPTIES] : []

/** What is lost when something is moved to where nobody looks for it. */
export function judgeMove(word: Field, target: Field | undefined, state: State): Danger[] {
  if (!target || !isPersonal(word, state)) return []
  const to = placeOf(target, state)
  const leaves = to === 'temp' || (to === 'outside' && !target.text.startsWith(`${state.home}/`)) || to === 'system'
  return leaves ? [MOVES_OUT] : []
}

/** A directory or file of the home that is not the project, as far as the word says. */
const isPersonal = (word: Field, state: State): boolean => {
  const place = placeOf(word, state)
  return place === 'home-child' || (place === 'outside' && word.text.startsWith(`${state.home}/`))
}

const EMPTIES = danger('fs-overwrite', 'medium', 'It empties a file of the home directory.')
const MOVES_OUT = danger('fs-delete', 'medium', 'It moves something out of the home directory.')
