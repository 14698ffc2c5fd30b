/**
 * Shell patterns: `*`, `?`, `[…]`. Patterns come from the line being judged, so matching must stay cheap for every one:
 * no regular expressions, no backtracking beyond the last star.
 */
type Token =
  | { kind: 'star' }
  | { kind: 'any' }
  | { kind: 'set'; negated: boolean; body: string }
  | { kind: 'char'; char: string }

/** Whether the pattern matches all of the text. With `paths`, a star stays within one directory. */
export function matchesGlob(pattern: string, text: string, paths = false): boolean {
  if (!paths) return matchTokens(tokenise(pattern), text)
  const [patterns, parts] = [pattern.split('/'), text.split('/')]
  return patterns.length === parts.length && patterns.every((each, at) => matchTokens(tokenise(each), parts[at] ?? ''))
}

function matchTokens(tokens: readonly Token[], text: string): boolean {
  let [at, from] = [0, 0]
  let [star, resume] = [-1, 0]
  while (at < text.length) {
    const token = tokens[from]
    if (token?.kind === 'star') {
      star = from++
      resume = at
    } else if (token && matchesOne(token, text[at] as string)) {
      at++
      from++
    } else if (star >= 0) {
      from = star + 1
      at = ++resume
    } else return false
  }
  while (tokens[from]?.kind === 'star') from++
  return from === tokens.length
}

/** One pattern is held against many names, one after the other: the last ones stay read. */
const read = new Map<string, readonly Token[]>()
const mostRead = 64

function tokenise(pattern: string): readonly Token[] {
  const known = read.get(pattern)
  if (known) return known
  const tokens = readPattern(pattern)
  if (read.size >= mostRead) read.clear()
  read.set(pattern, tokens)
  return tokens
}

function readPattern(pattern: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] as string
    const close = char === '[' ? pattern.indexOf(']', at + 2) : -1
    if (char === '*') tokens.push({ kind: 'star' })
    else if (char === '?') tokens.push({ kind: 'any' })
    else if (close > 0) {
      const body = pattern.slice(at + 1, close)
      const negated = body.startsWith('!') || body.startsWith('^')
      tokens.push({ kind: 'set', negated, body: negated ? body.slice(1) : body })
      at = close
    } else tokens.push({ kind: 'char', char })
  }
  return tokens
}

function matchesOne(token: Token, char: string): boolean {
  if (token.kind === 'char') return token.char === char
  if (token.kind !== 'set') return true
  const { body } = token
  let found = false
  for (let at = 0; at < body.length; at++) {
    const end = body[at + 1] === '-' ? body[at + 2] : undefined
    found ||= end === undefined ? body[at] === char : (body[at] as string) <= char && char <= end
    if (end !== undefined) at += 2
  }
  return found !== token.negated
}
