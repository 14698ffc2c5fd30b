/** Shell patterns as regular expressions: `*`, `?`, `[…]`. */
const cache = new Map<string, RegExp>()
const CACHE_SIZE = 512

export function globToRegExp(pattern: string, crossSlashes = true): RegExp {
  const key = `${crossSlashes}${pattern}`
  const known = cache.get(key)
  if (known) return known
  if (cache.size >= CACHE_SIZE) cache.clear()
  const expression = compile(`^(?:${translate(pattern, crossSlashes)})$`, pattern)
  cache.set(key, expression)
  return expression
}

export function translate(pattern: string, crossSlashes = true): string {
  const any = crossSlashes ? '[^]' : '[^/]'
  let source = ''
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] as string
    if (char === '*') {
      while (pattern[at + 1] === '*') at++ // runs of stars mean one star, and cost one star
      source += `${any}*`
    } else if (char === '?') source += any
    else if (char === '[') {
      const close = pattern.indexOf(']', at + 2)
      if (close < 0) source += '\\['
      else {
        const body = pattern.slice(at + 1, close).replace(/[\\\]]/g, '\\$&')
        source += `[${body.replace(/^!/, '^')}]`
        at = close
      }
    } else source += char.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  }
  return source
}

function compile(source: string, pattern: string): RegExp {
  try {
    return new RegExp(source)
  } catch {
    return new RegExp(`^${pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`)
  }
}
