import * as z from 'zod/mini'
import type { Person, Tool } from '../../core/index.ts'
import { askPerson } from '../run.ts'
import type { Session } from '../session.ts'
import { placeOf } from '../steps.ts'
import { defineOwn, text } from './define.ts'

const questionInput = z.object({
  question: text('The question, complete in itself.'),
  options: z.optional(z.array(z.string()).check(z.describe('Answers to choose from, if there are such.'))),
})

/** Present only while a person can answer. */
export function askUser(session: Session): Tool[] {
  if (!session.shared.options.person) return []
  return [
    defineOwn({
      name: 'ask_user',
      description:
        'Ask the user one question and wait for the answer. Only when you cannot find out or decide yourself.',
      category: 'user',
      harmless: true,
      input: questionInput,
      async run({ question, options = [] }, { signal, id }) {
        const ask = (person: Person) => person.answer(question, options, signal)
        const answer = await askPerson(session, signal, ask, placeOf(session, id, 'tool'))
        return { content: answer ?? 'Nobody is there to answer.', ...(answer === undefined ? { error: true } : {}) }
      },
    }),
  ]
}
