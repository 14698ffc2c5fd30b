import * as z from 'zod/mini'
import { defineBuiltin, eventRow } from '../core/index.ts'
import { maskedText } from './canary.ts'
import { argument, eventsHonouring, replaceBy } from './parts.ts'

/** Personal data, recognised by its shape and, where it has one, its checksum. What touches a marker is part of the same word. */
interface PersonalKind {
  /** Every candidate; `accept` decides. */
  pattern: RegExp
  accept?(text: string): boolean
}

const personal = {
  email: {
    pattern: /(?<![\w.+\]-])[\w.+-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,24}(?![\w[-])/gi,
    accept: isEmail,
  },
  iban: { pattern: /(?<![\w\]])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![\w[])/g, accept: isIban },
  card: {
    pattern:
      /(?<![\w.\]-])\d{4}(?:[ -]?\d{4}){2}[ -]?\d{1,7}(?![\w[-])|(?<![\w.\]-])3[47]\d{2}[ -]?\d{6}[ -]?\d{5}(?![\w[-])/g,
    accept: isCard,
  },
  ssn: { pattern: /(?<![\w\]-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w[-])/g },
  phone: {
    pattern:
      /(?<![\w.+/\]-])(?:\+\d{1,3}[ .-]?(?:\(0?\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){1,4}|\([2-9]\d{2}\) ?[2-9]\d{2}[ .-]\d{4}|[2-9]\d{2}[.-][2-9]\d{2}[.-]\d{4})(?![\w[-])/g,
    accept: isPhone,
  },
} satisfies Record<string, PersonalKind>
type KindName = keyof typeof personal
export const kindNames = Object.keys(personal) as KindName[]

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
  does: [],
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

export function maskPersonal(text: string, wanted: readonly KindName[]): { masked: string; found: KindName[] } {
  const found: KindName[] = []
  const masked = wanted.reduce((left, name) => {
    const { pattern, accept }: PersonalKind = personal[name]
    return left.replace(pattern, (match) => {
      if (accept && !accept(match)) return match
      found.push(name)
      return `[${name} removed]`
    })
  }, text)
  return { masked, found }
}

/** Addresses of programs and of nobody: git remotes, and the names kept for examples. */
function isEmail(text: string): boolean {
  return !/^git@|@(?:[\w-]+\.)*(?:example\.(?:com|org|net)|example|test|invalid|localhost)$|@(?:users\.)?noreply\./i.test(
    text,
  )
}

function isCard(text: string): boolean {
  const digits = digitsOf(text)
  if (digits.length < 13 || digits.length > 19 || /^(\d)\1+$/.test(digits) || !/^[2-6]/.test(digits)) return false
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    const doubled = at % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** ISO 13616: moved round and read as one number, it leaves 1 when divided by 97. */
function isIban(text: string): boolean {
  const plain = text.replaceAll(' ', '')
  if (plain.length < 15 || plain.length > 34) return false
  const turned = plain.slice(4) + plain.slice(0, 4)
  let rest = 0
  for (const character of turned)
    for (const digit of String(Number.parseInt(character, 36))) rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}

/** Enough digits for a number one can call (E.164), and not the form of a date or a version. */
function isPhone(text: string): boolean {
  const digits = digitsOf(text)
  return digits.length >= 8 && digits.length <= 15 && !/^\d{4}-\d{2}-\d{2}/.test(text)
}

const digitsOf = (text: string): string => text.replace(/\D/g, '')
