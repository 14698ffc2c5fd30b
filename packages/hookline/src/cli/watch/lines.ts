import { stringifyJson } from '../../core/index.ts'
import type { Invocation } from '../command.ts'
import { answered, harmless, masked } from '../questions/show.ts'
import { paintFor } from '../text/paint.ts'
import { decisionLine } from './draw.ts'
import type { FeedListener } from './feed.ts'
import { addEntry, nothingYet } from './model.ts'

/** For programs: one object on a line for each decision and each question that comes or goes. */
export const inJson = ({ output }: Pick<Invocation, 'output'>): FeedListener => {
  const say = (value: unknown) => void output.write(`${stringifyJson(value)}\n`)
  return {
    entry: (entry, before) => before || say({ type: 'decision', entry }),
    asked: (question) => say({ type: 'asked', question: masked(question) }),
    settled: (question, answer) => say({ type: 'settled', question: masked(question), answer: answer ?? null }),
    connection: (daemon) => say({ type: 'daemon', running: daemon !== undefined }),
  }
}

/** Where there is no terminal: a line for each, from now on. */
export const inLines = ({ output }: Pick<Invocation, 'output'>): FeedListener => {
  const watched = nothingYet()
  const paint = paintFor(output)
  const say = (text: string) => void output.write(`${text.trimEnd()}\n`)
  return {
    entry(entry, before) {
      const row = addEntry(watched, entry)
      if (row && !before) say(decisionLine(row, false, { hosts: 8, projects: 12, columns: 140 }, { paint }).trimStart())
    },
    asked: ({ id, host, what }) => say(`? waiting ${id}  ${harmless(host)}  ${harmless(what)}`),
    settled: ({ id, what }, answer) =>
      say(`${answer ? answered[answer.answer] : 'Nobody answered'}: ${id}  ${harmless(what)}`),
    connection: () => {},
  }
}
