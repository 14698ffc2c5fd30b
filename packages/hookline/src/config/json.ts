import { type Node, type ParseError, parseTree } from 'jsonc-parser'
import { countKeys, makeTree, type NodeView, syntaxFlaw, type Tree } from './tree.ts'

/** `.json` is JSON; `.jsonc` may have comments and trailing commas. */
export function parseJsonText(text: string, comments: boolean): Tree {
  const value = readPlainly(text)
  if (value === undefined) return parseWithPlaces(text, comments)
  let tree: Tree | undefined
  return {
    ok: true,
    value,
    find(path) {
      tree ??= parseWithPlaces(text, comments)
      return tree.ok ? tree.find(path) : 0
    },
  }
}

function parseWithPlaces(text: string, comments: boolean): Tree {
  const errors: ParseError[] = []
  const options = { disallowComments: !comments, allowTrailingComma: comments, allowEmptyContent: true }
  const root = parseTree(text, errors, options)
  const [flaw] = errors
  if (flaw) return syntaxFlaw(words[flaw.error] ?? 'it cannot be read', flaw.offset)
  return makeTree<Node | undefined>(root, view)
}

/**
 * What the JSON parser of the language reads, where there is nothing to tell of it and so no place to tell: many times as
 * fast. Undefined when it is no plain JSON, or anything that makeTree refuses. A key that is written twice is in the
 * value only once, so there are as many keys as colons outside of strings.
 */
function readPlainly(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown
    const colons = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '').split(':').length - 1
    return countKeys(value) === colons ? value : undefined
  } catch {
    return undefined
  }
}

function view(node: Node | undefined): NodeView<Node | undefined> {
  const at = node?.offset ?? 0
  if (node?.type === 'array') return { at, items: node.children ?? [] }
  if (node?.type !== 'object') return { at, scalar: node ? node.value : null }
  const pairs = (node.children ?? []).map(({ offset, children }) => {
    return { key: String(children?.[0]?.value), at: offset, value: children?.[1] }
  })
  return { at, pairs }
}

/** By the library's ParseErrorCode, an enum that exists only in its types. */
const words: Record<number, string> = {
  1: 'here is something that is no value; text stands in double quotes',
  2: 'this number cannot be read',
  3: 'the name of a key is missing here; it stands in double quotes, and the last key has no comma after it',
  4: 'a value is missing here',
  5: 'a colon is missing here',
  6: 'a comma is missing here',
  7: 'a closing brace `}` is missing here',
  8: 'a closing bracket `]` is missing here',
  9: 'something follows after the end',
  10: 'comments are not part of JSON; name the file `.jsonc` to have them',
  11: 'a comment does not end',
  12: 'a string does not end',
  13: 'this number cannot be read',
  14: 'an escape `\\u` cannot be read',
  15: 'an escape with `\\` cannot be read',
  16: 'a control character stands in a string',
}
