import { didYouMean, type Hook, type Note, note, type Source } from '../../core/index.ts'

export type Path = readonly (string | number)[]

/** A config being read: where it came from, and what was found wrong or doubtful so far. */
export interface Reading {
  source: Source
  problems: Note[]
  notes: Note[]
}

/** What a hook is, before its place in the file makes it one. */
export type Sketch = Pick<Hook, 'event' | 'matcher' | 'run'> & Partial<Hook> & { at: Path }

/** A list, or the one thing that stands for a list of one. */
export function list(value: unknown): unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

/** The same with the path of each. */
export function placed(value: unknown, at: Path): { item: unknown; at: Path }[] {
  return list(value).map((item, index) => ({ item, at: Array.isArray(value) ? [...at, index] : at }))
}

export function shape(source: Source, path: Path, detail: string, fix: string): Note {
  return note('config-shape', { path: written(path), detail, fix }, { where: source.locate(path) })
}

export function knownKeys(value: Record<string, unknown>, keys: readonly string[], path: Path, source: Source): Note[] {
  return Object.keys(value)
    .filter((key) => !keys.includes(key))
    .map((key) => {
      const details = { key, hint: didYouMean(key, keys), known: keys.join(', ') }
      return note('config-unknown-key', details, { where: source.locate([...path, key]) })
    })
}

function written(path: Path): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  return text.replace(/^\./, '') || 'the file'
}
