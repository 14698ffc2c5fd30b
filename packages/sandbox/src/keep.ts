import type { SandboxEntry as Entry, Job, Tree } from 'hookline/internal'
import type { InMemoryFs } from 'just-bash'

const mutators = ['writeFile', 'appendFile', 'mkdir', 'rm', 'cp', 'mv', 'chmod', 'symlink', 'link', 'utimes'] as const

/** Returns whether a script has touched any file: most do not, and then nothing needs to be compared. */
export function watch(files: InMemoryFs): () => boolean {
  let touched = false
  for (const name of mutators) {
    const original = files[name].bind(files) as (...parameters: unknown[]) => Promise<void>
    Object.assign(files, {
      [name]: (...parameters: unknown[]) => {
        touched = true
        return original(...parameters)
      },
    })
  }
  return () => touched
}

/** Restores the files that earlier scripts left. */
export async function restore(files: InMemoryFs, kept: ReadonlyMap<string, Entry>): Promise<void> {
  for (const [path, entry] of kept) {
    if (entry.kind === 'directory') files.mkdirSync(path, { recursive: true })
    else if (entry.kind === 'file') files.writeFileSync(path, entry.content, undefined, { mode: entry.mode })
    else await files.symlink(entry.target, path)
  }
}

const mostEntries = 10_000

/**
 * The files that the script created or changed, and which of the kept ones it removed. `before` holds every path that
 * existed; of those, the files of the sandbox itself are not kept.
 */
export async function compare(
  files: InMemoryFs,
  before: ReadonlySet<string>,
  { kept, files: given }: Job,
): Promise<{ changed: Tree; removed: string[] }> {
  const changed: Tree = new Map()
  const present = new Set(files.getAllPaths())
  if (present.size > mostEntries) throw new Error(`it left ${present.size} files, more than ${mostEntries}`)
  for (const path of present) {
    const known = kept.get(path)
    const text = given[path]
    if (before.has(path) && !known && text === undefined) continue
    const entry = await read(files, path)
    const unchanged = known ? same(entry, known) : text !== undefined && isText(entry, text)
    if (!unchanged) changed.set(path, entry)
  }
  return { changed, removed: [...kept.keys()].filter((path) => !present.has(path)) }
}

async function read(files: InMemoryFs, path: string): Promise<Entry> {
  const { isDirectory, isSymbolicLink, mode } = await files.lstat(path)
  if (isSymbolicLink) return { kind: 'symlink', target: await files.readlink(path) }
  if (isDirectory) return { kind: 'directory', mode }
  return { kind: 'file', content: await files.readFileBuffer(path), mode }
}

function same(now: Entry, before: Entry): boolean {
  if (now.kind === 'symlink') return before.kind === 'symlink' && now.target === before.target
  if (now.kind !== before.kind || now.mode !== (before as typeof now).mode) return false
  return now.kind === 'directory' || Buffer.compare(now.content, (before as typeof now).content) === 0
}

function isText(entry: Entry, text: string): boolean {
  return entry.kind === 'file' && Buffer.compare(entry.content, Buffer.from(text)) === 0
}
