import type { Files, Item, Place } from './files.ts'
import { type Ignore, ignoreFile, ignoreNothing, ignoreUsual } from './ignore.ts'

export interface Step extends Item {
  /** Names from the directory where the walk began. */
  path: readonly string[]
}

export interface WalkOptions {
  /** Heed `.gitignore` files, and leave out what is nobody's work (`.git`, `node_modules`). */
  ignore: boolean
  signal: AbortSignal
  depth?: number
}

/** Everything below a directory, in the order of names; links are named and not followed. */
export async function* walk(files: Files, from: Place, options: WalkOptions): AsyncGenerator<Step> {
  yield* below(files, from, [], options.ignore ? ignoreUsual : ignoreNothing, options)
}

async function* below(
  files: Files,
  place: Place,
  path: readonly string[],
  outer: Ignore,
  options: WalkOptions,
): AsyncGenerator<Step> {
  const { items, ignored } = await visible(files, place, path, outer, options)
  for (const item of items) {
    options.signal.throwIfAborted()
    const step: Step = { ...item, path: [...path, item.name] }
    yield step
    if (item.kind === 'directory' && step.path.length < (options.depth ?? 64))
      yield* below(files, item.place, step.path, ignored, options)
  }
}

/** What a directory shows, how much is left out, and what is ignored further down. */
export async function visible(
  files: Files,
  place: Place,
  path: readonly string[],
  outer: Ignore,
  { ignore }: Pick<WalkOptions, 'ignore'>,
): Promise<{ items: readonly Item[]; hidden: number; ignored: Ignore }> {
  const all = await files.list(place).catch(() => [])
  const rules = ignore ? all.find(({ name, kind }) => name === '.gitignore' && kind === 'file') : undefined
  const ignored = rules ? ignoreFile(String(await files.read(rules.place).catch(() => '')), path, outer) : outer
  const items = all
    .filter(({ name, kind }) => !ignored([...path, name], kind === 'directory'))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  return { items, hidden: all.length - items.length, ignored }
}
