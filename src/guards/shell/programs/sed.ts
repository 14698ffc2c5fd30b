/** The few sed commands that do more than print: `e`, `w`, `W`, and the flags of `s`. */
export interface SedAction {
  kind: 'execute' | 'write'
  argument: string
}

export function sedActions(script: string): SedAction[] {
  const actions: SedAction[] = []
  let at = 0
  const lineRest = () => {
    const end = script.indexOf('\n', at)
    const rest = script.slice(at, end < 0 ? script.length : end)
    at = end < 0 ? script.length : end + 1
    return rest.trim()
  }
  while (at < script.length) {
    at = skipAddress(script, at)
    const command = script[at++]
    if (command === undefined) break
    if (command === 's' || command === 'y') {
      const delimiter = script[at] ?? '/'
      at = skipDelimited(script, skipDelimited(script, at + 1, delimiter), delimiter)
      const replacementEnd = at
      if (command === 'y') continue
      while (/[0-9gpiImMe]/.test(script[at] ?? '')) {
        if (script[at] === 'e')
          actions.push({ kind: 'execute', argument: replacement(script, replacementEnd, delimiter) })
        at++
      }
      if (script[at] === 'w') {
        at++
        actions.push({ kind: 'write', argument: lineRest() })
      }
    } else if (command === 'e') actions.push({ kind: 'execute', argument: lineRest() })
    else if (command === 'w' || command === 'W') actions.push({ kind: 'write', argument: lineRest() })
    else if (/[aicrRbtT:]/.test(command)) lineRest()
  }
  return actions
}

/** What `s///e` runs is the line after the replacement: its text is the best guess. */
function replacement(script: string, end: number, delimiter: string): string {
  const body = script.slice(0, end - 1)
  return body.slice(body.lastIndexOf(delimiter) + 1)
}

function skipAddress(script: string, start: number): number {
  let at = start
  while (at < script.length) {
    const char = script[at] as string
    if (/[\s;{}!,0-9$~+]/.test(char)) at++
    else if (char === '/') at = skipDelimited(script, at + 1, '/')
    else if (char === '\\') at = skipDelimited(script, at + 2, script[at + 1] ?? '')
    else if (char === 'I' && script[at - 1] === '/') at++
    else break
  }
  return at
}

function skipDelimited(script: string, start: number, delimiter: string): number {
  let at = start
  while (at < script.length && script[at] !== delimiter)
    at +=
      script[at] === '\\'
        ? 2
        : script[at] === '[' &&
            script.indexOf(']', at + 2) > 0 &&
            script.slice(at, script.indexOf(']', at + 2)).includes(delimiter) &&
            delimiter !== '/'
          ? script.indexOf(']', at + 2) - at + 1
          : 1
  return at + 1
}
