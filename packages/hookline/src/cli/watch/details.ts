import type { PendingQuestion } from '../../daemon/index.ts'
import { harmless, timesOf } from '../questions/show.ts'
import { idOf, millis } from '../text/entries.ts'
import { shownPath } from '../text/path.ts'
import { labelled } from './cells.ts'
import type { Row } from './rows.ts'

/** Everything that helps to answer. */
export function aboutQuestion(question: PendingQuestion, width: number, now: number): string[] {
  const { host, session, cwd, what, reason, hooks, details = {}, id } = question
  const { waited, left } = timesOf(question, now)
  return labelled(
    [
      ['would run', harmless(what)],
      ['why', harmless(reason)],
      ...given('asked by', hooks.map(harmless).join(', ')),
      ...Object.entries(details)
        .filter(([name, text]) => name !== 'reason' && !reason.includes(text))
        .map(([name, text]) => [harmless(name).replaceAll('_', ' '), harmless(text)]),
      ['agent', harmless(host)],
      ['where', shownPath(cwd)],
      ...given('session', session && harmless(session)),
      ['waits', `${waited}; ${left} left, then it is refused`],
      ['elsewhere', `hookline answer ${id} yes|session|always|no`],
    ],
    width,
  )
}

export function aboutRow({ entry, what, host, remark, ms, time }: Row, width: number): string[] {
  const { decision, halt, rules = [], actions = [], session_id: session, project } = entry
  return labelled(
    [
      ['what', what],
      ['decided', remark || 'nothing against it'],
      ...given('why', harmless(halt?.reason ?? decision?.reason ?? '')),
      ...given('rules', rules.map(harmless).join(', ')),
      ...given('would', actions.map(harmless).join('; ')),
      ['agent', host],
      ...given('project', project && shownPath(project)),
      ...given('session', session && harmless(session)),
      ['when', `${time}${ms === undefined ? '' : `, in ${millis(ms)}`}`],
      ['all of it', `hookline log show ${idOf(entry).replace('#', '')}`],
    ],
    width,
  )
}

const given = (label: string, text: string | undefined): string[][] => (text ? [[label, text]] : [])

export const keyLines = (width: number): string[] =>
  labelled(
    [
      ['y', 'yes, this once'],
      ['s', 'yes, and the same call in the rest of the session'],
      ['a', 'always: adds a rule, which is shown before it is written'],
      ['n', 'no'],
      ['N', 'no, and say why: the agent reads it'],
      ['d, enter', 'details of what is chosen'],
      ['up, down', 'choose another question or decision (also k, j)'],
      ['/', 'show only lines with these words'],
      ['esc', 'back'],
      ['q', 'quit'],
    ],
    width,
  )
