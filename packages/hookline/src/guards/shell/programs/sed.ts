/** The few sed commands that do more than print: `e`, `w`, `W`, and the flags of `s`. */
export interface SedAction {
  kind: 'execute' | 'write' | 'read'
  argument: string
}

/** Seds differ: whether a delimiter inside `[…]` ends the pattern, and whether a blank ends a label. All readings count. */
export function sedActions(script: string): SedAction[] {
  return LABEL_ENDS.flatMap((labelEnd) => [true, false].flatMap((brackets) => readActions(script, brackets, labelEnd)))
}

const LABEL_ENDS = [/[\n;}]/, /[\s;}]/, /\n/]

function readActions(script: string, brackets: boolean, labelEnd: RegExp): SedAction[] {
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
    else if (/[aic#]/.test(command)) until(/\n/)
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

function skipDelimited(script: string, start: number, delimiter: string, brackets: boolean): number {
  let at = start
  while (at < script.length && script[at] !== delimiter) {
    const close = brackets && script[at] === '[' ? script.indexOf(']', at + 2) : -1
    if (close > 0) at = close + 1
    else at += script[at] === '\\' ? 2 : 1
  }
  return at + 1
}
