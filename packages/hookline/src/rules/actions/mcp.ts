/** Tools of MCP servers: nobody has declared what they do, but their names and argument keys tell. */
import { partsOfMcpName, type ToolCall } from '../../core/index.ts'
import { quoteWords } from '../../shell/index.ts'
import type { Look } from '../types.ts'
import type { Found } from './found.ts'
import { targetOf } from './hosts.ts'
import { placesOf, plainPath } from './paths.ts'
import { readLine } from './shell.ts'
import { showSlot } from './slots.ts'

export function readMcpCall(call: ToolCall & { cwd?: string }, look: Look, found: Found): void {
  const ways = partsOfMcpName(call.tool).slice(0, mostWays)
  const [first] = ways
  if (!first) return
  const { server, tool } = first
  const more = ways.length > 1 ? { ways } : {}
  found.add({ kind: 'call', server, tool, ...more, inside: [], shown: `${server} ${tool}` })
  const named = wordsOf(tool)
  const moves = named.some((each) => moving.has(each) || copying.has(each))
  const { texts, complete } = textsIn(call.input)
  if (!complete) found.doubts.add('Its arguments are more than can be looked at.')
  for (const { key, text } of texts) {
    const kind = kindOf(key, text, moves)
    if (kind === 'command') readLine({ command: text, cwd: call.cwd, look }, found)
    else if (kind === 'url') {
      const target = targetOf({ text, taints: [], glob: false })
      const sends = named.some((each) => sending.has(each))
      found.add({
        kind: 'fetch',
        ...target,
        ...(sends ? { sends: true } : {}),
        inside: [],
        shown: showSlot(target.host),
      })
    } else if (kind === 'path') {
      const recursive = named.some((each) => searching.has(each)) ? ({ recursive: true } as const) : {}
      for (const place of placesOf(plainPath(text, look.home), call.cwd, look))
        for (const does of accessOf(named, key)) found.add({ kind: does, ...place, ...recursive, inside: [] })
    }
  }
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '))
const reading = set(
  'read get list ls search find view stat info tree cat head tail grep load open describe show exists glob query fetch download watch',
)
const writing = set(
  'write create edit update save append put set patch insert upload add replace mkdir touch make modify',
)
const deleting = set('delete remove unlink rm trash rmdir')
const moving = set('move rename mv')
const copying = set('copy cp')
const searching = set('search find tree grep glob')
const sending = set('post send upload submit publish put push create update write patch')

/** What a tool of that name does to the path under that key: both, where its name does not say. */
function accessOf(named: readonly string[], key: string): ('read' | 'write' | 'delete')[] {
  const is = (words: ReadonlySet<string>) => named.some((each) => words.has(each))
  if (is(moving)) return isTarget(key) ? ['write'] : ['read', 'delete']
  if (is(copying)) return isTarget(key) ? ['write'] : ['read']
  if (is(deleting)) return ['delete']
  if (is(writing)) return ['write']
  return is(reading) ? ['read'] : ['read', 'write']
}

const isTarget = (key: string): boolean => /dest|target|^to|new/i.test(key)

/** `readTextFile`, `read_text_file` and `read-text-file` are the same words. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)

/** A server whose name holds the separator: more ways to read a name are no name. */
const mostWays = 8

const commandKey = /^(?:command|cmd|commands|shell_?command|command_?line|bash|script)$/i
const urlKey = /^(?:url|urls|uri|uris|href|link|endpoint|base_?url|webhook(?:_?url)?)$/i
/** Keys that mean an address only when the value is plainly one. */
const linkWords = set(
  'url urls uri uris href link links endpoint page site website webhook feed address src source host origin',
)
const pathWords = set(
  'path paths pathname pathnames file files filename filenames filepath filepaths directory directories dir dirs dirname folder folders',
)
const isPathKey = (key: string): boolean =>
  pathWords.has(wordsOf(key).at(-1) ?? '') || /^(?:file_?names?|relative_workspace_path)$/i.test(key)
/** Keys that mean a path only when the value is plainly one. */
const vagueKey = /^(?:source|src|destination|dest|target|from|to|root|output|input|location|cwd|uri|uris)$/i
const plainlyPath = /^(?:\/|~\/|\.{1,2}\/|[A-Za-z]:[\\/]|file:\/\/)/

/** Where files are moved or copied, what they are moved from and to is a path, however it is written. */
function kindOf(key: string, text: string, moves: boolean): 'command' | 'url' | 'path' | undefined {
  if (text === '') return undefined
  if (commandKey.test(key)) return 'command'
  if (text.length > longestText) return undefined
  const isPath = isPathKey(key)
  if (
    /^(?:https?|wss?|ftp):\/\//i.test(text) &&
    (isPath || vagueKey.test(key) || linkWords.has(wordsOf(key).at(-1) ?? ''))
  )
    return 'url'
  if (isPath && !text.includes('\n')) return 'path'
  if (vagueKey.test(key) && (plainlyPath.test(text) || (moves && !text.includes('\n')))) return 'path'
  return urlKey.test(key) && !text.includes('\n') ? 'url' : undefined
}

interface Text {
  key: string
  text: string
}

/** Texts with the key they stand under, lists, inner objects and JSON in texts included, as far as is reasonable. */
function textsIn(input: unknown): { texts: Text[]; complete: boolean } {
  const texts: Text[] = []
  let complete = true
  const visit = (value: unknown, key: string, depth: number): void => {
    if (texts.length >= mostTexts || depth > deepest) {
      complete = false
      return
    }
    if (typeof value === 'string') {
      texts.push({ key, text: value })
      const inner = objectIn(value)
      if (inner !== undefined) visit(inner, key, depth + 1)
    } else if (Array.isArray(value)) for (const each of value) visit(each, key, depth + 1)
    else if (typeof value === 'object' && value !== null) {
      const line = lineIn(value)
      if (line !== undefined) texts.push({ key: 'command', text: line })
      for (const [inner, each] of Object.entries(value)) visit(each, inner, depth + 1)
    }
  }
  visit(input, '', 0)
  return { texts, complete }
}

/** Arguments that are handed on as text: `{ arguments: '{"path": …}' }`. */
function objectIn(text: string): object | undefined {
  if (text.length > longestText || !/^\s*[{[].*[}\]]\s*$/s.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** `{ command: 'rm', args: ['-r', 'x'] }` is one line. */
function lineIn(value: object): string | undefined {
  const entries = Object.entries(value)
  const [program, words] = [/^(?:command|cmd|program|executable)$/i, /^(?:args|argv|arguments|params)$/i].map(
    (key) => entries.find(([name]) => key.test(name))?.[1],
  )
  const whole = Array.isArray(program) ? program : [program]
  const rest = Array.isArray(words) ? words : []
  if (whole.length + rest.length < 2 || ![...whole, ...rest].every((each) => typeof each === 'string')) return undefined
  const [first = '', ...others] = whole as string[]
  return [first, quoteWords([...others, ...rest])].join(' ')
}

const longestText = 65_536
const mostTexts = 2_000
const deepest = 32
