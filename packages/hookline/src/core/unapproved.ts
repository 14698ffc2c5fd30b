import type { Opinion } from './effects.ts'
import type { Where } from './errors.ts'
import { printable } from './text.ts'

/**
 * What a hook does beside looking on and refusing. `runs`: programs. `sends`: over the network. `writes`: outside our own
 * directories. `allows`: what others would ask about. `loosens`: it rewrites in another way than by taking something out.
 * `addsContext`: text for the model. `quotes`: its reasons can hold text of its arguments.
 */
export const deeds = ['runs', 'sends', 'writes', 'allows', 'loosens', 'addsContext', 'quotes'] as const
export type Deed = (typeof deeds)[number]

/** Whether something that does this and no more may run in a project that nobody has approved: what it allows does not count there. */
export const onlyTightens = (done: readonly Deed[]): boolean =>
  done.every((deed) => deed === 'quotes' || deed === 'allows')

/** Why the model does not read what a project has written. */
export const notApproved = "Nobody has approved the project's own words yet; only the user sees them."

/** What the model reads in place of anything that an unapproved project has written: where it stands, and nothing of it. */
export const unapprovedSentence = {
  deny: (where?: Where) => `Refused by a hook of this project${placeIn(where)}. ${notApproved}`,
  ask: (where?: Where) => `A hook of this project${placeIn(where)} wants the user to confirm this. ${notApproved}`,
  failed: (where?: Where) =>
    `A hook of this project${placeIn(where)} failed, so this is refused. Nobody has approved the project yet; only the user sees why.`,
  waits: (where?: Where) =>
    `Nobody has approved a hook${placeIn(where)}, so it did not run, and this is refused. Only the user can approve it.`,
}

/**
 * What counts of the answer of a hook that nobody has approved: it may refuse, ask, end the run, take something out and
 * tell the person. What it would allow or add does not count. Unless its words are ours, the person reads them, and the
 * model reads our sentence.
 */
export function withoutApproval(opinion: Opinion, wordsAreOurs: boolean, where?: Where): Opinion {
  const { decision, halt, rewrite, message = [], metadata } = opinion
  const refuses = decision !== undefined && decision.ruling !== 'allow'
  const kept: Opinion = { ...(rewrite && { rewrite }) }
  if (wordsAreOurs)
    return {
      ...kept,
      ...(refuses && { decision }),
      ...(halt && { halt }),
      ...(message.length > 0 && { message }),
      ...(metadata && { metadata }),
    }
  const words = [...(refuses ? [decision.reason] : []), ...(halt ? [halt.reason] : []), ...message]
  const shown = words.filter((text) => text.trim() !== '').map((text) => forPerson(text, where))
  if (refuses) {
    const sentence = decision.ruling === 'ask' ? unapprovedSentence.ask : unapprovedSentence.deny
    kept.decision = { ruling: decision.ruling, reason: sentence(where) }
  }
  if (halt) kept.halt = { reason: unapprovedSentence.deny(where) }
  if (shown.length > 0) kept.message = shown
  return kept
}

/** A long text would push away what else is on the screen, and one with control characters could rewrite it. */
export function forPerson(text: string, where?: Where): string {
  const short = text.length > longestText ? `${text.slice(0, longestText - 1)}…` : text
  return `${where ? `${placeOf(where)} says: ` : ''}${printable(short)}`
}

const longestText = 1_000

/** A place as it is known from where the agent works: below it without the way there, else from the home directory. */
export function seenFrom<W extends Where>(where: W, from: Readonly<Record<string, unknown>>, home?: string): W {
  const { file } = where
  const base = [from['cwd'], from['project_dir']].find((each) => typeof each === 'string' && isBelow(file, each))
  if (typeof base === 'string') return { ...where, file: file.slice(base.replace(/\/+$/, '').length + 1) }
  return home !== undefined && isBelow(file, home) ? { ...where, file: `~/${file.slice(home.length + 1)}` } : where
}

const isBelow = (file: string, directory: string): boolean =>
  directory.length > 1 && file.startsWith(`${directory.replace(/\/+$/, '')}/`)

/** ` (file:line)`, or nothing: never what a project could say by the name of a directory. */
export const placeIn = (where: Where | undefined): string => (where ? ` (${placeOf(where)})` : '')

/**
 * Files and directories can be called anything: of their names, nothing is left that breaks out of the line, and none that
 * is a sentence. A project chooses the names of its files (`hooks.d/…`, and what a link leads to) freely.
 */
function placeOf({ file, line }: Where): string {
  const segments = file.replace(/[^\p{L}\p{N}._~@+/\\: -]/gu, '?').split('/')
  const plain = segments.map((name, at) => (isSentence(name, at === segments.length - 1) ? '…' : name)).join('/')
  const short = plain.length > longestPath ? `…${plain.slice(-longestPath)}` : plain
  return line === undefined ? short : `${short}:${line}`
}

const isSentence = (name: string, isFile: boolean): boolean =>
  (name.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) > (isFile ? 3 : 5) || (isFile && name.length > 32)

const longestPath = 120
