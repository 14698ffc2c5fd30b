import * as z from 'zod/mini'
import { defineBuiltin, eventRow } from '../../core/index.ts'
import { argument } from '../args.ts'
import { maskedText } from '../canary.ts'
import { replaceBy } from '../effects.ts'
import { eventsHonouring } from '../events.ts'
import { type KindName, kindNames, maskPersonal } from './find.ts'

export const piiRedactor = defineBuiltin({
  name: 'pii_redactor',
  doc: 'Removes personal data: e-mail addresses, phone numbers, IBANs, card and social security numbers; checksums are checked where there are any. Secrets are another matter: see `redact_secrets`.',
  events: eventsHonouring('rewrite', 'tool_response_transform'),
  args: z.strictObject({ kinds: argument(z.array(z.enum(kindNames)), 'What to remove.', kindNames) }),
  answer(event, { kinds }) {
    const before = event.payload[eventRow(event.name).rewrites as string]
    const found: KindName[] = []
    const after = maskAll(before, kinds, found)
    if (found.length === 0) return undefined
    return { rewrite: replaceBy(after), message: [`pii_redactor: removed ${summary(found)}`] }
  },
  examples: [
    {
      title: 'an address and a number in a result',
      event: 'tool_response_transform',
      payload: {
        tool_name: 'crm',
        tool_input: {},
        tool_response: 'Ada <ada.l@engine.io>, +44 20 7946 0958, order 2026-03-09',
      },
      expect: {
        rewrite: { mode: 'replace', value: 'Ada <[email removed]>, [phone removed], order 2026-03-09' },
        message: ['pii_redactor: removed 1 email, 1 phone'],
      },
    },
    {
      title: 'what only looks like it',
      event: 'on_response_end',
      payload: {
        response: 'Clone git@github.com:a/b.git, version 10.20.30.4000, id 1234 5678 9012 3456, at 192.168.100.200.',
      },
      expect: undefined,
    },
  ],
  canary: ({ kinds }, event) =>
    kinds.includes('email') ? maskedText(event, 'an e-mail address', 'Ask ada.l@engine.io') : undefined,
})

function maskAll(value: unknown, kinds: readonly KindName[], found: KindName[]): unknown {
  if (typeof value === 'string') {
    const { masked, found: more } = maskPersonal(value, kinds)
    found.push(...more)
    return masked
  }
  if (Array.isArray(value)) return value.map((item) => maskAll(item, kinds, found))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskAll(item, kinds, found)]))
}

function summary(found: readonly KindName[]): string {
  return [...new Set(found)].map((kind) => `${found.filter((each) => each === kind).length} ${kind}`).join(', ')
}
