/** A path into the arguments: names and indexes; `*` stands for every item. */
export type ArgumentPath = readonly (string | number)[]
export type ParsedPath = { ok: true; path: ArgumentPath } | { ok: false; detail: string }

/**
 * `$.command`, `headers.Authorization`, `edits[*].path`, `items[0]`, `["odd key"].x`. A leading `$` is the arguments
 * themselves, and may be left out.
 */
export function parsePath(text: string): ParsedPath {
  const source = text.trim()
  if (source === '') return { ok: false, detail: 'it is empty' }
  const path: (string | number)[] = []
  let at = source.startsWith('$') && !/^\$\w/.test(source) ? 1 : 0
  while (at < source.length) {
    const matched = step(source, at, at === 0)
    if (typeof matched === 'string') return { ok: false, detail: matched }
    path.push(matched.step)
    at += matched.length
  }
  return { ok: true, path }
}

export function formatArgumentPath(path: ArgumentPath): string {
  return `$${path.map(formatStep).join('')}`
}

const name = /^\.?([^.[\]"'*\s]+)/
const every = /^(?:\.\*|\[\*\])/
const index = /^\[(\d{1,9})\]/
const quoted = /^\[(?:"((?:[^"\\]|\\.)*)"|'([^'\\]*)')\]/

function step(source: string, at: number, first: boolean): { step: string | number; length: number } | string {
  const rest = source.slice(at, at + 512)
  const all = every.exec(rest) ?? (first && /^\*/.exec(rest))
  if (all) return { step: '*', length: all[0].length }
  const number = index.exec(rest)
  if (number) return { step: Number(number[1]), length: number[0].length }
  const key = quoted.exec(rest)
  if (key) return { step: key[2] ?? unquote(key[1] ?? ''), length: key[0].length }
  const word = name.exec(rest)
  if (word && (first || rest.startsWith('.'))) return { step: word[1]!, length: word[0].length }
  return explain(rest, at)
}

function explain(rest: string, at: number): string {
  if (rest.startsWith('..')) return 'it has `..`, and there is no search at every depth'
  if (rest.startsWith('[?')) return 'it has a filter, and there are none'
  if (rest === '.') return 'it ends with a dot'
  return `\`${rest.slice(0, 20)}\` at character ${at + 1} is neither a name nor an index`
}

function formatStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`
  if (step === '*') return '[*]'
  return name.exec(`.${step}`)?.[0] === `.${step}` ? `.${step}` : `[${JSON.stringify(step)}]`
}

function unquote(inner: string): string {
  try {
    return JSON.parse(`"${inner}"`) as string
  } catch {
    return inner
  }
}
