import { didYouMean, formatPath, type Note, note, type Source } from '../../core/index.ts'

/** What is wrong with a place of the config, in words. */
export function shapeProblem(source: Source, path: readonly (string | number)[], detail: string, fix: string): Note {
  const where = source.locate(path)
  return note('config-shape', { path: formatPath(path) || source.file, detail, fix }, { where })
}

export function unknownKeyProblem(
  source: Source,
  path: readonly (string | number)[],
  key: string,
  known: readonly string[],
  otherwise = '',
): Note {
  const hint = didYouMean(key, known) || otherwise
  return note('config-unknown-key', { key, hint, known: known.join(', ') }, { where: source.locate(path) })
}
