import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { install, makeFresh } from './setup.mjs'

const examples = fileURLToPath(new URL('../examples/', import.meta.url))
const command = fileURLToPath(new URL('../dist/cli.cjs', import.meta.url))

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
  const { prompt, options = [], git, server } = readExample(name)
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
    const serving = server ? await serve(join(directory, server), directory) : undefined
    const args = ['run', '--rehearse', 'rehearsal.yaml', '--trust', 'all', ...options, prompt]
    const own = {
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_STATE_HOME: join(home, 'state'),
      XDG_DATA_HOME: join(home, 'data'),
    }
    const child = spawn(process.execPath, [command, ...args], {
      cwd: directory,
      env: { ...process.env, ...own, ...env },
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
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** A program of the example that answers on a port of its own, and says when it does. */
async function serve(file, cwd) {
  const child = spawn(process.execPath, [file], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return child
}

async function main([name]) {
  if (name === undefined) {
    console.log('Run one with `npm run example <name>`:\n')
    for (const each of exampleNames()) console.log(`  ${each.padEnd(24)}${readExample(each).about}`)
    return 0
  }
  if (!exampleNames().includes(name)) {
    console.error(`There is no example \`${name}\`. There are: ${exampleNames().join(', ')}.`)
    return 64
  }
  install()
  makeFresh()
  const { about, exit: expected = 0 } = readExample(name)
  console.log(`${about}\n`)
  const { exit } = await runExample(name)
  return exit === expected ? 0 : exit
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) process.exitCode = await main(process.argv.slice(2))
