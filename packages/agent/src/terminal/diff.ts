import { structuredPatch } from 'diff'
import { type Paint, printable } from 'hookline/internal'
import type { FileChange } from '../tools/index.ts'

/** A change that takes longer to compare is shown as a whole new text. */
const patienceMs = 200

/** A change as a person reads it: the lines that go and come, with some around them, and their numbers. */
export function showChange({ path, before, after }: FileChange, paint: Paint): string[] {
  const patch = structuredPatch(path, path, before ?? '', after, undefined, undefined, {
    context: 2,
    timeout: patienceMs,
  })
  if (!patch) return [paint.dim('(the change is too large to compare)')]
  const digits = String(Math.max(0, ...patch.hunks.map((hunk) => hunk.newStart + hunk.newLines))).length
  return patch.hunks.flatMap((hunk, index) => {
    let [old, now] = [hunk.oldStart, hunk.newStart]
    const lines = hunk.lines.flatMap((line) => {
      const [sign = ' ', text] = [line[0], printable(line.slice(1))]
      if (sign === '\\') return []
      const number = String(sign === '-' ? old : now).padStart(digits)
      if (sign !== '+') old += 1
      if (sign !== '-') now += 1
      const shown = `${number} ${sign} ${text}`
      return [sign === '+' ? paint.green(shown) : sign === '-' ? paint.red(shown) : paint.dim(shown)]
    })
    return index === 0 ? lines : [paint.dim(`${' '.repeat(digits)} …`), ...lines]
  })
}

/** `+3 −1`: how many lines come and go. */
export function countChange({ before, after }: FileChange): string {
  const patch = structuredPatch('', '', before ?? '', after, undefined, undefined, { context: 0, timeout: patienceMs })
  const lines = patch?.hunks.flatMap((hunk) => hunk.lines) ?? []
  const times = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  return `+${times('+')} −${times('-')}`
}
