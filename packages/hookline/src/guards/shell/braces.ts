/** `{a,b}` and `{1..3}` in the source text of one word, before any other expansion, as bash does it. */
import { spend, spendOnText } from './budget.ts'
import { SOME } from './text.ts'
import type { Run } from './types.ts'

/** Of a sequence, so many members are followed: one more number is like the others, and there are fewer letters. */
const MEMBERS = 64

export function expandBraces(text: string, run: Pick<Run, 'budget'>): string[] {
  const results: string[] = []
  // The last is the next.
  const pending = [text]
  while (pending.length > 0) {
    const current = pending.pop() as string
    spend(run, 1)
    spendOnText(run, current.length, 32)
    const brace = firstBrace(current)
    if (!brace) results.push(current)
    else {
      const [start, end, choices] = brace
      spendOnText(run, choices.length * current.length)
      for (const choice of choices.reverse()) pending.push(current.slice(0, start) + choice + current.slice(end))
    }
  }
  return results
}

function firstBrace(text: string): [start: number, end: number, choices: string[]] | undefined {
  for (let at = 0; at < text.length; at = skipUnit(text, at)) {
    if (text[at] !== '{' || text[at - 1] === '$') continue
    const choices = readChoices(text, at)
    if (choices) return choices
  }
  return undefined
}

function readChoices(text: string, start: number): [number, number, string[]] | undefined {
  const commas: number[] = []
  let depth = 0
  for (let at = start; at < text.length; at = skipUnit(text, at)) {
    const char = text[at]
    if (char === '{') depth++
    else if (char === ',' && depth === 1) commas.push(at)
    else if (char === '}' && --depth === 0) {
      if (commas.length > 0) {
        const edges = [start, ...commas, at]
        return [start, at + 1, edges.slice(1).map((edge, index) => text.slice((edges[index] as number) + 1, edge))]
      }
      const sequence = readSequence(text.slice(start + 1, at))
      return sequence && [start, at + 1, sequence]
    }
  }
  return undefined
}

function readSequence(body: string): string[] | undefined {
  const [from, to, step, extra] = body.split('..')
  if (!from || !to || extra !== undefined) return undefined
  const letters = from.length === 1 && to.length === 1 && !/\d/.test(from + to)
  const first = letters ? from.charCodeAt(0) : Number(from)
  const last = letters ? to.charCodeAt(0) : Number(to)
  if (!Number.isInteger(first) || !Number.isInteger(last)) return undefined
  const stride = Math.max(1, Math.abs(Number(step ?? 1)) || 1) * (first <= last ? 1 : -1)
  const values: string[] = []
  const isLong = !letters && Math.abs(last - first) / Math.abs(stride) >= MEMBERS
  if (isLong) values.push(SOME)
  for (let value = first; stride > 0 ? value <= last : value >= last; value += stride) {
    values.push(letters ? String.fromCharCode(value) : String(value))
    if (!letters && values.length >= MEMBERS) break
  }
  return values
}

/** Past one unit: an escaped character, a quoted run, or one character. */
function skipUnit(text: string, at: number): number {
  const char = text[at]
  if (char === '\\') return at + 2
  if (char !== "'" && char !== '"') return at + 1
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\' && char === '"') end++
    else if (text[end] === char) return end + 1
  }
  return text.length
}
