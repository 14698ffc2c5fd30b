import { tools } from '../../core/index.ts'
import type { ToolCall } from '../tools.ts'

/**
 * The places that a tool which our table does not list names, by whatever key: full paths, `~` and `file:` addresses. Not of
 * one that reads by its name.
 */
export function namedBy({ tool_name: name, tool_input: input }: ToolCall): string[] {
  if (Object.hasOwn(tools, name) || reads.test(name)) return []
  return strings(input).flatMap(({ key, text }) => {
    if (isContent.test(key) || text.length > 4_096 || /\n/.test(text)) return []
    const path = text.replace(/^file:\/\/(?:localhost)?(?=\/)/, '')
    return /^(?:\/|~\/|[\w.-]+\.(?:ya?ml|jsonc?)$)/.test(path) ? [path] : []
  })
}

/** What a tool would type into a terminal, or run in another way than as a command line. */
export const typedText = ({ tool_name: name, tool_input: input }: ToolCall): string =>
  (reads.test(name) ? [] : strings(input))
    .filter(({ key, text }) => isTyped.test(key) && text.length <= 256 * 1024)
    .map(({ text }) => text)
    .join(' ')

const reads =
  /(?:^|[_\W])(?:read|get|list|search|view|find|stat|grep|glob|cat|show|describe|query)|^(?:Read|Glob|Grep|LS|View)/i
const isContent =
  /^(?:content|contents|new_string|old_string|new_str|old_str|body|message|description|title|prompt|query|markdown|new_source|file_text)$/
const isTyped =
  /^(?:chars|text|keys|keystrokes|code|source|script|argv|args|input|stdin|data|expression|expr|snippet|program|statement|javascript|python)$/

const deepest = 4

const mostKeys = 200

interface Named {
  key: string
  text: string
}

function strings(value: unknown, key = '', depth = 0, found: Named[] = []): Named[] {
  if (typeof value === 'string') found.push({ key, text: value })
  if (typeof value !== 'object' || value === null || depth > deepest) return found
  const names = Object.keys(value)
  for (let at = 0; at < names.length && at < mostKeys; at++) {
    const name = names[at] as string
    strings(value[name as never], Array.isArray(value) ? key : name, depth + 1, found)
  }
  return found
}
