import { isRecord } from 'hookline/internal'

const hole = /\{\{\s*(\w+)\s*\}\}/g

/** Every `{{ name }}` in the texts of a value. */
export function placeholders(value: unknown): string[] {
  return textsOf(value).flatMap((text) => [...text.matchAll(hole)].map((match) => match[1]!))
}

/** The value with every `{{ name }}` replaced. What is filled in is not looked at again. */
export function fill<T>(value: T, values: Readonly<Record<string, string>>): T {
  if (typeof value === 'string')
    return value.replace(hole, (whole, name: string) => (Object.hasOwn(values, name) ? values[name]! : whole)) as T
  if (Array.isArray(value)) return value.map((item) => fill(item, values)) as T
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, values)])) as T
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsOf)
  return isRecord(value) ? Object.values(value).flatMap(textsOf) : []
}
