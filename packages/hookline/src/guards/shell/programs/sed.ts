/** The few sed commands that do more than print: `e`, `w`, `W`, and the flags of `s`. */
export interface SedAction {
  kind: 'execute' | 'write' | 'read'
  argument: string
}

/**
 * Seds differ: whether a delimiter inside `[…]` ends the pattern, whether a blank ends a label, and where the text of `a`, `i` and
 * `c` ends. All readings count.
 */
export function sedActions(script: string): SedAction[] {
  return LABEL_ENDS.flatMap((labelEnd) =>
    TEXTS.flatMap((text) => [true, false].flatMap((brackets) => readActions(script, brackets, labelEnd, text))),
  )
}

/** It goes on behind each line that ends with a backslash, or does not. */
const TEXTS = [/^(?:[^\\\n]|\\[\s\S])*/, /^[^\n]*/]

const LABEL_ENDS = [/[\n;}]/, /[\s;}]/, /\n/]

function readActions(script: string, brackets: boolean, labelEnd: RegExp, text: RegExp): SedAction[] {
  const actions: SedAction[] = []
  let at = 0
  const until = (pattern: RegExp) => {
    const length = script.slice(at).search(pattern)
    const rest = length < 0 ? script.slice(at) : script.slice(at, at + length)
    at += rest.length + 1
    return rest.trim()
  }
  while (at < script.length) {
    at = skipAddress(script, at, brackets)
    const command = script[at++]
    if (command === undefined) break
    if (command === 's' || command === 'y') {
      const delimiter = script[at] ?? '/'
      at = skipDelimited(script, skipDelimited(script, at + 1, delimiter, brackets), delimiter, false)
      const replacementEnd = at
      if (command === 'y') continue
      while (/[0-9gpiImMe]/.test(script[at] ?? '')) {
        if (script[at] === 'e')
          actions.push({ kind: 'execute', argument: replacement(script, replacementEnd, delimiter) })
        at++
      }
      if (script[at] === 'w') {
        at++
        actions.push({ kind: 'write', argument: until(/\n/) })
      }
    } else if (command === 'e') actions.push({ kind: 'execute', argument: until(/\n/) })
    else if (command === 'w' || command === 'W') actions.push({ kind: 'write', argument: until(/\n/) })
    else if (command === 'r' || command === 'R') actions.push({ kind: 'read', argument: until(/\n/) })
    else if (command === '#') until(/\n/)
    else if (/[aic]/.test(command)) at += (text.exec(script.slice(at))?.[0].length ?? 0) + 1
    else if (/[btT:]/.test(command)) {
      while (/[ \t]/.test(script[at] ?? '')) at++
      until(labelEnd)
    }
  }
  return actions
}

/** What `s///e` runs is the line after the replacement: its text is the best guess. */
function replacement(script: string, end: number, delimiter: string): string {
  const body = script.slice(0, end - 1)
  return body.slice(body.lastIndexOf(delimiter) + 1)
}

function skipAddress(script: string, start: number, brackets: boolean): number {
  let at = start
  while (at < script.length) {
    const char = script[at] as string
    if (/[\s;{}!,0-9$~+]/.test(char)) at++
    else if (char === '/') at = skipDelimited(script, at + 1, '/', brackets)
    else if (char === '\\') at = skipDelimited(script, at + 2, script[at + 1] ?? '', brackets)
    else if (char === 'I' && script[at - 1] === '/') at++
    else break
  }
  return at
}

/** `[^]/]`, `[[:alpha:]/]`: a bracket that comes first, or in a named class, closes nothing. */
const CHARACTERS = /^\[\^?\]?(?:\[([:.=])[\s\S]*?\1\]|[^\]])*\]/

function skipDelimited(script: string, start: number, delimiter: string, brackets: boolean): number {
  let at = start
  while (at < script.length && script[at] !== delimiter) {
    const set = brackets && script[at] === '[' ? CHARACTERS.exec(script.slice(at))?.[0] : undefined
    if (set !== undefined) at += set.length
    else at += script[at] === '\\' ? 2 : 1
  }
  return at + 1
}
