import { resolve } from 'node:path'
import {
  formatNote,
  type Hooks,
  type Invocation,
  isAlwaysOn,
  shortened,
  texts,
  waitingHooks,
  waitingNote,
} from 'hookline/internal'
import { ask, type Screen, trustFor } from './approval.ts'

/**
 * What waits for approval, before the first event: a person sees it and decides once; without a person it is one
 * sentence. Gives back the ids of those that stay unapproved, about which nothing more need be said; undefined when the
 * person interrupts. The hooks of the agent file are shown to a person together with what else it brings.
 */
export async function offerHooks(
  hooks: Hooks,
  cwd: string,
  agentFile: string | undefined,
  invocation: Invocation,
  screen: Screen,
): Promise<readonly string[] | undefined> {
  const trust = trustFor(invocation)
  if (!trust) return []
  const isOfAgent = (file: string | undefined) =>
    file !== undefined && agentFile !== undefined && resolve(file) === resolve(agentFile)
  const all = (await waitingHooks(trust, hooks, cwd)).filter(({ hook }) => !isAlwaysOn(hook))
  const waiting = all.filter(({ hook }) => !screen.person || !isOfAgent(hook.origin.where?.file))
  if (waiting.length === 0) return []
  const ids = waiting.map(({ hook }) => hook.id)
  const namesFiles =
    texts(invocation.values['config']).length > 0 || waiting.some(({ hook }) => isOfAgent(hook.origin.where?.file))
  const later = formatNote(waitingNote(waiting, namesFiles))
  if (!screen.person || waiting.every(({ state }) => state === 'refused')) {
    screen.say([later])
    return ids
  }
  const files = new Set(waiting.map(({ hook }) => shortened(hook.origin.where?.file ?? '', process.cwd())))
  const question = 'Approve them, and remember that? If not, they do not run, and those that guard refuse.'
  const answer = await ask(trust, [...files].join(', '), waiting, question, invocation, screen)
  if (answer === undefined) return undefined
  if (!answer) screen.say([later])
  return answer ? [] : ids
}
