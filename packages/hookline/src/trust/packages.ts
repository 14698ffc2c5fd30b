import { readFileSync, statSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { isRecord, parseJson } from '../core/index.ts'
import { isInside } from './files.ts'

/** What names without a path mean to Node in a script of a workspace. */
export interface PackageLoads {
  /** Files that decide it, and those that they lead to. */
  files: string[]
  /** Where nothing is, and what would be found first if something were. */
  absent: string[]
  /** What is loaded and not approved with it. */
  unpinned: string[]
  /** It loads more, by names that could not be followed. */
  unknown: boolean
}

const bareName = /\b(?:from|import|require(?:\.resolve)?)\b\s{0,20}\(?\s{0,20}(["'`])([^"'`\n$./\\][^"'`\n$]{0,200})\1/g
const builtIn = new Set(builtinModules)
const largest = 1024 * 1024

/**
 * A package that is there is named to whoever approves, by the directory that it comes from: its bytes are many, and
 * change with every install. One that is not there, or not so near, is pinned as missing: so nobody can put one in the
 * way later. Above the workspace, what lies there is the person's.
 */
export function packageLoads(text: string, file: string, workspace: string): PackageLoads {
  const found: PackageLoads = { files: [], absent: [], unpinned: [], unknown: false }
  const above = directoriesAbove(dirname(file), workspace)
  const manifest = above.map((directory) => join(directory, 'package.json')).find(isFile)
  // It decides which of two languages a `.js` file is in. That of the whole project changes with every install.
  if (manifest !== undefined && dirname(manifest) !== above.at(-1)) found.files.push(manifest)
  const names = new Set([...text.matchAll(bareName)].map(([, , name]) => name!))
  for (const name of [...names].slice(0, 200)) {
    if (/^(?:node|bun|data|npm|jsr):/.test(name) || builtIn.has(name)) continue
    if (/^[a-z]+:/.test(name)) found.unknown = true
    else if (name.startsWith('#') || isOwnName(name, manifest)) followOwn(name, manifest, found)
    else followPackage(name, file, above, found)
  }
  return found
}

function followPackage(name: string, file: string, above: readonly string[], found: PackageLoads): void {
  const own = name.split('/', name.startsWith('@') ? 2 : 1).join('/')
  for (const directory of above) {
    const place = join(directory, 'node_modules', own)
    if (statSync(place, { throwIfNoEntry: false })) {
      found.unpinned.push(`${file} loads the package ${own} from ${dirname(place)}, which is not approved with it`)
      return
    }
    found.absent.push(place)
  }
}

/** `#name`, and the package's own name: its manifest says which files. */
function followOwn(name: string, manifest: string | undefined, found: PackageLoads): void {
  const table =
    manifest === undefined ? undefined : readManifest(manifest)?.[name.startsWith('#') ? 'imports' : 'exports']
  const targets = leavesOf(table)
  if (manifest === undefined || targets.length === 0) {
    found.unknown = true
    return
  }
  found.files.push(manifest)
  for (const target of targets) {
    if (!target.startsWith('./') || target.includes('*')) found.unknown = true
    else {
      const path = resolve(dirname(manifest), target)
      ;(isFile(path) ? found.files : found.absent).push(path)
    }
  }
}

function isOwnName(name: string, manifest: string | undefined): boolean {
  const own = manifest === undefined ? undefined : readManifest(manifest)?.['name']
  return typeof own === 'string' && (name === own || name.startsWith(`${own}/`))
}

function readManifest(path: string): Record<string, unknown> | undefined {
  try {
    if (statSync(path).size > largest) return undefined
    const parsed = parseJson(readFileSync(path, 'utf8'))
    return parsed.ok && isRecord(parsed.value) ? parsed.value : undefined
  } catch {
    return undefined
  }
}

function leavesOf(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > 6) return []
  return Object.values(value)
    .flatMap((each) => leavesOf(each, depth + 1))
    .slice(0, 200)
}

/** From here up to the workspace itself; nothing outside of it. */
function directoriesAbove(start: string, workspace: string): string[] {
  const found: string[] = []
  for (let at = start; isInside(at, workspace) && found.length < 64; at = dirname(at)) {
    found.push(at)
    if (at === dirname(at)) break
  }
  return found
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    return false
  }
}
