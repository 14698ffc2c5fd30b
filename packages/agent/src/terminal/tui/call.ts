import { indent, type Paint, printable } from 'hookline/internal'
import type { Happening, ToolCall } from '../../core/index.ts'
import type { FileChange } from '../../tools/index.ts'
import { countChange, showChange } from '../diff.ts'
import { showCall } from '../show.ts'
import { type Block, block, hanging } from './blocks.ts'

/** So many lines of a result, of a change, and of what a call prints while it runs are shown; the rest is folded. */
const shownLines = { result: 6, change: 16, running: 5, prompt: 12 }

/** A call: what it is, what it prints, and what came of it. */
export interface Call extends Block {
  change(change: FileChange): void
  begun(): void
  refused(): void
  progress(text: string, held: boolean): void
  ended(content: string, failed: boolean): void
}

export function callBlock(call: ToolCall, agent: string | undefined, paint: Paint, isWhole: () => boolean): Call {
  let state: 'waiting' | 'running' | 'refused' | 'done' | 'failed' = 'waiting'
  let change: FileChange | undefined
  let content = ''
  let since = 0
  let took = 0
  let held = false
  const printed = lastLines(shownLines.running)

  const inner = block((width) => {
    const name = agent === undefined ? '' : paint.dim(`[${agent}] `)
    const counted = change && state !== 'refused' ? ` ${paint.dim(countChange(change))}` : ''
    const head = `${name}${showCall(headOf(call, change), paint, width - name.length - 12, marks[state])}${counted}`
    return ['', head, ...indent(body(width - 2), 2)]
  })

  function body(width: number): string[] {
    const time = took > 1_000 ? [paint.dim(`${(took / 1000).toFixed(1)} s`)] : []
    if (state === 'refused' || state === 'waiting') return []
    if (change && state === 'done') return [...fold(showChange(change, paint), 'change', width), ...time]
    if (state === 'running')
      return held
        ? [paint.dim('what it prints is held back until hooks have seen it')]
        : printed.lines().map((line) => paint.dim(printable(line)))
    if (content.trim() === '')
      return [paint.dim(state === 'failed' ? '✗ failed without output' : '(no output)'), ...time]
    const colour = state === 'failed' ? paint.red : paint.dim
    return [...fold(content.trimEnd().split('\n').map(colour), 'result', width), ...time]
  }

  function fold(lines: readonly string[], of: keyof typeof shownLines, width: number): string[] {
    if (isWhole()) return lines.flatMap((line) => hanging(line, width))
    return folded(lines, shownLines[of], paint)
  }

  return {
    ...inner,
    change(found) {
      change = found
      inner.changed()
    },
    begun() {
      state = 'running'
      since = Date.now()
    },
    refused() {
      state = 'refused'
      inner.changed()
    },
    progress(text, isHeld) {
      held = isHeld
      if (!isHeld) printed.add(text)
      inner.changed()
    },
    ended(text, failed) {
      took = since === 0 ? 0 : Date.now() - since
      content = text
      if (state !== 'refused') state = failed ? 'failed' : 'done'
      inner.changed()
    },
  }
}

/** The end of what a call prints. */
function lastLines(most: number): { add(text: string): void; lines(): string[] } {
  let last = ['']
  return {
    add(text) {
      const [first = '', ...more] = text.split('\n')
      last = [...last.slice(0, -1), `${last.at(-1)}${first}`, ...more].slice(-most - 1)
    },
    // A bar that draws itself again and again is seen as it was last.
    lines: () =>
      last
        .map((line) => line.replace(/\r$/, '').replace(/^.*\r/, ''))
        .filter((line, at) => line !== '' || at < last.length - 1)
        .slice(-most),
  }
}

const marks = { waiting: 'dim', running: 'cyan', refused: 'red', done: 'green', failed: 'red' } as const

/** Of a call that changes a file, the file is enough: the change itself is shown. */
const headOf = (call: ToolCall, change: FileChange | undefined): ToolCall =>
  change ? { ...call, input: { path: call.input['path'] ?? call.input['file_path'] ?? change.path } } : call

/** The first lines, and how many more there are. */
export function folded(lines: readonly string[], most: number, paint: Paint): string[] {
  if (lines.length <= most + 1) return [...lines]
  const more = (lines.length - most).toLocaleString('en')
  return [...lines.slice(0, most), paint.dim(`… ${more} more lines (Ctrl+O shows all)`)]
}

type Kind = Extract<Happening, { type: 'prompt' }>['kind']

/** What the person said; of a long text, its beginning. */
export function promptBlock(text: string, kind: Kind, paint: Paint): Block {
  const label = kind === 'prompt' ? '' : paint.dim(`${kind}: `)
  return block((width) => {
    const lines = text.split('\n').flatMap((line) => hanging(line, width - 2))
    const more = lines.length - shownLines.prompt
    const shown = more > 1 ? [...lines.slice(0, shownLines.prompt), paint.dim(`… ${more} more lines`)] : lines
    const [first = '', ...rest] = shown
    return ['', `${paint.cyan(kind === 'prompt' ? '›' : '↪')} ${label}${paint.bold(first)}`, ...indent(rest, 2)]
  })
}
