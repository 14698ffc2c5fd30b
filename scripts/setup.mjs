import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** Installs what the lock file names, when it is not there or the lock file is newer. Says so: it takes a while. */
export function install() {
  const installed = new URL('../node_modules/.package-lock.json', import.meta.url)
  const wanted = new URL('../package-lock.json', import.meta.url)
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs) return
  process.stderr.write('Installing dependencies (once; about half a minute)…\n')
  try {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    })
  } catch {
    process.stderr.write(
      'The dependencies could not be installed; npm says why above. Is the package registry reachable?\n',
    )
    process.exit(1)
  }
}

/** Runs a tool of the project; gives back its exit code. */
export function tool(script, args, options = {}) {
  try {
    execFileSync(process.execPath, [fileURLToPath(new URL(`../node_modules/${script}`, import.meta.url)), ...args], {
      cwd: root,
      stdio: 'inherit',
      ...options,
    })
    return 0
  } catch (error) {
    return error.status ?? 1
  }
}

/** By TypeScript 7, which takes a third of the time and remembers what it has checked; declarations are still made by 6. */
export const checkTypes = () =>
  tool('typescript-7/bin/tsc', ['-p', '.', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/types.json'])

/** The bundler's output is shown only when it fails: with two configs at once it always prints something. */
export function build() {
  const built = spawnSync(process.execPath, [join(root, 'node_modules/tsdown/dist/run.mjs')], {
    cwd: root,
    encoding: 'utf8',
  })
  if (built.status !== 0) process.stderr.write(`${built.stdout}${built.stderr}`)
  return built.status ?? 1
}

/** Builds, unless what is built is newer than its sources. */
export function makeFresh() {
  if (isFresh()) return
  process.stderr.write('Building (a few seconds)…\n')
  if (build() !== 0) process.exit(1)
}

function isFresh() {
  return readdirSync(join(root, 'packages')).every((name) => {
    const built = join(root, 'packages', name, 'dist/index.js')
    const source = join(root, 'packages', name, 'src')
    if (!existsSync(built)) return false
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).map((file) => join(source, file))
    return files.every((file) => statSync(file).mtimeMs <= statSync(built).mtimeMs)
  })
}
