import { didYouMean, type Note, note, type Source } from '../../core/index.ts'

export type Path = readonly (string | number)[]

/** A list, or the one thing that stands for a list of one. */
export function list(value: unknown): unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
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
