import { RE2JS, RE2JSException } from 're2js'

/**
 * Patterns people write are matched in linear time, whatever they say and whatever they are tested on. This file is
 * the only one that knows which library does it (RE2 semantics). It is loaded only when a pattern needs it.
 */
export interface Pattern {
  test(text: string): boolean
  /** What its named groups found in the first match; undefined when there is none. */
  groups(text: string): Record<string, string> | undefined
  readonly groupNames: readonly string[]
  /** Every match replaced, by this very text. */
  replace(text: string, by: string): string
}

export type CompiledPattern = { ok: true; pattern: Pattern } | { ok: false; detail: string }

export function compilePattern(source: string, whole: boolean): CompiledPattern {
  try {
    const compiled = RE2JS.compile(whole ? `^(?:${source})$` : source, whole ? RE2JS.DOTALL : 0)
    // A group that only the wrapping closes, such as `a)|(b`, must not compile.
    if (whole) RE2JS.compile(source)
    return {
      ok: true,
      pattern: {
        test: (text) => compiled.test(text),
        groups: (text) => {
          const matcher = compiled.matcher(text)
          if (!matcher.find()) return undefined
          return Object.fromEntries(
            Object.entries(matcher.getNamedGroups()).map(([name, found]) => [name, found ?? '']),
          )
        },
        groupNames: Object.keys(compiled.namedGroups()),
        replace: (text, by) => compiled.matcher(text).replaceAll(literal(by)),
      },
    }
  } catch (error) {
    if (error instanceof RE2JSException) return { ok: false, detail: explain(source, error.message) }
    throw error
  }
}

/** A dollar would refer to a group. */
const literal = (text: string): string => text.replaceAll('$', '$$$$')

function explain(source: string, message: string): string {
  if (/\(\?<?[=!]/.test(source)) return 'it uses look-ahead or look-behind'
  if (/\\[1-9]/.test(source)) return 'it uses a back-reference'
  return message.replace(/^error parsing regexp: /, '').replace(/`(?:\(\?s\))?\^\(\?:(.*)\)\$`/s, '`$1`')
}
