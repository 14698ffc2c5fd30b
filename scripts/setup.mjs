import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
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
export const checkTypes = () => checkProject('.', 'types') || checkProject('packages/console', 'console-types')

const checkProject = (project, remembered) =>
  tool('typescript-7/bin/tsc', [
    ...['-p', project, '--incremental', '--tsBuildInfoFile', `node_modules/.cache/${remembered}.json`],
  ])

/** The bundler's output is shown only when it fails: with two configs at once it always prints something. */
export function build({ declarations = true } = {}) {
  const built = spawnSync(process.execPath, [join(root, 'node_modules/tsdown/dist/run.mjs')], {
    cwd: root,
    encoding: 'utf8',
    env: declarations ? process.env : { ...process.env, HOOKLINE_BUILD: 'code' },
  })
  if (built.status !== 0) process.stderr.write(`${built.stdout}${built.stderr}`)
  return built.status ?? 1
}

/** Builds, unless what is built is newer than its sources. Declarations are for packages that are handed on. */
export function makeFresh({ declarations = false } = {}) {
  if (isFresh(declarations ? ['index.js', 'index.d.ts'] : ['index.js'])) return
  process.stderr.write('Building (a few seconds)…\n')
  if (build({ declarations }) !== 0) process.exit(1)
}

/** Where our packages are, from the root: what `workspaces` names, with `*` for every folder. */
export function packageFolders() {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return workspaces.flatMap((folder) =>
    folder.endsWith('/*')
      ? readdirSync(join(root, folder.slice(0, -2)))
          .map((name) => folder.slice(0, -1) + name)
          .filter((each) => existsSync(join(root, each, 'package.json')))
      : folder,
  )
}

/** The console is part of the server. */
const builtElsewhere = { 'packages/console': ['../server/dist/console/index.html'] }

function isFresh(ownOutputs) {
  return packageFolders().every((folder) => {
    const outputs = builtElsewhere[folder] ?? ownOutputs.map((output) => join('dist', output))
    const source = join(root, folder, 'src')
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).map((file) => join(source, file))
    return outputs
      .map((output) => join(root, folder, output))
      .every((built) => existsSync(built) && files.every((file) => statSync(file).mtimeMs <= statSync(built).mtimeMs))
  })
}
