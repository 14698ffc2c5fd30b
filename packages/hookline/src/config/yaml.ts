import { type Document, isAlias, isMap, isScalar, isSeq, Lexer, type Node, parseDocument, visit } from 'yaml'
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
  return makeTree<Node | null | undefined>(document.contents, (node) => view(node, anchors))
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

/** An alias is what it stands for, written once more; the bound on values holds for every repetition. */
function view(node: Node | null | undefined, anchors: ReadonlyMap<string, Node>): NodeView<Node | null | undefined> {
  const at = node?.range?.[0] ?? 0
  if (isAlias(node)) return { ...view(anchors.get(node.source), anchors), at }
  if (isSeq<Node>(node)) return { at, items: node.items }
  if (!isMap<Node, Node | null>(node)) return { at, scalar: isScalar(node) ? node.value : null }
  const pairs = node.items.map(({ key, value }) => ({ key: keyText(key), at: key.range?.[0] ?? at, value }))
  return { at, pairs }
}

function keyText(key: Node): string {
  return isScalar(key) ? String(key.value) : key.toString()
}
