interface Spelling {
  /** Fields that are called something else in the shape that the host uses. */
  names?: Readonly<Record<string, string>>
  /** By field in that shape: values that it calls something else. */
  values?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** A payload whose fields are in camelCase, some of them a second time in snake_case: each once, in snake_case. */
export function snakeCased(
  payload: Readonly<Record<string, unknown>>,
  { names = {}, values = {} }: Spelling,
): Record<string, unknown> {
  const read: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(payload)) {
    const name = Object.hasOwn(names, key) ? names[key]! : snake(key)
    if (name !== key && Object.hasOwn(payload, name)) continue
    const others = Object.hasOwn(values, name) ? values[name]! : {}
    read[name] = typeof value === 'string' && Object.hasOwn(others, value) ? others[value] : value
  }
  return read
}

const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
