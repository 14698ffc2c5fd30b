/** A slow, strict JSON reader: one value, no repeated keys, no prototype keys, bounded depth. Throws on anything else. */
export function readJson(text: string): unknown {
  let at = 0
  const source = text.replace(/^\uFEFF/, '')
  const value = read(0)
  blanks()
  if (at < source.length) throw new Error('something follows')
  return value

  function blanks() {
    while (at < source.length && ' \t\r\n'.includes(source[at]!)) at++
  }
  function take(expected: string) {
    if (!source.startsWith(expected, at)) throw new Error(`expected ${expected}`)
    at += expected.length
  }
  function closes(bracket: string) {
    const found = source[at] === bracket
    if (found) at++
    return found
  }
  function read(depth: number): unknown {
    if (depth > 64) throw new Error('too deep')
    blanks()
    const next = source[at]
    if (next === '{') return object(depth + 1)
    if (next === '[') return list(depth + 1)
    const scalar =
      /^(?:"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/.exec(
        source.slice(at),
      )
    if (!scalar) throw new Error('not a value')
    at += scalar[0].length
    return JSON.parse(scalar[0])
  }
  function object(depth: number) {
    const result: Record<string, unknown> = {}
    take('{')
    blanks()
    if (closes('}')) return result
    for (;;) {
      blanks()
      if (source[at] !== '"') throw new Error('expected a key')
      const key = read(depth) as string
      if (Object.hasOwn(result, key) || ['__proto__', 'constructor', 'prototype'].includes(key))
        throw new Error('bad key')
      blanks()
      take(':')
      result[key] = read(depth)
      blanks()
      if (closes('}')) return result
      take(',')
    }
  }
  function list(depth: number) {
    const result: unknown[] = []
    take('[')
    blanks()
    if (closes(']')) return result
    for (;;) {
      result.push(read(depth))
      blanks()
      if (closes(']')) return result
      take(',')
    }
  }
}
