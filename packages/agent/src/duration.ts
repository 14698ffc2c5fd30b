import * as z from 'zod/mini'

/** A duration as Go writes it: `500ms`, `30s`, `1m30s`, `2h`. */
export const duration = z
  .string()
  .check(z.regex(/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/, 'must be a duration, such as `500ms`, `30s` or `2m`'))

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

export function milliseconds(text: string): number {
  const parts = [...text.matchAll(/([\d.]+)(ms|s|m|h)/g)]
  return parts.reduce((sum, [, number, unit = 's']) => sum + Number(number) * units[unit]!, 0)
}
