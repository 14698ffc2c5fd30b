import { isRecord } from './effects.ts'
import { sameJson } from './json.ts'
import type { ToolCall } from './tools.ts'
import { type CallCodec, type ResultCodec, renameKeys } from './vocabulary.ts'

type Input = ToolCall['input']

/** What an edit is called: ours is `{ oldText, newText, replaceAll }`. */
export interface EditKeys {
  path: string
  old: string
  new: string
  all?: string
}

/**
 * Ours is `edit_file { path, edits }`. Theirs is one edit with its keys beside the path (`names.one`), or a list of them
 * (`names.many`).
 */
export function editCodec(names: { one?: string; many?: string }, keys: EditKeys): CallCodec {
  const theirKeys = [
    ['oldText', keys.old],
    ['newText', keys.new],
    ...(keys.all === undefined ? [] : [['replaceAll', keys.all] as const]),
  ] as const
  const ourKeys = theirKeys.map(([our, their]) => [their, our] as const)
  const path = [keys.path, 'path'] as const

  const write = ({ input }: ToolCall, name: string | undefined): ToolCall | undefined => {
    const { edits, ...rest } = renameKeys(input, [['path', keys.path]])
    if (!Array.isArray(edits))
      return { tool: name ?? names.one ?? names.many!, input: { ...rest, ...(edits !== undefined && { edits }) } }
    const each = edits.map((edit) => (isRecord(edit) ? renameKeys(edit, theirKeys) : edit))
    const single = name === undefined ? edits.length === 1 && names.one !== undefined : name === names.one
    if (!single) {
      const tool = name ?? names.many
      return tool === undefined ? undefined : { tool, input: { ...rest, edits: each } }
    }
    if (each.length !== 1 || !isRecord(each[0])) return undefined
    return { tool: names.one!, input: { ...rest, ...each[0] } }
  }

  return {
    read({ tool, input }) {
      const own = renameKeys(input, [path])
      if (tool === names.many || Array.isArray(own['edits'])) {
        if (!Array.isArray(own['edits'])) return undefined
        const edits = own['edits'].map((edit: unknown) => (isRecord(edit) ? renameKeys(edit, ourKeys) : edit))
        return [{ tool: 'edit_file', input: { ...own, edits } }]
      }
      const edit: Record<string, unknown> = {}
      const rest: Record<string, unknown> = {}
      for (const [key, value] of Object.entries(own)) {
        const our = ourKeys.find(([their]) => their === key)?.[1]
        if (our === undefined) rest[key] = value
        else edit[our] = value
      }
      return [{ tool: 'edit_file', input: { ...rest, edits: [edit] } }]
    },
    write(ours) {
      const { edits } = ours.input
      const whole = write(ours, undefined)
      if (whole) return [whole]
      // Their tool takes one edit: each is a call of its own.
      return (edits as unknown[]).flatMap(
        (edit) => write({ ...ours, input: { ...ours.input, edits: [edit] } }, names.one) ?? [],
      )
    },
    back([only, ...more], original) {
      if (!only || more.length > 0 || only.tool !== 'edit_file') return undefined
      const listed = isRecord(original.input) && Array.isArray(original.input['edits'])
      const written = write(
        only,
        listed && names.one !== undefined && original.tool !== names.many
          ? (names.many ?? original.tool)
          : original.tool,
      )
      return written && { tool: original.tool, input: written.input }
    },
    ...(names.many === undefined && { each: 'edits' }),
  }
}

/** Ours takes a list, theirs one: `fetch { urls }` and `WebFetch { url }`. A list of theirs is read, too. */
export function listCodec(tool: string, list: string, name: string, one: string): CallCodec {
  return {
    read({ input }) {
      if (typeof input[one] !== 'string') return undefined
      return [{ tool, input: replaceKey(input, one, list, [input[one]]) }]
    },
    write({ input }) {
      const items = input[list]
      if (!Array.isArray(items) || items.length === 0) return [{ tool: name, input }]
      return items.map((item) => ({ tool: name, input: replaceKey(input, list, one, item) }))
    },
    each: list,
  }
}

/** Theirs takes a list, ours one: `run_commands { commands }` is a `shell { command }` for each. */
export function severalCodec(
  tool: string,
  list: string,
  read: (item: unknown) => Input | undefined,
  write: (input: Input) => unknown,
): CallCodec {
  return {
    read({ input }) {
      const { [list]: items, ...rest } = input
      const inputs = asList(items).map(read)
      if (inputs.length === 0 || inputs.some((each) => each === undefined)) return undefined
      return inputs.map((each) => ({ tool, input: { ...rest, ...each } }))
    },
    write: (ours) => [{ tool: ours.tool, input: { [list]: [write(ours.input)] } }],
    back(ours, original) {
      const { [list]: items, ...rest } = original.input
      const before = asList(items)
      if (ours.length !== before.length || ours.some((each) => each.tool !== tool)) return undefined
      const now = ours.map(({ input }, at) => {
        const item = before[at]
        if (sameJson(input, { ...rest, ...read(item) })) return item
        const own = Object.entries(input).filter(
          ([key, value]) => !Object.hasOwn(rest, key) || !sameJson(rest[key], value),
        )
        return write(Object.fromEntries(own))
      })
      return { tool: original.tool, input: { ...original.input, [list]: now } }
    },
  }
}

const asList = (items: unknown): readonly unknown[] =>
  Array.isArray(items) ? items : items === undefined ? [] : [items]

/** For a system without a tool that removes files: for its guards, nothing comes nearer than a file written empty. */
export function emptyWriteCodec(name: string, path: string, content: string): CallCodec {
  return {
    read({ input }) {
      const { [content]: _empty, ...rest } = renameKeys(input, [[path, 'path']])
      return [{ tool: 'delete_file', input: rest }]
    },
    write: ({ input }) => [{ tool: name, input: { ...renameKeys(input, [['path', path]]), [content]: '' } }],
  }
}

function replaceKey(input: Input, from: string, to: string, value: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).flatMap(([key, own]) => (key === from ? [[to, value]] : key === to ? [] : [[key, own]])),
  )
}

/** A result that is an object with its text under a key; `fallback` is what a result has besides. */
export function textUnder(key: string, fallback: Record<string, unknown> = {}): ResultCodec {
  return {
    read: (result) => (isRecord(result) && typeof result[key] === 'string' ? result[key] : undefined),
    write: (text, original) => ({ ...(isRecord(original) ? original : fallback), [key]: text }),
  }
}

/** A result that is a list of blocks, as MCP has it: `[{ type: 'text', text }]`. */
export const textBlocks: ResultCodec = {
  read(result) {
    if (!Array.isArray(result) || result.length === 0 || !result.every(isTextBlock)) return undefined
    return result.map(({ text }) => text).join('\n')
  },
  write: (text, original) => [
    { ...(Array.isArray(original) && isRecord(original[0]) ? original[0] : { type: 'text' }), text },
  ],
}

const isTextBlock = (block: unknown): block is { type: 'text'; text: string } =>
  isRecord(block) && block['type'] === 'text' && typeof block['text'] === 'string'

/** The first of these shapes that fits; written is the shape of the original, else the first. */
export function anyResult(first: ResultCodec, ...others: readonly ResultCodec[]): ResultCodec {
  const all = [first, ...others]
  return {
    read(result) {
      for (const codec of all) {
        const text = codec.read(result)
        if (text !== undefined) return text
      }
      return undefined
    },
    write: (text, original) => (all.find((codec) => codec.read(original) !== undefined) ?? first).write(text, original),
  }
}
