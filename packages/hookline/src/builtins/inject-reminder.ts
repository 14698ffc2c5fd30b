import * as z from 'zod/mini'
import { defineBuiltin } from '../core/index.ts'
import { argument, count, eventsHonouring, optional, required, text } from './parts.ts'
import { compile, pattern } from './patterns.ts'

export const injectReminder = defineBuiltin({
  name: 'inject_reminder',
  once: true,
  doc: 'Reminds the model of something: always, when the user’s message matches a pattern, or every so many times.',
  events: eventsHonouring('context', 'before_llm_call'),
  args: z.strictObject({
    text: required(text, 'What to remind it of.'),
    when: optional(pattern, 'Only when what the user wrote matches this pattern.'),
    every: argument(count, 'Only every so many times, beginning with the first.', 1),
  }),
  fromList: ([text, when]) => ({ text, ...(when === undefined ? {} : { when }) }),
  async answer({ payload }, { text, when, every }, kit) {
    const message = payload['last_user_message'] ?? payload['prompt'] ?? ''
    if (when !== undefined && !(await compile(when)).test(String(message))) return undefined
    if (every > 1 && ((await kit.update<number>(`times ${text}`, (times = 0) => times + 1)) - 1) % every !== 0)
      return undefined
    return { context: [text] }
  },
  does: ['addsContext', 'quotes'],
  examples: [
    {
      title: 'when it matters',
      event: 'before_llm_call',
      payload: { last_user_message: 'Please publish my website' },
      args: { text: 'Publish for real before you say that it is published.', when: '(?i)publish|website' },
      expect: { context: ['Publish for real before you say that it is published.'] },
    },
    {
      title: 'when it does not',
      event: 'before_llm_call',
      payload: { last_user_message: 'What is 2 + 2?' },
      args: { text: 'Publish for real.', when: '(?i)publish|website' },
      expect: undefined,
    },
  ],
})
