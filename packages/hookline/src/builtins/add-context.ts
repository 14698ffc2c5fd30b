import * as z from 'zod/mini'
import { checkTemplate, defineBuiltin, HookFailure, parseTemplate, renderTemplate } from '../core/index.ts'
import { eventsHonouring, required } from './parts.ts'

const template = z.string().check(
  z.refine((text) => checkTemplate(text) === undefined, {
    error: (issue) => checkTemplate(String(issue.input)) ?? '',
  }),
)

export const addContext = defineBuiltin({
  name: 'add_context',
  doc: 'Adds text of your own for the model. `{{ field }}` inserts a field of the payload, `| toJSON` and `| truncate 200` shape it.',
  events: eventsHonouring('context', 'turn_start'),
  args: z.strictObject({
    templates: required(z.array(template).check(z.minLength(1)), 'The texts; blank ones are left out.'),
  }),
  fromList: (templates) => ({ templates }),
  answer(event, { templates }) {
    const texts = templates.map((text) => {
      const parsed = parseTemplate(text)
      const rendered = parsed.ok ? renderTemplate(parsed.template, event.name, event.payload) : parsed
      if (!rendered.ok) throw new HookFailure('spawn', rendered.detail)
      return rendered.text
    })
    const context = texts.filter((text) => text.trim() !== '').join('\n')
    return context === '' ? undefined : { context: [context] }
  },
  does: ['addsContext', 'quotes'],
  examples: [
    {
      title: 'a reminder with a field in it',
      event: 'user_prompt_submit',
      payload: { prompt: 'Deploy it', session_id: 's1' },
      args: ['Session {{ session_id }}.', 'Answer in French.'],
      expect: { context: ['Session s1.\nAnswer in French.'] },
    },
  ],
})
