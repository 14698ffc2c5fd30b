import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const examples = fileURLToPath(new URL('../examples/', import.meta.url))
const command = fileURLToPath(new URL('../packages/hookline/bin/hookline.js', import.meta.url))

/** Every example that can be run: a folder with `example.json`. */
export const exampleNames = () =>
  readdirSync(examples)
    .filter((name) => existsSync(join(examples, name, 'example.json')))
    .sort()

export const readExample = (name) => JSON.parse(readFileSync(join(examples, name, 'example.json'), 'utf8'))

/**
 * Runs an example with the rehearsal model, in a copy of its folder: nothing of the original changes. The copy is given to
 * `look` before it is removed.
 */
export async function runExample(name, { stdio = 'inherit', env = {}, look } = {}) {
  const { prompt, agent, options = [], git, untracked = {}, server, env: needed = {} } = readExample(name)
  const directory = mkdtempSync(join(tmpdir(), `hookline-${name}-`))
  const home = mkdtempSync(join(tmpdir(), 'hookline-home-'))
  const quiet = { cwd: directory, stdio: 'ignore' }
  try {
    cpSync(join(examples, name), directory, { recursive: true })
    if (git) {
      spawnSync('git', ['init', '-q', '-b', 'main'], quiet)
      spawnSync('git', ['add', '-A'], quiet)
      spawnSync(
        'git',
        ['-c', 'user.name=example', '-c', 'user.email=example@localhost', 'commit', '-qm', 'Begin'],
        quiet,
      )
    }
    for (const [file, text] of Object.entries(untracked)) writeFileSync(join(directory, file), text)
    const serving = server ? await serve(join(directory, server), directory) : undefined
    const args = [
      'run',
      ...(agent ? [agent] : []),
      prompt,
      '--rehearse',
      'rehearsal.yaml',
      '--trust',
      'all',
      ...options,
    ]
    const own = {
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_STATE_HOME: join(home, 'state'),
      XDG_DATA_HOME: join(home, 'data'),
    }
    const child = spawn(process.execPath, [command, ...args], {
      cwd: directory,
      env: { ...process.env, ...own, ...needed, ...env },
      stdio,
    })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (chunk) => {
        printed += chunk
      })
    child.stdin?.end()
    const exit = await new Promise((resolve) => child.on('close', resolve))
    serving?.kill()
    await look?.({ directory, home })
    return { exit, printed }
  } finally {
    for (const made of [directory, home]) remove(made)
  }
}

/** A process that an example left in the background may still be writing. */
function remove(directory) {
  try {
    rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  } catch {
    // It lies where temporary things lie.
  }
}

/** A program of the example that answers on a port of its own, and says when it does. */
async function serve(file, cwd) {
  const child = spawn(process.execPath, [file], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return child
}
