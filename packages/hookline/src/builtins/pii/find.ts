/** Personal data, told by its shape and, where it has one, its checksum. What touches a marker is part of the same word. */
export interface PersonalKind {
  /** Every candidate; `accept` decides. */
  pattern: RegExp
  accept?(text: string): boolean
}

const digitsOf = (text: string): string => text.replace(/\D/g, '')

export const kinds = {
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
export type KindName = keyof typeof kinds
export const kindNames = Object.keys(kinds) as KindName[]

export function maskPersonal(text: string, wanted: readonly KindName[]): { masked: string; found: KindName[] } {
  const found: KindName[] = []
  const masked = wanted.reduce((left, name) => {
    const { pattern, accept }: PersonalKind = kinds[name]
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
