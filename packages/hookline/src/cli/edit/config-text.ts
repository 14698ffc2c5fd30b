import { extname } from 'node:path'
import { applyEdits, type FormattingOptions, modify } from 'jsonc-parser'
import { isMap, isSeq, type Node, parseDocument, YAMLSeq } from 'yaml'

/** Changes of a config that leave everything else as it is written, comments included. */
export interface Editor {
  /** One more at the end of the list under this key. */
  append(text: string, key: 'use' | 'hooks', value: unknown, comment?: string): string
  remove(text: string, path: readonly [key: string, index: number]): string
}

export function editorFor(file: string): Editor {
  return /^\.jsonc?$/i.test(extname(file)) ? json : yaml
}

const yaml: Editor = {
  append(text, key, value, comment) {
    const document = parseDocument(text)
    const node = document.createNode(value) as Node
    if (comment !== undefined && comment !== '') node.commentBefore = ` ${comment}`
    const list = document.get(key)
    if (isSeq(list)) {
      if (list.items.length === 0) list.flow = false
      list.add(node)
    } else {
      const added = new YAMLSeq<Node>()
      added.add(node)
      document.set(key, added)
      if (key === 'use' && isMap(document.contents)) moveBefore(document.contents.items, 'use', 'hooks')
    }
    return document.toString(styleOf(text))
  },
  remove(text, path) {
    const document = parseDocument(text)
    const list = document.get(path[0])
    // What is said before the first entry is said of the list, as far as the parser knows; the last paragraph is the entry's.
    if (isSeq(list) && path[1] === 0) list.commentBefore = paragraphsBefore(list.commentBefore)
    document.deleteIn(path)
    if (isSeq(list) && list.items.length === 0) list.flow = true
    return document.toString(styleOf(text))
  },
}

function paragraphsBefore(comment: string | null | undefined): string | null {
  const at = comment?.lastIndexOf('\n\n') ?? -1
  return at === -1 ? null : comment!.slice(0, at)
}

/** Bundles stand before hooks, as they are asked before them. */
function moveBefore(pairs: { key: unknown }[], key: string, other: string): void {
  const from = pairs.findIndex((pair) => String(pair.key) === key)
  const to = pairs.findIndex((pair) => String(pair.key) === other)
  if (to === -1 || from < to) return
  pairs.splice(to, 0, ...pairs.splice(from, 1))
}

/** Lists stay indented as they are, and long lines stay long. */
function styleOf(text: string) {
  return { lineWidth: 0, indentSeq: !/^\w+:[ \t]*(?:#.*)?\r?\n(?:#.*\r?\n)*- /m.test(text) }
}

const formattingOptions: FormattingOptions = { insertSpaces: true, tabSize: 2 }

const json: Editor = {
  append: (text, key, value) =>
    applyEdits(text, modify(text, [key, -1], value, { formattingOptions, isArrayInsertion: true })),
  remove: (text, path) => applyEdits(text, modify(text, [...path], undefined, { formattingOptions })),
}
