import type { PendingQuestion } from '../../daemon/index.ts'
import { filtered, type Watched } from './model.ts'
import type { Row } from './rows.ts'

/** What the person has chosen to see, beside what is known. */
export interface View {
  filter: string
  /** What the keys are typed into, where that is not the list. */
  typing?: Typing
  /** Instead of the list of decisions. */
  panel?: 'keys' | 'details'
  /** What is chosen: the id of a question or the key of a row. Absent: the oldest question. */
  chosen?: string
  /** One line at the bottom: what came of the last key. */
  notice?: string
  /** Why nobody here may answer; absent: somebody may. */
  readOnly?: string
}

export interface Typing {
  label: string
  text: string
  /** Shown as nothing. */
  secret?: boolean
}

/** The question that the keys answer: the chosen one, else the oldest. */
export function questionAt({ questions }: Watched, { chosen }: View): PendingQuestion | undefined {
  return questions.find(({ id }) => id === chosen) ?? questions[0]
}

export const rowAt = (watched: Watched, { chosen, filter }: View): Row | undefined =>
  chosen === undefined ? undefined : filtered(watched, filter).find(({ key }) => key === chosen)

/** What the arrows move through: the questions, then the decisions. */
export function choose(watched: Watched, view: View, by: 1 | -1): string | undefined {
  const all = [...watched.questions.map(({ id }) => id), ...filtered(watched, view.filter).map(({ key }) => key)]
  const at = view.chosen === undefined ? -1 : all.indexOf(view.chosen)
  if (at === -1) return by === 1 ? all[watched.questions.length > 1 ? 1 : 0] : undefined
  return all[Math.max(0, Math.min(all.length - 1, at + by))]
}
