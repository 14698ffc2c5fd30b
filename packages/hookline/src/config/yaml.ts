import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml'
import { type Flawed, makeTree, maxValues, type NodeView, syntaxFlaw, type Tree } from './tree.ts'

/** A value has some four tokens. Counting them is far cheaper than parsing, and the parser has no bound of its own. */
const maxTokens = 4 * maxValues

export function parseYaml(text: string): Tree {
  if (tooManyTokens(text)) return { ok: false, kind: 'size', detail: `${maxTokens.toLocaleString('en')} tokens`, at: 0 }
  // The parser's own check for repeated keys is quadratic, and so are its pretty errors; makeTree checks the keys.
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'error' })
  const [flaw] = [...document.errors, ...document.warnings]
  if (flaw) return syntaxFlaw(wordsOf(flaw.message), flaw.pos[0])
  const anchors = /[&*]/.test(text) ? collectAnchors(document) : new Map<string, Node>()
  if ('kind' in anchors) return anchors
  const merged = new Map<Node, Pair[]>()
  return makeTree<Node | null | undefined>(document.contents, (node) => view(node, { anchors, merged }))
}

function wordsOf(message: string): string {
  if (/call stack/.test(message)) return 'it is nested too deeply'
  if (/multiple documents/.test(message)) return 'a second document begins here, and only one can be read'
  return message.split('\n')[0]!.replace(/[.:]$/, '')
}

function tooManyTokens(text: string): boolean {
  // No text has more than three tokens a character: a marker, the token and an end.
  if (text.length * 3 <= maxTokens) return false
  let tokens = 0
  for (const _token of new Lexer().lex(text)) if (++tokens > maxTokens) return true
  return false
}

/** In one walk: the library looks through the whole document for every alias anew. */
function collectAnchors(document: Document.Parsed): Map<string, Node> | Flawed {
  const anchors = new Map<string, Node>()
  let flaw: Flawed | undefined
  visit(document, {
    Node(_key, node) {
      const at = node.range?.[0] ?? 0
      if (isAlias(node)) {
        if (anchors.has(node.source)) return undefined
        flaw = syntaxFlaw(`the alias \`*${node.source}\` has no anchor before it`, at)
        return visit.BREAK
      }
      if (!node.anchor) return undefined
      if (anchors.has(node.anchor)) flaw = syntaxFlaw(`the anchor \`&${node.anchor}\` is set twice`, at)
      anchors.set(node.anchor, node)
      return flaw ? visit.BREAK : undefined
    },
  })
  return flaw ?? anchors
}

type Pair = { key: string; at: number; value: Node | null }

interface Known {
  anchors: ReadonlyMap<string, Node>
  /** Mappings with `<<`, read once each: however often one stands in others, it costs no more. */
  merged: Map<Node, Pair[]>
}

/** An alias is what it stands for, written once more; the bound on values holds for every repetition. */
function view(node: Node | null | undefined, known: Known): NodeView<Node | null | undefined> {
  const at = node?.range?.[0] ?? 0
  if (isAlias(node)) return { ...view(known.anchors.get(node.source), known), at }
  if (isSeq<Node>(node)) return { at, items: node.items }
  if (!isMap<Node, Node | null>(node)) return { at, scalar: isScalar(node) ? node.value : null }
  return { at, pairs: pairsOf(node, known) }
}

/** `<<: *other` stands for the pairs of another mapping that are not written here. Of several mappings, the first counts. */
function pairsOf(node: YAMLMap<Node, Node | null>, known: Known): Pair[] {
  const found = known.merged.get(node)
  if (found) return found
  const [merges, own] = partition(
    node.items,
    ({ key, value }) => isMerge(key) && mappingsIn(value, known) !== undefined,
  )
  const pairs = own.map(({ key, value }) => ({ key: keyText(key), at: key.range?.[0] ?? 0, value }))
  if (merges.length === 0) return pairs
  const keys = new Set(pairs.map(({ key }) => key))
  for (const mapping of merges.flatMap(({ value }) => mappingsIn(value, known) ?? []))
    for (const pair of pairsOf(mapping, known)) {
      if (keys.has(pair.key)) continue
      keys.add(pair.key)
      pairs.push(pair)
    }
  known.merged.set(node, pairs)
  return pairs
}

const isMerge = (key: Node): boolean => isScalar(key) && key.value === '<<' && key.type === 'PLAIN'

/** What `<<` names: a mapping, or a list of mappings. Undefined where it is neither, and so a key like any other. */
function mappingsIn(value: Node | null, known: Known): YAMLMap<Node, Node | null>[] | undefined {
  const node = isAlias(value) ? known.anchors.get(value.source) : value
  if (isMap<Node, Node | null>(node)) return [node]
  if (!isSeq<Node>(node)) return undefined
  const all = node.items.map((item) => (isAlias(item) ? known.anchors.get(item.source) : item))
  return all.every((item) => isMap<Node, Node | null>(item)) ? (all as YAMLMap<Node, Node | null>[]) : undefined
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))]
}

function keyText(key: Node): string {
  return isScalar(key) ? String(key.value) : key.toString()
}
