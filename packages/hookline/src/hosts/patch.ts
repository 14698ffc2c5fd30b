import type { CallCodec, ToolCall } from '../core/index.ts'

/** The part of a patch about one file: its lines, as they stand there. */
interface Section {
  call: ToolCall
  lines: readonly string[]
}

const header = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$/

/**
 * `apply_patch` takes one text that adds, changes, moves and removes any number of files; each is a call of its own. A
 * file that is moved is removed in one place and written in the other.
 */
export function patchCodec(keys: readonly [string, ...string[]]): CallCodec {
  const keyOf = (input: ToolCall['input']) => keys.find((key) => typeof input[key] === 'string')
  return {
    read({ input }) {
      const key = keyOf(input)
      if (key === undefined) return undefined
      const calls = sectionsOf(input[key] as string).map(({ call }) => call)
      return calls.length > 0 ? calls : undefined
    },
    write: (ours) => [ours],
    /** Only new content of added files goes back; anything else is another patch than the model meant. */
    back(ours, original) {
      const key = keyOf(original.input)
      if (key === undefined) return undefined
      const text = original.input[key] as string
      const sections = sectionsOf(text)
      if (sections.length !== ours.length) return undefined
      let changed = text
      for (const [at, { call, lines }] of sections.entries()) {
        const now = ours[at]!
        if (JSON.stringify(now) === JSON.stringify(call)) continue
        const { path, content } = now.input
        if (now.tool !== 'write_file' || call.tool !== 'write_file') return undefined
        if (typeof path !== 'string' || /[\r\n]/.test(path) || typeof content !== 'string') return undefined
        changed = changed.replace(lines.join('\n'), () => added(path, content).join('\n'))
      }
      return { tool: original.tool, input: { ...original.input, [key]: changed } }
    },
  }
}

const added = (path: string, content: string): string[] => [
  `*** Add File: ${path}`,
  ...content.split('\n').map((line) => `+${line}`),
]

function sectionsOf(text: string): Section[] {
  const sections: Section[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const [, kind, path] = header.exec(lines[at]!.trimEnd()) ?? []
    if (kind === undefined || path === undefined) continue
    let end = at + 1
    while (end < lines.length && !lines[end]!.startsWith('*** ')) end++
    const own = lines.slice(at, end)
    if (kind === 'Add File') sections.push({ call: write(path, own.slice(1)), lines: own })
    else if (kind === 'Delete File') sections.push({ call: { tool: 'delete_file', input: { path } }, lines: own })
    else if (kind === 'Update File') {
      const [, next, target] = header.exec(lines[end]?.trimEnd() ?? '') ?? []
      const body = next === 'Move to' ? hunk(lines, end + 1) : own.slice(1)
      sections.push({ call: edit(path, body), lines: own })
      if (next === 'Move to') {
        sections.push({ call: { tool: 'delete_file', input: { path } }, lines: own })
        sections.push({ call: edit(target!, body), lines: own })
      }
    }
  }
  return sections
}

function hunk(lines: readonly string[], start: number): string[] {
  let end = start
  while (end < lines.length && !lines[end]!.startsWith('*** ')) end++
  return lines.slice(start, end)
}

const write = (path: string, lines: readonly string[]): ToolCall => ({
  tool: 'write_file',
  input: {
    path,
    content: lines
      .filter((line) => line.startsWith('+'))
      .map((line) => line.slice(1))
      .join('\n'),
  },
})

/** Each hunk is an edit: the lines it removes and keeps, and the lines it keeps and adds. */
function edit(path: string, lines: readonly string[]): ToolCall {
  const edits: { oldText: string; newText: string }[] = []
  let [before, after]: [string[], string[]] = [[], []]
  const flush = () => {
    if (before.length + after.length > 0) edits.push({ oldText: before.join('\n'), newText: after.join('\n') })
    before = []
    after = []
  }
  for (const line of lines) {
    if (line.startsWith('@@')) flush()
    else if (line.startsWith('-')) before.push(line.slice(1))
    else if (line.startsWith('+')) after.push(line.slice(1))
    else if (line.startsWith(' ')) {
      before.push(line.slice(1))
      after.push(line.slice(1))
    }
  }
  flush()
  return { tool: 'edit_file', input: { path, edits } }
}
