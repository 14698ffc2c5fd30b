import { isRecord } from '../core/index.ts'

/** The payload with these keys called otherwise; what is there already under the new name stays. */
export function renamed(
  payload: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const made: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(payload)) {
    const name = Object.hasOwn(names, key) ? names[key]! : key
    if (name === key || payload[name] === undefined) made[name] ??= value
  }
  return made
}

export const without = (payload: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(payload).filter(([key]) => !keys.includes(key)))

/** The object that a text is; an empty one where it is none. */
export function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
