import { extname } from 'node:path'
import { type Node as JsonNode, parseTree } from 'jsonc-parser'
import { isMap, isScalar, type Node, parseDocument, visit } from 'yaml'

/** A key or a value as it stands in the text, quotes included. */
export interface Token {
  at: number
  end: number
  text: string
}

/** One `key: value`; `value` is there when it is text, `within` is the key above, and `beside` are the keys next to it. */
export interface Pair {
  key: Token
  value?: Token
  within?: string
  beside: readonly string[]
}

/** Every pair of the document that a person wrote as text, wherever it is. */
export function pairsOf(text: string, file: string): Pair[] {
  return /^\.jsonc?$/i.test(extname(file)) ? jsonPairs(text) : yamlPairs(text)
}

function yamlPairs(text: string): Pair[] {
  const pairs: Pair[] = []
  visit(parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' }), {
    Map(_key, map, path) {
      const above = path.at(-1)
      const within = above && 'key' in above && isScalar(above.key) ? String(above.key.value) : undefined
      const beside = map.items.map(({ key }) => (isScalar(key) ? String(key.value) : ''))
      for (const { key, value } of map.items) {
        const [name, content] = [yamlToken(key as Node), isMap(value) ? undefined : yamlToken(value as Node)]
        if (name) pairs.push({ key: name, beside, ...(content && { value: content }), ...(within && { within }) })
      }
    },
  })
  return pairs
}

function yamlToken(node: Node | null | undefined): Token | undefined {
  if (!isScalar(node) || typeof node.value !== 'string' || !node.range) return undefined
  return { at: node.range[0], end: node.range[1], text: node.value }
}

function jsonPairs(text: string): Pair[] {
  const pairs: Pair[] = []
  const walk = (node: JsonNode | undefined, within?: string): void => {
    const beside =
      node?.type === 'object' ? (node.children ?? []).map(({ children }) => String(children?.[0]?.value)) : []
    for (const child of node?.children ?? []) {
      const [key, value] = child.type === 'property' ? (child.children ?? []) : []
      const [name, content] = [jsonToken(key), jsonToken(value)]
      if (name) pairs.push({ key: name, beside, ...(content && { value: content }), ...(within && { within }) })
      walk(value ?? child, name?.text ?? within)
    }
  }
  walk(parseTree(text, [], { allowTrailingComma: true }))
  return pairs
}

function jsonToken(node: JsonNode | undefined): Token | undefined {
  if (node?.type !== 'string') return undefined
  return { at: node.offset, end: node.offset + node.length, text: String(node.value) }
}
