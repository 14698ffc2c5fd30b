import { matchesGlob } from 'hookline/internal'
import { size, ToolFailure } from '../../core/index.ts'

/** The files that tools see: those of the workspace, or the virtual ones of the sandbox. */
export interface Files {
  /**
   * Where a path that the model wrote leads. Throws `ToolFailure` when it may not go there. Everything below takes only
   * places that were found this way.
   */
  locate(path: string, access: 'read' | 'write'): Promise<Place>
  /** Whether reading there needs no approval. */
  isOrdinary(path: string): boolean
  stat(place: Place): Promise<Stat | undefined>
  read(place: Place): Promise<Buffer>
  write(place: Place, content: string): Promise<void>
  list(place: Place): Promise<readonly Item[]>
  makeDirectory(place: Place): Promise<void>
  removeDirectory(place: Place): Promise<void>
}

export interface Place {
  /** Where it really is. */
  path: string
  /** How it is called in results: from the workspace, where that is shorter. */
  shown: string
}

export interface Stat {
  kind: 'file' | 'directory' | 'other'
  size: number
}

export interface Item {
  name: string
  kind: Stat['kind'] | 'link'
  place: Place
}

/** Larger files are not read into the memory of the agent. */
export const largestFile = 10 * 1024 * 1024

/** A NUL in the beginning, as git decides it. */
export const isBinary = (content: Buffer): boolean => content.subarray(0, 8_000).includes(0)

export interface Step extends Item {
  /** Names from the directory where the walk began. */
  path: readonly string[]
}

export interface WalkOptions {
  /** Respects `.gitignore` files, and leaves out `.git` and `node_modules`. */
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
  const ignored = rules ? await ignoreFile(String(await files.read(rules.place).catch(() => '')), path, outer) : outer
  const items = all
    .filter(({ name, kind }) => !ignored([...path, name], kind === 'directory'))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  return { items, hidden: all.length - items.length, ignored }
}

/** What no listing or search wants to see, with or without a `.gitignore`. */
const always = new Set(['.git', '.hg', '.svn', 'node_modules'])

export type Ignore = (path: readonly string[], directory: boolean) => boolean

export const ignoreNothing: Ignore = () => false
export const ignoreUsual: Ignore = (path) => always.has(path.at(-1) ?? '')

/** `outer`, and the patterns of a `.gitignore` in the directory `base`, which go before it. */
export async function ignoreFile(content: string, base: readonly string[], outer: Ignore): Promise<Ignore> {
  const { default: ignore } = await import('ignore')
  const rules = ignore().add(content.split(/\r?\n/).filter(isQuick))
  return (path, directory) => {
    const { ignored, unignored } = rules.test(path.slice(base.length).join('/') + (directory ? '/' : ''))
    return ignored || (!unignored && outer(path, directory))
  }
}

/** Patterns with many stars in one name can take exponential time; a hostile file must not stop the agent. */
const isQuick = (pattern: string): boolean =>
  pattern.split('/').every((step) => step === '**' || (step.match(/\*+/g)?.length ?? 0) <= 3)

/** `**` is any number of directories; every other step is matched by itself, in linear time. */
export function matchesSteps(pattern: readonly string[], path: readonly string[]): boolean {
  const reached = new Set([0])
  for (const step of [...path, undefined]) {
    for (const at of reached) if (pattern[at] === '**') reached.add(at + 1)
    if (step === undefined) break
    const next = [...reached].flatMap((at) => {
      const wanted = pattern[at]
      if (wanted === '**') return [at]
      return wanted !== undefined && matchesGlob(wanted, step) ? [at + 1] : []
    })
    reached.clear()
    for (const at of next) reached.add(at)
  }
  return reached.has(pattern.length)
}

/** What the tools of the filesystem work on. */
export interface Filesystem {
  files: Files
  /** Whether listings and searches leave out what git ignores. */
  ignore: boolean
}

/** Reading an ordinary file needs no approval. */
export const looksAt = ({ path = '.' }: { path?: string | undefined }, { files }: Filesystem): boolean =>
  files.isOrdinary(path)

/** The text of a file, or why there is none. */
export async function readText(files: Files, place: Place): Promise<string> {
  const content = await files.read(place)
  if (isBinary(content)) throw new ToolFailure(`${place.shown} is a binary file of ${size(content.length)}, not text.`)
  return content.toString('utf8')
}

export async function directoryAt(files: Files, path: string): Promise<Place> {
  const place = await files.locate(path, 'read')
  const found = await files.stat(place)
  if (!found) throw new ToolFailure(`There is no directory ${place.shown}.`)
  if (found.kind !== 'directory') throw new ToolFailure(`${place.shown} is a file, not a directory.`)
  return place
}
