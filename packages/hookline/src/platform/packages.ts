import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { HooklineError, type Note, note } from '../core/index.ts'
import { realPath } from './paths.ts'

/** Our other packages: what each is needed for. */
const needed = {
  '@hookline/acp': 'Guarding an ACP agent',
  '@hookline/agent': 'Running an agent or asking a model',
  '@hookline/mcp': 'Guarding an MCP server',
  '@hookline/sandbox': 'The sandbox',
  '@hookline/server': 'The server',
} as const
export type OwnPackage = keyof typeof needed

interface Manifest {
  name: string
  version: string
  exports?: Record<string, { default?: string }>
}

const fromSource = import.meta.url.endsWith('.ts')

/** Where this package lies: built files are directly in `dist`, this one is in `src/platform`. */
let home: string | undefined

export function packageFile(...path: string[]): string {
  home ??= realPath(fileURLToPath(new URL(fromSource ? '../..' : '..', import.meta.url)))
  return join(home, ...path)
}

let own: Manifest | undefined
export function version(): string {
  own ??= JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as Manifest
  return own.version
}

/** Names the installed build, so that nothing an older one has kept is used; undefined when we run from source. */
export function buildId(): string | undefined {
  return fromSource ? undefined : `${version()}-${statSync(packageFile('dist/cli.js')).mtimeMs}`
}

/**
 * An entry of one of our packages. It is looked for only beside this package and only in this version: never from the
 * working directory, where a cloned project could have put its own.
 */
export async function loadPackage<T>(name: OwnPackage, entry = '.'): Promise<T> {
  const found = findPackage(name)
  const file = fromSource
    ? `src/${entry === '.' ? 'index' : entry.slice(2)}.ts`
    : found?.manifest.exports?.[entry]?.default
  const path = found && file && join(found.directory, file)
  // A package that was installed by half is as good as none.
  if (!path || !existsSync(path)) throw new HooklineError(packageMissing(name))
  return import(pathToFileURL(path).href) as Promise<T>
}

/** What is missing and how to get it; undefined where the package is there. */
export function missingPackage(name: OwnPackage): Note | undefined {
  return findPackage(name) ? undefined : packageMissing(name)
}

const packageMissing = (name: OwnPackage): Note =>
  note('package-missing', { name, what: needed[name], version: version() })

function findPackage(name: OwnPackage): { directory: string; manifest: Manifest } | undefined {
  const unscoped = name.slice('@hookline/'.length)
  for (const place of [`node_modules/${name}`, `../${name}`, `../${unscoped}`, `../adapters/${unscoped}`]) {
    const directory = packageFile(place)
    const manifest = readManifest(directory)
    if (manifest?.name === name && manifest.version === version()) return { directory, manifest }
  }
  return undefined
}

function readManifest(directory: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest
  } catch {
    return undefined
  }
}
