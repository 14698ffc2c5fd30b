import { userInfo } from 'node:os'
import { printable } from '../../core/index.ts'
import type { AnswerResult, GivenAnswer, PendingQuestion } from '../../daemon/index.ts'
import { redactText, redactValue } from '../../guards/index.ts'
import { inputTerminal } from '../../platform/index.ts'
import { ruleLine } from '../rules/line.ts'
import type { Paint } from '../text/paint.ts'
import { shownPath } from '../text/path.ts'
import type { Lasting } from './always.ts'

/** What an agent or a project has written, for a screen: no secret, no escape sequence, on one line, and no longer than anybody reads. */
export const harmless = (text: string): string =>
  printable(redactText(text.slice(0, mostCharacters)).redacted.replace(/\s+/g, ' ').trim())
const mostCharacters = 4_000

/** The same of a whole question, for programs. */
export const masked = (question: PendingQuestion): PendingQuestion => redactValue(question).value

/** How long it has waited and may still wait, in whole seconds. */
export function timesOf({ asked, expires }: PendingQuestion, now = Date.now()): { waited: string; left: string } {
  const seconds = (ms: number) => `${Math.max(0, Math.round(ms / 1000))} s`
  return { waited: seconds(now - Date.parse(asked)), left: seconds(Date.parse(expires) - now) }
}

/** A question for a terminal, without how to answer it. */
export function showQuestion(question: PendingQuestion, paint: Paint): string[] {
  const { id, host, cwd, what, reason, hooks } = question
  const { waited, left } = timesOf(question)
  return [
    `${paint.yellow('?')} ${paint.bold(id)}  ${harmless(host)}  ${shownPath(cwd)}  ${paint.dim(`waits for ${waited}, ${left} left`)}`,
    `  ${paint.bold(harmless(what))}`,
    ...(reason === '' ? [] : [`  ${harmless(reason)}`]),
    ...(hooks.length === 0 ? [] : [`  ${paint.dim(`asked by ${hooks.map(harmless).join(', ')}`)}`]),
  ]
}

/** The rule that an answer for always writes, and where, before it is written. */
export function showLasting(lasting: Lasting): string {
  if ('impossible' in lasting) return `No rule can answer this: ${lasting.impossible} Answer yes, session or no.`
  return `Adds to ${shownPath(lasting.target.file)}:  ${harmless(ruleLine(lasting.rule))}`
}

/** What became of an answer, in a sentence; undefined: it was taken. */
export function refusalOf(result: AnswerResult, id: string): string | undefined {
  if (result.ok) return undefined
  return {
    late: 'Too late: nobody answered in time, and the call was refused.',
    answered: 'Somebody has answered it already; this answer changes nothing.',
    unknown: `There is no question \`${harmless(id)}\`. \`hookline pending\` lists those that wait.`,
  }[result.reason]
}

export const answered: Record<GivenAnswer['answer'], string> = {
  yes: 'Yes, once',
  session: 'Yes, for this session',
  always: 'Yes, always',
  no: 'No',
}

/** Who sits here, for the journal. */
export function whoAnswers(): string {
  const terminal = inputTerminal()
  return [nameHere(), ...(terminal?.startsWith('/dev/') ? [`at ${terminal}`] : [])].join(' ')
}

function nameHere(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? ''}`.trim()
  }
}
